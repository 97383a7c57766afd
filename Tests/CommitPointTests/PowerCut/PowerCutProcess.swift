import Foundation
import StoreModel

/// A process of a program as it is built, with the library that cuts its power preloaded.
///
/// `Foundation.Process` is not used, because a process that another thread starts at the same moment inherits its pipes. The
/// end of a process would then be detected late.
final class PowerCutProcess: Sendable {
  enum Output: Hashable, Sendable {
    case line(String)
    case ended(End)
  }

  enum End: Hashable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    var description: String {
      switch self {
      case .exit(let status): "exit status \(status)"
      case .signal(let number): "signal \(number)"
      }
    }
  }

  private let pid: pid_t
  private let input: Input

  /// - Parameters:
  ///   - program: the name of an executable in the build folder.
  ///   - variables: added to this process's environment.
  ///   - errors: the file its standard error is appended to.
  ///   - receive: called on a separate thread with each line of standard output, and finally with the end of the process.
  init(
    _ program: String, _ arguments: [String], variables: [String: String], errors: URL,
    receive: @escaping @Sendable (Output) -> Void
  ) throws {
    let path = Self.buildFolder.appending(path: program).path
    let (input, childInput) = try Self.pair()
    let (output, childOutput) = try Self.pair()
    defer {
      close(childInput)
      close(childOutput)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, childInput, 0)
    posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // This thread may block signals; the child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    environment["LD_PRELOAD"] = Self.buildFolder.appending(path: "libPowerCut.so").path
    let argv = ([path] + arguments).map { strdup($0) }
    let settings = environment.map { strdup("\($0)=\($1)") }
    defer { for text in argv + settings { free(text) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, path, &actions, &attributes, argv + [nil], settings + [nil])
    guard result == 0 else {
      close(input)
      close(output)
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(result))
    }
    self.pid = pid
    self.input = Input(input)
    // A thread, because reading and waiting block.
    Thread.detachNewThread { [pid] in
      Self.read(output) { receive(.line($0)) }
      close(output)
      receive(.ended(Self.waitForEnd(of: pid)))
    }
  }

  /// Writes to its standard input. Does nothing if the process has just ended.
  func write(_ line: String) { input.write(line) }

  /// Ends its standard input, which ends the process regularly.
  func endInput() { input.end() }

  /// Cuts its power at once.
  func cutPower() { kill(pid, SIGUSR2) }

  private final class Input: Sendable {
    private let descriptor: LockedValue<Int32>

    init(_ descriptor: Int32) { self.descriptor = LockedValue(descriptor) }

    deinit { end() }

    func write(_ line: String) {
      let bytes = Array("\(line)\n".utf8)
      descriptor.withLock { descriptor in
        // SIGPIPE would end the tests if the process has ended.
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
    }

    func end() {
      descriptor.withLock { descriptor in
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
      }
    }
  }

  /// Makes a pair of connected sockets that child processes do not inherit.
  private static func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    }
    return (ends[0], ends[1])
  }

  private static func read(_ descriptor: Int32, line: (String) -> Void) {
    var rest: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest += bytes[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeSubrange(...end)
      }
    }
  }

  private static func waitForEnd(of pid: pid_t) -> End {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }

  /// The folder of the tests' executable, which also contains the programs and the library.
  private static let buildFolder: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let candidates = [CommandLine.arguments[0], own].map { URL(filePath: $0).deletingLastPathComponent() }
    return candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "libPowerCut.so").path) }
      ?? candidates[1]
  }()
}
