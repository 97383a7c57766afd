/// Decides whether an endpoint of the store is asked, by how it fared lately.
///
/// Closed, everybody asks. After a number of failures in a row it is open: nobody asks. After a while one question, the
/// probe, is let through; if that is answered it is closed, else open for another while.
struct CircuitBreaker: Sendable {
  enum State: Hashable, Sendable {
    case closed(failures: Int)
    case open(until: Int64)
    /// A probe that has not come back by `until` is given up, and another goes.
    case probing(until: Int64)
  }

  /// Permission to ask once, to be given back with what came of it.
  struct Pass: Hashable, Sendable {
    fileprivate let era: Int
  }

  enum Admission: Hashable, Sendable {
    case admitted(Pass)
    /// Nobody is to ask for this long.
    case refused(milliseconds: Int64)
  }

  /// What a question told of the endpoint.
  enum Report: Hashable, Sendable {
    /// It works, whatever it thinks of the receipt.
    case works
    case failed
    /// It asked to be left alone for so long.
    case wantsRest(milliseconds: Int64)
  }

  private(set) var state = State.closed(failures: 0)
  /// Counts changes of state, so that a question from before one does not decide after it.
  private var era = 0

  /// - Parameters:
  ///   - now: passing time, in milliseconds.
  ///   - patience: how long the question may take, in milliseconds.
  mutating func admit(at now: Int64, patience: Int64) -> Admission {
    switch state {
    case .closed: break
    case .open(let end) where now < end, .probing(let end) where now < end:
      return .refused(milliseconds: end - now)
    case .open, .probing: enter(.probing(until: now + patience))
    }
    return .admitted(Pass(era: era))
  }

  mutating func settle(_ pass: Pass, _ report: Report, at now: Int64, _ thresholds: BreakerThresholds) {
    guard pass.era == era else { return }
    switch (report, state) {
    case (.works, .closed): state = .closed(failures: 0)
    case (.works, _): enter(.closed(failures: 0))
    case (.failed, .closed(let failures)) where failures + 1 < thresholds.failures:
      state = .closed(failures: failures + 1)
    case (.failed, _): enter(.open(until: now + Int64(thresholds.openSeconds) * 1_000))
    case (.wantsRest(let milliseconds), _): enter(.open(until: now + milliseconds))
    }
  }

  private mutating func enter(_ state: State) {
    self.state = state
    era += 1
  }
}
