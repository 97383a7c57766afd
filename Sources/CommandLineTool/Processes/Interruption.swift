import Foundation

/// Ends the program on Ctrl-C or SIGTERM, or when the terminal is closed, once something was done. The first signal says how it ends;
/// those after it change nothing.
final class Interruption: @unchecked Sendable {
  private enum State {
    case watching
    case interrupted(Task<Never, Never>)
    case over
  }

  private let lock = NSLock()
  private var state = State.watching
  private var sources: [any DispatchSourceSignal] = []

  /// Watches for the signals from now on, and goes on ignoring them when it watches no more.
  ///
  /// - Parameter work: is done before the program ends, with status 128 and the signal's number.
  init(_ work: @escaping @Sendable () async -> Void) {
    sources = ([SIGINT, SIGTERM] + (ClosedTerminal.endsThisProgram ? [SIGHUP] : [])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.begin(number, work) }
      source.resume()
      return source
    }
  }

  private func begin(_ number: Int32, _ work: @escaping @Sendable () async -> Void) {
    lock.withLock {
      guard case .watching = state else { return }
      state = .interrupted(
        Task {
          await work()
          Foundation.exit(128 + number)
        })
    }
  }

  /// Watches no more. Where there was a signal already it never returns: how the program ends is decided.
  func end() async {
    let ending = lock.withLock { () -> Task<Never, Never>? in
      if case .interrupted(let ending) = state { return ending }
      state = .over
      return nil
    }
    await ending?.value
    for source in sources { source.cancel() }
  }
}
