import Foundation

/// A process of this program that serves until the demo ends. When it ends by itself it is started again at the same address.
final class SupervisedProgram: @unchecked Sendable {
  let name: String
  private let arguments: @Sendable (_ port: Int) -> [String]
  private let report: @Sendable (ProgramState) -> Void
  private let lock = NSLock()
  private var process: ChildProcess?
  private var isStopped = false
  private var watching: Task<Void, Never>?

  /// - Parameters:
  ///   - arguments: of this same program, for a port; 0 for any.
  ///   - report: told how it does.
  init(
    _ name: String, report: @escaping @Sendable (ProgramState) -> Void,
    arguments: @escaping @Sendable (_ port: Int) -> [String]
  ) {
    self.name = name
    self.report = report
    self.arguments = arguments
  }

  /// Starts it, and returns where it serves.
  ///
  /// - Throws: `CommandFailure` where it ends instead; it has said why on standard error.
  func start() async throws -> URL {
    report(.starting)
    let address = try await run(port: 0)
    watching = Task { [weak self] in await self?.watch(address) }
    return address
  }

  private func run(port: Int) async throws -> URL {
    let process = try ChildProcess(arguments(port), environment: ["LOG_LEVEL": "warning"])
    let mustEnd = lock.withLock {
      self.process = process
      return isStopped
    }
    if mustEnd { process.closeInput() }
    guard let ready = await process.nextLine(), ready.hasPrefix("ready "),
      let address = URL(string: String(ready.dropFirst(6)))
    else { throw CommandFailure.refused("The \(name) did not start.") }
    report(.running(address))
    return address
  }

  private func watch(_ address: URL) async {
    var policy = RestartPolicy()
    let clock = ContinuousClock()
    let begin = clock.now
    while let ended = lock.withLock({ isStopped ? nil : process }) {
      _ = await ended.untilEnd()
      guard !lock.withLock({ isStopped }) else { return }
      guard policy.mayRestart(at: begin.duration(to: clock.now) / .seconds(1)) else { return report(.down) }
      report(.restarting)
      do {
        _ = try await run(port: address.port ?? 0)
      } catch {
        // It has ended again; how often it may is the policy's to say.
        continue
      }
    }
  }

  /// Has it end by itself, for good; ``waitUntilGone()`` returns when it has. Again does nothing.
  func stop() {
    let process = lock.withLock {
      isStopped = true
      return self.process
    }
    watching?.cancel()
    process?.closeInput()
  }

  /// Ends it where it does not by itself.
  func waitUntilGone() { lock.withLock { process }?.waitOrKill(graceSeconds: 5) }
}
