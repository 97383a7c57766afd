import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct MovingTests {
  private func move(_ desk: LedgerDesk, _ id: UInt64, to customer: CustomerID) async throws -> Bool {
    try await desk.ledger.move(
      TransactionID(id), in: .production, app: LedgerDesk.app, to: customer, reason: "a lost account", by: "olga")
  }

  @Test(
    "An operator gives what somebody bought to another customer: once, on record, and refunds follow it",
    arguments: LedgerEngine.allCases)
  func moves(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    let goods = try #require(try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada).given)

    #expect(try await move(desk, 1, to: ben.customer))
    #expect(try await !move(desk, 1, to: ben.customer))

    #expect(try await desk.owned(by: ada.customer) == [])
    #expect(try await desk.owned(by: ben.customer) == [LedgerDesk.book])
    #expect(try await desk.ledger.deliveries(of: ben.customer, app: LedgerDesk.app).count == 1)
    await #expect(throws: LedgerError.deliveryEnded) { try await desk.ledger.delivery(try #require(goods.delivery)) }
    #expect(try await desk.ledger.auditLog().filter { $0.action == "move" }.count == 1)
    #expect(
      try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada).refusal == .claimedByAnotherCustomer)
    let refunded = LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 5))
    #expect(try await desk.owned(by: ben.customer) == [])
  }

  @Test("What cannot move is refused with a reason, and stays where it is", arguments: LedgerEngine.allCases)
  func refused(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: ada)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 2), for: ada)
    let nobody = CustomerID(rawValue: UUID())

    await #expect(throws: LedgerError.unknownClaim(TransactionID(9))) { try await move(desk, 9, to: ben.customer) }
    await #expect(throws: LedgerError.unknownCustomer(nobody)) { try await move(desk, 2, to: nobody) }
    await #expect(throws: LedgerError.self) { try await move(desk, 1, to: ben.customer) }
    let refunded = LedgerDesk.purchase(LedgerDesk.book, 2, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 5))
    await #expect(throws: LedgerError.self) { try await move(desk, 2, to: ben.customer) }

    #expect(try await desk.balance(of: ada.customer) == 5)
    #expect(try await desk.owned(by: ben.customer) == [])
    #expect(try await desk.ledger.auditLog().allSatisfy { $0.action != "move" })
  }
}
