import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("The endpoint that a receipt is sent to", .timeLimit(.minutes(30)))
struct EndpointTests {
  private static let sandboxAnswer = StoreAnswer.app(answer: ["environment": "Sandbox"])

  @Test("G2 production is asked first, and its answer is of production")
  func production() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()], sandbox: [Self.sandboxAnswer])
    #expect(try await scripted.verify().environment == .production)
    #expect(scripted.server.endpoints == [.production])
  }

  @Test("G2 the sandbox is asked after 21007, and its answer is of the sandbox")
  func sandbox() async throws {
    let scripted = try ScriptedVerifier([.status(21007)], sandbox: [Self.sandboxAnswer])
    #expect(try await scripted.verify().environment == .sandbox)
    #expect(scripted.server.endpoints == [.production, .sandbox])
    #expect(scripted.time.pauses.isEmpty)
  }

  @Test("two endpoints that redirect a receipt to each other are each asked once more")
  func pingPong() async throws {
    let scripted = try ScriptedVerifier([.status(21007)], sandbox: [.status(21008)])
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(scripted.server.endpoints == [.production, .sandbox, .production])
  }

  @Test("G6 a sandbox receipt is refused if only production is accepted, and not sent to the sandbox")
  func productionOnly() async throws {
    let scripted = try ScriptedVerifier([.status(21007)], sandbox: [Self.sandboxAnswer], environments: [.production])
    #expect(await scripted.refusal()?.name == "wrongEnvironment")
    #expect(scripted.server.endpoints == [.production])
  }

  @Test("if only the sandbox is accepted, only the sandbox is asked")
  func sandboxOnly() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()], sandbox: [Self.sandboxAnswer], environments: [.sandbox])
    #expect(try await scripted.verify().environment == .sandbox)
    #expect(scripted.server.endpoints == [.sandbox])
    scripted.server.setAnswers([.status(21008)], for: .sandbox)
    #expect(await scripted.refusal()?.name == "wrongEnvironment")
    scripted.server.setAnswers([.status(21007)], for: .sandbox)
    #expect(await scripted.refusal()?.name == "misconfigured")
    #expect(scripted.server.endpoints == [.sandbox, .sandbox, .sandbox])
  }

  @Test("retries are counted over both endpoints together")
  func retriesOverDoors() async throws {
    let scripted = try ScriptedVerifier([.status(21005), .status(21005), .status(21007)], sandbox: [.status(21005)])
    #expect(await scripted.refusal()?.name == "storeUnavailable")
    #expect(scripted.server.endpoints == [.production, .production, .production, .sandbox, .sandbox])
  }

  @Test("each endpoint has its own circuit breaker")
  func separateBreakers() async throws {
    let scripted = try ScriptedVerifier([.status(21007)], sandbox: [.http(503)]) {
      $0.retries = 0
      $0.breaker.failures = 1
    }
    #expect(await scripted.refusal()?.name == "storeUnavailable")
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(scripted.server.endpoints == [.production, .sandbox, .production])
    scripted.server.setAnswers([StoreAnswer.app()])
    #expect(await scripted.refusal() == nil)
  }
}
