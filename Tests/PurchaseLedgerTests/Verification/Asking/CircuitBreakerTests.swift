import Testing

@testable import PurchaseLedger

@Suite("The circuit breaker of an endpoint", .timeLimit(.minutes(10)))
struct CircuitBreakerTests {
  private let thresholds = BreakerThresholds(failures: 3, openSeconds: 30)

  /// Returns a breaker that opened at time 0.
  private func opened() throws -> CircuitBreaker {
    var breaker = CircuitBreaker()
    for _ in 0..<3 { breaker.settle(try pass(&breaker), .failed, at: 0, thresholds) }
    return breaker
  }

  private func pass(_ breaker: inout CircuitBreaker, at now: Int64 = 0) throws -> CircuitBreaker.Pass {
    guard case .admitted(let pass) = breaker.admit(at: now, patience: 10_000) else {
      throw Refused(state: breaker.state)
    }
    return pass
  }

  private struct Refused: Error { let state: CircuitBreaker.State }

  @Test("it opens after so many failures in a row, not before, and not after as many in all")
  func opening() throws {
    var breaker = CircuitBreaker()
    for report in [.failed, .failed, .works, .failed, .failed] as [CircuitBreaker.Report] {
      breaker.settle(try pass(&breaker), report, at: 0, thresholds)
    }
    #expect(breaker.state == .closed(failures: 2))
    breaker.settle(try pass(&breaker), .failed, at: 5, thresholds)
    #expect(breaker.state == .open(until: 30_005))
    #expect(breaker.admit(at: 1_005, patience: 10_000) == .refused(milliseconds: 29_000))
  }

  @Test("half open, one question goes through, and its success closes it")
  func closing() throws {
    var breaker = try opened()
    let probe = try pass(&breaker, at: 30_000)
    #expect(breaker.admit(at: 30_000, patience: 10_000) == .refused(milliseconds: 10_000))
    breaker.settle(probe, .works, at: 30_500, thresholds)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test("half open, a failure opens it for another while, at once")
  func openingAgain() throws {
    var breaker = try opened()
    breaker.settle(try pass(&breaker, at: 30_000), .failed, at: 31_000, thresholds)
    #expect(breaker.state == .open(until: 61_000))
  }

  @Test("a question from before it opened does not close it, nor prolong it")
  func stale() throws {
    var breaker = CircuitBreaker()
    let old = [try pass(&breaker), try pass(&breaker)]
    for _ in 0..<3 { breaker.settle(try pass(&breaker), .failed, at: 0, thresholds) }
    breaker.settle(old[0], .works, at: 20_000, thresholds)
    breaker.settle(old[1], .failed, at: 20_000, thresholds)
    #expect(breaker.state == .open(until: 30_000))
  }

  @Test("a probe that never comes back is given up, and another goes")
  func lostProbe() throws {
    var breaker = try opened()
    let lost = try pass(&breaker, at: 30_000)
    let second = try pass(&breaker, at: 40_000)
    breaker.settle(lost, .failed, at: 40_001, thresholds)
    #expect(breaker.state == .probing(until: 50_000))
    breaker.settle(second, .works, at: 40_002, thresholds)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test("an endpoint that asks for rest gets it at once")
  func rest() throws {
    var breaker = CircuitBreaker()
    breaker.settle(try pass(&breaker), .wantsRest(milliseconds: 7_000), at: 1_000, thresholds)
    #expect(breaker.state == .open(until: 8_000))
  }

  @Test("a verifier stops asking after so many failures, says for how long, probes, and goes on")
  func verification() async throws {
    let counter = try Counter([.http(500)]) { $0.breaker = BreakerThresholds(failures: 6, openSeconds: 60) }
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(counter.server.requests.count == 4)
    // The sixth failure, the second one of this verification, opens the breaker.
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 60))
    #expect(counter.server.requests.count == 6)
    let before = counter.time.milliseconds
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 60))
    #expect(counter.time.milliseconds == before)
    #expect(counter.server.requests.count == 6)
    counter.time.advance(milliseconds: 60_000)
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 60))
    #expect(counter.server.requests.count == 7)
    counter.time.advance(milliseconds: 60_000)
    counter.server.say([StoreAnswer.app()])
    #expect(await counter.refusal() == nil)
    #expect(await counter.refusal() == nil)
    #expect(counter.server.requests.count == 9)
  }

  @Test("G6 refused receipts, however many, close the store for nobody")
  func refusals() async throws {
    let counter = try Counter([.status(21003)])
    for _ in 0..<20 { #expect(await counter.refusal()?.name == "forged") }
    counter.server.say([.status(21002)])
    for _ in 0..<20 { #expect(await counter.refusal()?.name == "unreadable") }
    counter.server.say([StoreAnswer.app()])
    #expect(await counter.refusal() == nil)
  }
}
