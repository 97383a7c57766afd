import ChildProcesses
import Foundation
import StoreModel

/// A process of a program as it is built, with the library that cuts its power preloaded.
final class PowerCutProcess: Sendable {
  enum Output: Hashable, Sendable {
    case line(String)
    case ended(SpawnedProcess.End)
  }

  private let process: SpawnedProcess
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
    let (input, childInput) = try Self.pair()
    self.input = Input(input)
    let output = try ProcessPipe()
    let errorFile = open(errors.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard errorFile >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
    var inheritance = SpawnedProcess.Inheritance(adding: variables)
    inheritance.environment["LD_PRELOAD"] = Self.buildFolder.appending(path: "libPowerCut.so").path
    inheritance.input = .handle(FileHandle(fileDescriptor: childInput, closeOnDealloc: true))
    inheritance.output = .handle(output.writing)
    inheritance.errors = .handle(FileHandle(fileDescriptor: errorFile, closeOnDealloc: true))
    process = try SpawnedProcess(Self.buildFolder.appending(path: program).path, arguments, inheritance)
    // A thread, because reading blocks.
    Thread.detachNewThread { [process] in
      Self.read(output.reading.fileDescriptor) { receive(.line($0)) }
      try? output.reading.close()
      process.whenEnded { receive(.ended($0)) }
    }
  }

  /// Writes to its standard input. Does nothing if the process has just ended.
  func write(_ line: String) { input.write(line) }

  /// Ends its standard input, which ends the process regularly.
  func endInput() { input.end() }

  /// Cuts its power at once.
  func cutPower() { process.send(SIGUSR2) }

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

  /// The folder of the tests' executable, which also contains the programs and the library.
  private static let buildFolder: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let candidates = [CommandLine.arguments[0], own].map { URL(filePath: $0).deletingLastPathComponent() }
    return candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "libPowerCut.so").path) }
      ?? candidates[1]
  }()
}
