import Foundation

/// Decides whether requests are sent to an endpoint of a server, depending on its recent failures.
///
/// While the breaker is closed, all requests are sent. After several consecutive failures it opens, and requests are
/// refused. After some time one request is sent as a probe. If the server answers it, the breaker closes; otherwise it
/// stays open.
package struct CircuitBreaker: Sendable {
  package enum State: Hashable, Sendable {
    case closed(failures: Int)
    case open(until: Int64)
    /// A probe was sent, and its result is not known yet. If there is no result by `until`, another probe is sent.
    case probing(until: Int64)
  }

  /// Permission for one request. Pass it to ``settle(_:_:at:_:)`` with the result.
  package struct Pass: Hashable, Sendable {
    fileprivate let era: Int
  }

  package enum Admission: Hashable, Sendable {
    case admitted(Pass)
    /// Requests are refused for this long.
    case refused(milliseconds: Int64)
  }

  /// What the result of a request means for the endpoint.
  package enum Report: Hashable, Sendable {
    /// The endpoint answered, whether it accepted the request or not.
    case works
    case failed
    /// The endpoint asked for a pause (`Retry-After`).
    case pauseRequested(milliseconds: Int64)
  }

  package private(set) var state = State.closed(failures: 0)
  /// Counts state changes. A request that was admitted before a state change does not affect the new state.
  private var era = 0

  package init() {}

  /// Decides whether a request may be sent now.
  ///
  /// - Parameters:
  ///   - now: the time of a monotonic clock, in milliseconds.
  ///   - timeoutMilliseconds: the timeout of the request, in milliseconds.
  package mutating func admit(at now: Int64, timeoutMilliseconds: Int64) -> Admission {
    switch state {
    case .closed: break
    case .open(let end) where now < end, .probing(let end) where now < end:
      return .refused(milliseconds: end - now)
    case .open, .probing: enter(.probing(until: now + timeoutMilliseconds))
    }
    return .admitted(Pass(era: era))
  }

  package mutating func settle(_ pass: Pass, _ report: Report, at now: Int64, _ thresholds: BreakerThresholds) {
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

/// A circuit breaker for each endpoint. All callers of the same endpoint share its breaker.
package actor EndpointBreakers {
  private var breakers: [URL: CircuitBreaker] = [:]

  package init() {}

  package func admit(to url: URL, at now: Int64, timeoutMilliseconds: Int64) -> CircuitBreaker.Admission {
    breakers[url, default: CircuitBreaker()].admit(at: now, timeoutMilliseconds: timeoutMilliseconds)
  }

  package func settle(
    _ pass: CircuitBreaker.Pass, _ report: CircuitBreaker.Report, at url: URL, now: Int64,
    _ thresholds: BreakerThresholds
  ) {
    breakers[url, default: CircuitBreaker()].settle(pass, report, at: now, thresholds)
  }
}

/// The settings that decide when the circuit breaker of an endpoint opens, and for how long.
public struct BreakerThresholds: Hashable, Sendable {
  /// The number of consecutive failures that open the breaker; 1 to 1 000.
  public var failures: Int
  /// How long the breaker stays open, in seconds; 1 to 3 600. Then one request is sent as a probe. If it succeeds, the
  /// breaker closes; if it fails, the breaker opens again.
  public var openSeconds: Int

  public init(failures: Int = 5, openSeconds: Int = 30) {
    self.failures = failures
    self.openSeconds = openSeconds
  }
}
