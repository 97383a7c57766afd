import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Redeeming an item that the customer has claimed before", .timeLimit(.minutes(30)))
struct ClaimedBeforeTests {
  private static let receiptWithoutIt = TestLedger.proof([TestLedger.purchase(TestLedger.book, 9)], stated: 5)
  private let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!

  @Test(
    "B9 a consumable that the receipt no longer lists is answered from its claim",
    arguments: LedgerEngine.allCases
  )
  func finished(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let coins = TestLedger.purchase(TestLedger.coins, 1)
    let first = try await fixture.redeem(coins, for: ada)
    let request = RedemptionRequest.purchases([
      .init(transactionID: coins.transactionID, productID: TestLedger.coins), .init(transactionID: TransactionID(77)),
    ])

    let again = try await fixture.ledger.redeem(Self.receiptWithoutIt, request, for: ada)
    let other = try await fixture.ledger.redeem(Self.receiptWithoutIt, request, for: ben)

    #expect(again.purchases.map(\.outcome) == [first, .refused(.notInProof)])
    #expect(again.purchases.first?.outcome.given?.isNew == false)
    #expect(other.purchases.map(\.outcome) == [.refused(.notInProof), .refused(.notInProof)])
    #expect(try await fixture.balance(of: ada.customer) == 5)
    try await fixture.checkBalances()
  }

  @Test("B9 a later refund is answered, and another product is refused", arguments: LedgerEngine.allCases)
  func refundedSince(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    let refunded = TestLedger.purchase(TestLedger.coins, 1, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 4))

    let answer = try await fixture.ledger.redeem(
      Self.receiptWithoutIt,
      .purchases([
        .init(transactionID: TransactionID(1)), .init(transactionID: TransactionID(1), productID: TestLedger.book),
      ]), for: ada)

    #expect(
      answer.purchases.map(\.outcome.refusal) == [.refunded(TestLedger.start), .otherProduct(TestLedger.coins)])
  }

  @Test(
    "The stored proof stays the one that lists the purchase", arguments: LedgerEngine.allCases)
  func proofStays(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(reverificationSeconds: 3600))
    let ada = try await fixture.identified("ada")
    let coins = TestLedger.purchase(TestLedger.coins, 1)
    let old = PurchaseProof.appReceipt(Data("lists the coins".utf8))
    let request = RedemptionRequest.purchases([.init(transactionID: coins.transactionID)])
    _ = try await fixture.ledger.redeem(TestLedger.proof([coins], as: old), request, for: ada)
    _ = try await fixture.ledger.redeem(Self.receiptWithoutIt, request, for: ada)
    fixture.clock.advance(seconds: 3600)

    #expect(try await fixture.ledger.takeDueProofs().map(\.proof) == [old])
  }
}
