import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// The statements of a read of a customer's state, which a server also needs to answer that nothing has changed.
@Suite("The cost of a customer's state", .timeLimit(.minutes(30)))
struct CustomerStateCostTests {
  @Test(
    "B9 a state is read with six statements, however much the customer has, and writes nothing",
    arguments: LedgerEngine.allCases, [0, 40])
  func cost(_ engine: LedgerEngine, _ count: Int) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    let ada = try await fixture.identified("ada").customer
    let name = try #require(EntitlementName(rawValue: "library"))
    try await fixture.ledger.publish(
      LedgerProduct(id: TestLedger.book, type: .nonConsumable, entitlements: [name]), app: TestLedger.app, by: "olga")
    for number in 0..<count {
      try await fixture.ledger.grant(
        .product(TestLedger.book, accessUntil: nil), to: ada, app: TestLedger.app, key: "\(number)", reason: "test",
        by: "olga")
    }
    let work = try await database.counting {
      let state = try await fixture.ledger.state(of: ada, app: TestLedger.app)
      #expect((state.entitlements.count, state.deliveries.count) == (count, count))
      #expect(state.named?.map(\.name) == (count == 0 ? [] : [name]))
    }
    #expect((work.transactions, work.statements, work.changedRows) == (1, 6, 0))
    try await database.close()
  }

  @Test("files that were published after an entitlement began are in the state", arguments: LedgerEngine.allCases)
  func begun(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada").customer
    try await fixture.ledger.grant(
      .product(TestLedger.magazine, accessUntil: nil), to: ada, app: TestLedger.app, key: "a", reason: "test",
      by: "olga")
    #expect(try await fixture.ledger.state(of: ada, app: TestLedger.app).deliveries.isEmpty)
    let file = ContentFile(
      name: "issue.txt", size: 4, sha256: String(repeating: "b", count: 64), mediaType: "text/plain")
    _ = try await fixture.ledger.publish(files: [file], of: TestLedger.magazine, app: TestLedger.app, by: "olga")
    let state = try await fixture.ledger.state(of: ada, app: TestLedger.app)
    #expect(state.deliveries.map(\.version) == [1])
    #expect(
      try await fixture.ledger.deliveries(of: ada, app: TestLedger.app).map(\.id) == state.deliveries.map(\.id))
  }
}
