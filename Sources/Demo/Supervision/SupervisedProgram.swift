import Foundation
import Logging
import ProgramSupport
import StoreModel

/// A child process that serves until the demo ends. If it ends by itself, it is started again at the same address.
final class SupervisedProgram: Sendable {
  let name: String
  private let arguments: @Sendable (_ port: Int) -> [String]
  private let report: @Sendable (ProgramState) -> Void
  private let logger: Logger
  private let state = LockedValue(State())

  private struct State: Sendable {
    var process: ChildProcess?
    var isStopped = false
    var starts = 0
    var watching: Task<Void, Never>?
  }

  /// - Parameters:
  ///   - arguments: returns the arguments of this program for a port; 0 for a free port.
  ///   - report: is called with each new state.
  ///   - logger: logs why the process could not be started again.
  init(
    _ name: String, report: @escaping @Sendable (ProgramState) -> Void, logger: Logger,
    arguments: @escaping @Sendable (_ port: Int) -> [String]
  ) {
    self.name = name
    self.report = report
    self.logger = logger
    self.arguments = arguments
  }

  var starts: Int { state.withLock { $0.starts } }

  /// Starts the program, and returns its address.
  ///
  /// - Throws: `CommandFailure` if the program does not report its address. The program writes its own error to
  ///   standard error.
  func start() async throws -> URL {
    report(.starting)
    let address = try await run(port: 0)
    state.withLock { $0.watching = Task { [weak self] in await self?.watch(address) } }
    return address
  }

  private func run(port: Int) async throws -> URL {
    state.withLock { $0.starts += 1 }
    let process = try ChildProcess(arguments(port), environment: Logger.Level.variables())
    let mustEnd = state.withLock { state in
      state.process = process
      return state.isStopped
    }
    if mustEnd { await process.end(graceSeconds: ShutdownSeconds.program) }
    let address = try await process.address(of: name)
    report(.running)
    return address
  }

  private func watch(_ address: URL) async {
    var policy = RestartPolicy()
    let clock = SystemClock()
    let begin = clock.nanoseconds
    while let ended = state.withLock({ $0.isStopped ? nil : $0.process }) {
      _ = await ended.status
      guard !state.withLock({ $0.isStopped }) else { return }
      guard policy.mayRestart(at: Double(clock.nanoseconds - begin) / 1e9) else { return report(.down) }
      report(.restarting)
      do {
        _ = try await run(port: address.port ?? 0)
      } catch is CommandFailure {
        // The process has ended again and has reported the reason. The policy decides how often it is restarted.
        continue
      } catch {
        logger.warning("A program cannot be started again", metadata: ["program": "\(name)", "error": "\(error)"])
      }
    }
  }

  /// Ends the program and does not start it again. Returns when it has ended. Later calls do nothing.
  func end() async {
    let (process, watching) = state.withLock { state in
      state.isStopped = true
      return (state.process, state.watching)
    }
    await process?.end(graceSeconds: ShutdownSeconds.program)
    // The watching task may be starting another process at this moment, so this waits until the task has ended.
    await watching?.value
  }
}

/// The state of a program that the demo runs.
enum ProgramState: Hashable, Sendable {
  case starting
  case running
  /// The program ended by itself and is being started again.
  case restarting
  /// The program ended too often and is not started again.
  case down
}
