/// Decides whether requests are sent to an endpoint of the store, depending on its recent failures.
///
/// While the breaker is closed, all requests are sent. After several consecutive failures it opens, and requests are
/// refused. After some time one request is sent as a probe. If the store answers it, the breaker closes; otherwise it
/// stays open.
struct CircuitBreaker: Sendable {
  enum State: Hashable, Sendable {
    case closed(failures: Int)
    case open(until: Int64)
    /// A probe was sent, and its result is not known yet. If there is no result by `until`, another probe is sent.
    case probing(until: Int64)
  }

  /// Permission for one request. Pass it to ``settle(_:_:at:_:)`` with the result.
  struct Pass: Hashable, Sendable {
    fileprivate let era: Int
  }

  enum Admission: Hashable, Sendable {
    case admitted(Pass)
    /// Requests are refused for this long.
    case refused(milliseconds: Int64)
  }

  /// What the result of a request means for the endpoint.
  enum Report: Hashable, Sendable {
    /// The endpoint answered, whether it accepted the receipt or not.
    case works
    case failed
    /// The endpoint asked for a pause (`Retry-After`).
    case pauseRequested(milliseconds: Int64)
  }

  private(set) var state = State.closed(failures: 0)
  /// Counts state changes. A request that was admitted before a state change does not affect the new state.
  private var era = 0

  /// Decides whether a request may be sent now.
  ///
  /// - Parameters:
  ///   - now: the time of a monotonic clock, in milliseconds.
  ///   - timeoutMilliseconds: the timeout of the request, in milliseconds.
  mutating func admit(at now: Int64, timeoutMilliseconds: Int64) -> Admission {
    switch state {
    case .closed: break
    case .open(let end) where now < end, .probing(let end) where now < end:
      return .refused(milliseconds: end - now)
    case .open, .probing: enter(.probing(until: now + timeoutMilliseconds))
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
    case (.pauseRequested(let milliseconds), _): enter(.open(until: now + milliseconds))
    }
  }

  private mutating func enter(_ state: State) {
    self.state = state
    era += 1
  }
}
