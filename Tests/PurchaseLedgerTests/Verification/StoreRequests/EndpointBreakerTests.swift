import HTTPTransport
import Testing

@testable import PurchaseLedger

@Suite("The circuit breaker of a store's endpoint", .timeLimit(.minutes(30)))
struct EndpointBreakerTests {
  @Test("a verifier stops sending requests after the failures, returns the wait, probes, and resumes")
  func verification() async throws {
    let scripted = try ScriptedVerifier([.http(500)]) { $0.breaker = BreakerThresholds(failures: 6, openSeconds: 60) }
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(scripted.server.requests.count == 4)
    // The sixth failure, the second one of this verification, opens the breaker.
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 60))
    #expect(scripted.server.requests.count == 6)
    let before = scripted.time.milliseconds
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 60))
    #expect(scripted.time.milliseconds == before)
    #expect(scripted.server.requests.count == 6)
    scripted.time.advance(milliseconds: 60_000)
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 60))
    #expect(scripted.server.requests.count == 7)
    scripted.time.advance(milliseconds: 60_000)
    scripted.server.setAnswers([StoreAnswer.app()])
    #expect(await scripted.refusal() == nil)
    #expect(await scripted.refusal() == nil)
    #expect(scripted.server.requests.count == 9)
  }

  @Test("G6 refused receipts do not open it, however many")
  func refusals() async throws {
    let scripted = try ScriptedVerifier([.status(21003)])
    for _ in 0..<20 { #expect(await scripted.refusal()?.name == "forged") }
    scripted.server.setAnswers([.status(21002)])
    for _ in 0..<20 { #expect(await scripted.refusal()?.name == "unreadable") }
    scripted.server.setAnswers([StoreAnswer.app()])
    #expect(await scripted.refusal() == nil)
  }
}
