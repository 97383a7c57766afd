import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Which environment's door a receipt is taken to", .timeLimit(.minutes(10)))
struct DoorTests {
  private static let sandboxAnswer = StoreAnswer.app(answer: ["environment": "Sandbox"])

  @Test("G2 production is asked first, and what it vouches for is production's")
  func production() async throws {
    let counter = try Counter([StoreAnswer.app()], sandbox: [Self.sandboxAnswer])
    #expect(try await counter.verify().environment == .production)
    #expect(counter.server.doors == [.production])
  }

  @Test("G2 the sandbox is asked on 21007, and what it vouches for is the sandbox's")
  func sandbox() async throws {
    let counter = try Counter([.status(21007)], sandbox: [Self.sandboxAnswer])
    #expect(try await counter.verify().environment == .sandbox)
    #expect(counter.server.doors == [.production, .sandbox])
    #expect(counter.time.pauses.isEmpty)
  }

  @Test("two doors that send a receipt back and forth are asked each way once")
  func pingPong() async throws {
    let counter = try Counter([.status(21007)], sandbox: [.status(21008)])
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(counter.server.doors == [.production, .sandbox, .production])
  }

  @Test("G6 a sandbox receipt is refused where only production is accepted, and not taken further")
  func productionOnly() async throws {
    let counter = try Counter([.status(21007)], sandbox: [Self.sandboxAnswer], environments: [.production])
    #expect(await counter.refusal()?.name == "wrongEnvironment")
    #expect(counter.server.doors == [.production])
  }

  @Test("where only the sandbox is accepted, only the sandbox is asked")
  func sandboxOnly() async throws {
    let counter = try Counter([StoreAnswer.app()], sandbox: [Self.sandboxAnswer], environments: [.sandbox])
    #expect(try await counter.verify().environment == .sandbox)
    #expect(counter.server.doors == [.sandbox])
    counter.server.say([.status(21008)], at: .sandbox)
    #expect(await counter.refusal()?.name == "wrongEnvironment")
    counter.server.say([.status(21007)], at: .sandbox)
    #expect(await counter.refusal()?.name == "misconfigured")
    #expect(counter.server.doors == [.sandbox, .sandbox, .sandbox])
  }

  @Test("retries are counted over both doors together")
  func retriesOverDoors() async throws {
    let counter = try Counter([.status(21005), .status(21005), .status(21007)], sandbox: [.status(21005)])
    #expect(await counter.refusal()?.name == "storeUnavailable")
    #expect(counter.server.doors == [.production, .production, .production, .sandbox, .sandbox])
  }

  @Test("each door has a breaker of its own")
  func separateBreakers() async throws {
    let counter = try Counter([.status(21007)], sandbox: [.http(503)]) {
      $0.retries = 0
      $0.breaker.failures = 1
    }
    #expect(await counter.refusal()?.name == "storeUnavailable")
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(counter.server.doors == [.production, .sandbox, .production])
    counter.server.say([StoreAnswer.app()])
    #expect(await counter.refusal() == nil)
  }
}
