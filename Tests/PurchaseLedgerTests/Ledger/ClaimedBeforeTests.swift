import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Redeeming what the customer has claimed before", .timeLimit(.minutes(10)))
struct ClaimedBeforeTests {
  private static let receiptWithoutIt = LedgerDesk.proof([LedgerDesk.purchase(LedgerDesk.book, 9)], stated: 5)
  private let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!

  @Test(
    "B9 a consumable that the receipt does not list any more is answered from its claim",
    arguments: LedgerEngine.allCases
  )
  func finished(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 1)
    let first = try await desk.redeem(coins, for: ada)
    let request = RedemptionRequest.purchases([
      .init(transactionID: coins.transactionID, productID: LedgerDesk.coins), .init(transactionID: TransactionID(77)),
    ])

    let again = try await desk.ledger.redeem(Self.receiptWithoutIt, request, for: ada)
    let other = try await desk.ledger.redeem(Self.receiptWithoutIt, request, for: ben)

    #expect(again.purchases.map(\.outcome) == [first, .refused(.notInProof)])
    #expect(again.purchases.first?.outcome.given?.isNew == false)
    #expect(other.purchases.map(\.outcome) == [.refused(.notInProof), .refused(.notInProof)])
    #expect(try await desk.balance(of: ada.customer) == 5)
    try await desk.checkBooks()
  }

  @Test("B9 a refund since then is answered, and another product refused", arguments: LedgerEngine.allCases)
  func refundedSince(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: ada)
    let refunded = LedgerDesk.purchase(LedgerDesk.coins, 1, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 4))

    let answer = try await desk.ledger.redeem(
      Self.receiptWithoutIt,
      .purchases([
        .init(transactionID: TransactionID(1)), .init(transactionID: TransactionID(1), productID: LedgerDesk.book),
      ]), for: ada)

    #expect(
      answer.purchases.map(\.outcome.refusal) == [.refunded(LedgerDesk.start), .otherProduct(LedgerDesk.coins)])
  }

  @Test(
    "The proof that the store is asked about stays the one that lists the purchase", arguments: LedgerEngine.allCases)
  func proofStays(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, LedgerSettings(reverificationSeconds: 3600))
    let ada = try await desk.identified("ada")
    let coins = LedgerDesk.purchase(LedgerDesk.coins, 1)
    let old = PurchaseProof.appReceipt(Data("lists the coins".utf8))
    let request = RedemptionRequest.purchases([.init(transactionID: coins.transactionID)])
    _ = try await desk.ledger.redeem(LedgerDesk.proof([coins], as: old), request, for: ada)
    _ = try await desk.ledger.redeem(Self.receiptWithoutIt, request, for: ada)
    desk.clock.advance(seconds: 3600)

    #expect(try await desk.ledger.takeDueProofs().map(\.proof) == [old])
  }
}
