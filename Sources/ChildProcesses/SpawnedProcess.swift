import CSpawn
import Foundation
import StoreModel

/// A process that this program has started.
///
/// `Foundation.Process` is not used: a process that another thread starts at the same moment can inherit its pipes, and the
/// socket by which it notices the end. Their end is then noticed only when the other process ends as well, which may be
/// never.
package final class SpawnedProcess: Sendable {
  /// A standard stream of a process.
  package enum Stream: Sendable {
    /// That of this process.
    case inherited
    /// It reads nothing, and what it writes is discarded.
    case null
    /// An open file or an end of a pipe. ``SpawnedProcess`` closes it for this program.
    case handle(FileHandle)
  }

  /// What a process inherits.
  package struct Inheritance: Sendable {
    /// The complete environment.
    package var environment = ProcessInfo.processInfo.environment
    /// The path of the working folder; nil for that of this process.
    package var folder: String?
    package var input = Stream.null
    package var output = Stream.null
    package var errors = Stream.inherited
    /// Whether it belongs to this program's process group, to which a terminal sends its signals, and inherits the open file
    /// descriptors from 3 upwards that are not closed on execution.
    package var sharesGroupAndDescriptors = false

    package init() {}

    /// - Parameter variables: added to the environment of this process.
    package init(adding variables: [String: String]) { environment.merge(variables) { $1 } }
  }

  /// How a process ended.
  package enum End: Hashable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    /// The exit status, or the number of the signal.
    package var number: Int32 {
      switch self {
      case .exit(let number), .signal(let number): number
      }
    }

    package var description: String {
      switch self {
      case .exit(let status): "exit status \(status)"
      case .signal(let number): "signal \(number)"
      }
    }
  }

  private enum State: Sendable {
    case running([@Sendable (End) -> Void])
    /// Its process id may belong to another process.
    case ended(End)
  }

  package let identifier: pid_t
  private let state = LockedValue(State.running([]))

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: its path, or its name in this process's `PATH`.
  ///   - didStart: called with the process id, before `willRelease`.
  ///   - willRelease: called on another thread when the process has ended, while no other process can have its id.
  /// - Throws: ``SpawnError`` if it cannot be run.
  package init(
    _ program: String, _ arguments: [String], _ inheritance: Inheritance = Inheritance(),
    didStart: (pid_t) -> Void = { _ in }, willRelease: @escaping @Sendable (pid_t) -> Void = { _ in }
  ) throws {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { throw SpawnError(program: program, number: errno) }
    defer { close(null) }
    let streams = [inheritance.input, inheritance.output, inheritance.errors]
    defer {
      // Two streams can be the same handle, which is closed then.
      for case .handle(let handle) in streams { try? handle.close() }
    }
    let descriptors = streams.map { stream in
      switch stream {
      case .inherited: Int32(-1)
      case .null: null
      case .handle(let handle): handle.fileDescriptor
      }
    }
    let texts = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = inheritance.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in texts + variables { free(text) } }
    var identifier = pid_t()
    let error = openstorekit_spawn(
      &identifier, program, texts, variables, inheritance.folder,
      openstorekit_inheritance(
        input: descriptors[0], output: descriptors[1], errors: descriptors[2],
        group_and_descriptors: inheritance.sharesGroupAndDescriptors))
    guard error == 0 else { throw SpawnError(program: program, number: error) }
    self.identifier = identifier
    didStart(identifier)
    // A thread, because waiting blocks.
    Thread.detachNewThread { [state, identifier] in
      Self.waitWithoutRelease(of: identifier)
      willRelease(identifier)
      // Within the lock, so that ``send(_:)`` cannot reach another process with the same id.
      let (end, waiting) = state.withLock { state -> (End, [@Sendable (End) -> Void]) in
        let end = Self.release(identifier)
        defer { state = .ended(end) }
        if case .running(let waiting) = state { return (end, waiting) }
        return (end, [])
      }
      for body in waiting { body(end) }
    }
  }

  private static func waitWithoutRelease(of process: pid_t) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
  }

  /// Reads how a process ended that has ended. From then on, another process can have its id.
  private static func release(_ process: pid_t) -> End {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
  }

  /// Calls `body` once, when the process has ended; at once if it has.
  package func whenEnded(_ body: @escaping @Sendable (End) -> Void) {
    let end = state.withLock { state -> End? in
      switch state {
      case .running(let waiting):
        state = .running(waiting + [body])
        return nil
      case .ended(let end): return end
      }
    }
    if let end { body(end) }
  }

  /// How the process ended. Waits until it has, even in a cancelled task. Any number of tasks may wait.
  package var end: End {
    get async { await withCheckedContinuation { continuation in whenEnded { continuation.resume(returning: $0) } } }
  }

  /// Blocks this thread until the process has ended.
  package func waitForEnd() {
    let ended = DispatchSemaphore(value: 0)
    whenEnded { _ in ended.signal() }
    ended.wait()
  }

  package var isRunning: Bool {
    state.withLock {
      if case .running = $0 { return true }
      return false
    }
  }

  /// Sends a signal. Does nothing if the process has ended.
  package func send(_ signal: Int32) {
    state.withLock { if case .running = $0 { kill(identifier, signal) } }
  }
}

/// A program could not be started.
package struct SpawnError: Error, Equatable, CustomStringConvertible {
  package let program: String
  /// The number of the system's error, such as `ENOENT`.
  package let number: Int32

  package var reason: String { String(cString: strerror(number)) }
  package var description: String { "\(program) cannot be run: \(reason)" }
}
