import Foundation
import StoreModel

/// On Ctrl-C or SIGTERM, or when the terminal is closed, runs some work, and then ends the program. The first signal
/// decides the exit status; later signals are ignored.
package final class Interruption: @unchecked Sendable {
  private enum State: Sendable {
    case watching
    case interrupted(Task<Never, Never>)
    case over
  }

  private let state = LockedValue(State.watching)
  // Written by the initializer only. Dispatch's sources are thread-safe, but not declared Sendable.
  private var sources: [any DispatchSourceSignal] = []

  /// Starts to watch for the signals. After ``end()``, the program ignores them.
  ///
  /// - Parameter work: runs after the first signal. Then the program exits with status 128 plus the signal's number.
  package init(_ work: @escaping @Sendable () async -> Void) {
    sources = ([SIGINT, SIGTERM] + (ClosedTerminal.endsThisProgram ? [SIGHUP] : [])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.begin(number, work) }
      source.resume()
      return source
    }
  }

  private func begin(_ number: Int32, _ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard case .watching = state else { return }
      state = .interrupted(
        Task {
          await work()
          Foundation.exit(128 + number)
        })
    }
  }

  /// Stops watching. After a signal it never returns, because the signal ends the program.
  package func end() async {
    let ending = state.withLock { state -> Task<Never, Never>? in
      if case .interrupted(let ending) = state { return ending }
      state = .over
      return nil
    }
    await ending?.value
    for source in sources { source.cancel() }
  }
}
