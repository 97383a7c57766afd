import HTTPTransport
import Testing

@Suite("The circuit breaker of an endpoint", .timeLimit(.minutes(30)))
struct CircuitBreakerTests {
  private let thresholds = BreakerThresholds(failures: 3, openSeconds: 30)

  /// Returns a breaker that opened at time 0.
  private func opened() throws -> CircuitBreaker {
    var breaker = CircuitBreaker()
    for _ in 0..<3 { breaker.settle(try pass(&breaker), .failed, at: 0, thresholds) }
    return breaker
  }

  private func pass(_ breaker: inout CircuitBreaker, at now: Int64 = 0) throws -> CircuitBreaker.Pass {
    guard case .admitted(let pass) = breaker.admit(at: now, timeoutMilliseconds: 10_000) else {
      throw Refused(state: breaker.state)
    }
    return pass
  }

  private struct Refused: Error { let state: CircuitBreaker.State }

  @Test("it opens after the configured number of consecutive failures, not before, and not after as many in total")
  func opening() throws {
    var breaker = CircuitBreaker()
    for report in [.failed, .failed, .works, .failed, .failed] as [CircuitBreaker.Report] {
      breaker.settle(try pass(&breaker), report, at: 0, thresholds)
    }
    #expect(breaker.state == .closed(failures: 2))
    breaker.settle(try pass(&breaker), .failed, at: 5, thresholds)
    #expect(breaker.state == .open(until: 30_005))
    #expect(breaker.admit(at: 1_005, timeoutMilliseconds: 10_000) == .refused(milliseconds: 29_000))
  }

  @Test("half open, one probe is sent, and its success closes it")
  func closing() throws {
    var breaker = try opened()
    let probe = try pass(&breaker, at: 30_000)
    #expect(breaker.admit(at: 30_000, timeoutMilliseconds: 10_000) == .refused(milliseconds: 10_000))
    breaker.settle(probe, .works, at: 30_500, thresholds)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test("half open, a failure opens it again at once")
  func openingAgain() throws {
    var breaker = try opened()
    breaker.settle(try pass(&breaker, at: 30_000), .failed, at: 31_000, thresholds)
    #expect(breaker.state == .open(until: 61_000))
  }

  @Test("a request from before it opened does not close it or extend it")
  func stale() throws {
    var breaker = CircuitBreaker()
    let old = [try pass(&breaker), try pass(&breaker)]
    for _ in 0..<3 { breaker.settle(try pass(&breaker), .failed, at: 0, thresholds) }
    breaker.settle(old[0], .works, at: 20_000, thresholds)
    breaker.settle(old[1], .failed, at: 20_000, thresholds)
    #expect(breaker.state == .open(until: 30_000))
  }

  @Test("a probe without a result is given up, and another is sent")
  func lostProbe() throws {
    var breaker = try opened()
    let lost = try pass(&breaker, at: 30_000)
    let second = try pass(&breaker, at: 40_000)
    breaker.settle(lost, .failed, at: 40_001, thresholds)
    #expect(breaker.state == .probing(until: 50_000))
    breaker.settle(second, .works, at: 40_002, thresholds)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test("an endpoint that sends Retry-After opens it at once")
  func rest() throws {
    var breaker = CircuitBreaker()
    breaker.settle(try pass(&breaker), .pauseRequested(milliseconds: 7_000), at: 1_000, thresholds)
    #expect(breaker.state == .open(until: 8_000))
  }
}
