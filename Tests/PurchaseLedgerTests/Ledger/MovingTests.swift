import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct MovingTests {
  private func move(
    _ fixture: TestLedger, _ id: UInt64, in environment: StoreEnvironment = .production, to customer: CustomerID
  ) async throws -> Bool {
    try await fixture.ledger.move(
      TransactionID(id), in: environment, app: TestLedger.app, to: customer, reason: "a lost account", by: "olga")
  }

  @Test(
    "An operator moves a purchase to another customer: once, audited, and later refunds follow it",
    arguments: LedgerEngine.allCases)
  func moves(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let goods = try #require(try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada).given)

    #expect(try await move(fixture, 1, to: ben.customer))
    #expect(try await !move(fixture, 1, to: ben.customer))

    #expect(try await fixture.owned(by: ada.customer) == [])
    #expect(try await fixture.owned(by: ben.customer) == [TestLedger.book])
    #expect(try await fixture.ledger.deliveries(of: ben.customer, app: TestLedger.app).count == 1)
    await #expect(throws: LedgerError.deliveryEnded) { try await fixture.ledger.delivery(try #require(goods.delivery)) }
    #expect(try await fixture.ledger.auditLog().filter { $0.action == "move" }.count == 1)
    #expect(
      try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada).refusal == .claimedByAnotherCustomer)
    let refunded = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 5))
    #expect(try await fixture.owned(by: ben.customer) == [])
  }

  @Test("A sandbox purchase moves only to a customer who may have sandbox purchases", arguments: LedgerEngine.allCases)
  func sandbox(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(sandboxCustomers: ["ada", "cleo"]))
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let cleo = try await fixture.identified("cleo")
    let book = TestLedger.purchase(TestLedger.book, 1)
    _ = try await fixture.ledger.redeem(
      TestLedger.proof([book], in: .sandbox), .purchases([.init(transactionID: book.transactionID)]), for: ada)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.magazine, 2), for: ada)

    await #expect(throws: LedgerError.self) { try await move(fixture, 1, in: .sandbox, to: ben.customer) }
    #expect(try await fixture.owned(by: ben.customer) == [])
    #expect(try await fixture.ledger.auditLog().allSatisfy { $0.action != "move" })
    #expect(try await move(fixture, 1, in: .sandbox, to: cleo.customer))
    #expect(try await fixture.owned(by: cleo.customer) == [TestLedger.book])
    #expect(try await move(fixture, 2, to: ben.customer))
    #expect(try await fixture.owned(by: ben.customer) == [TestLedger.magazine])
  }

  @Test("An invalid move is refused with a reason, and changes nothing", arguments: LedgerEngine.allCases)
  func refused(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 2), for: ada)
    let unknown = CustomerID(rawValue: UUID())

    await #expect(throws: LedgerError.unknownClaim(TransactionID(9))) { try await move(fixture, 9, to: ben.customer) }
    await #expect(throws: LedgerError.unknownCustomer(unknown)) { try await move(fixture, 2, to: unknown) }
    await #expect(throws: LedgerError.self) { try await move(fixture, 1, to: ben.customer) }
    let refunded = TestLedger.purchase(TestLedger.book, 2, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 5))
    await #expect(throws: LedgerError.self) { try await move(fixture, 2, to: ben.customer) }

    #expect(try await fixture.balance(of: ada.customer) == 5)
    #expect(try await fixture.owned(by: ben.customer) == [])
    #expect(try await fixture.ledger.auditLog().allSatisfy { $0.action != "move" })
  }
}
