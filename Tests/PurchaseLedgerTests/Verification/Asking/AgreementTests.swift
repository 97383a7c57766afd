import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// The table "The answer and the signed receipt" of Documentation/verification.md.
@Suite("The store's answer compared with the signed receipt", .timeLimit(.minutes(10)))
struct AgreementTests {
  /// What an answer says otherwise than the receipt.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout [String: Any]) -> Void
    /// Whether it is added to the answer instead of taking the place of the purchase.
    var isAdded = false
    /// Under `both`: how many purchases are believed; nil for `storeUnavailable`.
    let believed: Int?
  }

  private static let rows = [
    Row(testDescription: "nothing", change: { _ in }, believed: 1),
    Row(testDescription: "a refund", change: { $0["cancellation_date_ms"] = "1782907300000" }, believed: 1),
    Row(testDescription: "the quantity", change: { $0["quantity"] = "99" }, believed: nil),
    Row(testDescription: "the product", change: { $0["product_id"] = "org.example.teahouse.pot" }, believed: nil),
    Row(testDescription: "the purchase date", change: { $0["purchase_date_ms"] = "1782900000000" }, believed: nil),
    Row(
      testDescription: "the original purchase date", change: { $0["original_purchase_date_ms"] = "1782900000000" },
      believed: nil),
    Row(
      testDescription: "the original transaction", change: { $0["original_transaction_id"] = "5" }, believed: nil),
    Row(
      testDescription: "a transaction that the receipt lacks",
      change: { ($0["transaction_id"], $0["original_transaction_id"]) = ("5", "5") }, isAdded: true, believed: 1),
    Row(
      testDescription: "a period of a subscription that the receipt lacks",
      change: {
        ($0["transaction_id"], $0["original_transaction_id"], $0["expires_date_ms"]) = ("5", "5", "1792907300000")
      }, isAdded: true, believed: 1),
  ]

  @Test(
    "G1 G4 under both, what differs is not believed; verifyReceipt takes the store's word, offline never asks",
    arguments: rows, [StoreEnvironment.production, .sandbox])
  func content(row: Row, environment: StoreEnvironment) async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone(in: environment))
    let proof = PurchaseProof.appReceipt(bought.appReceipt)
    let signed = try #require(
      try await shop.verifier(.offline).verify(proof, for: TeaStore.app).purchases.first)
    let fields: [String: Any] = [
      "quantity": "\(signed.quantity)", "product_id": signed.productID.rawValue,
      "transaction_id": signed.transactionID.rawValue,
      "original_transaction_id": signed.originalTransactionID.rawValue,
      "purchase_date_ms": "\(signed.purchaseDate.millisecondsSince1970)",
      "original_purchase_date_ms": "\(signed.originalPurchaseDate.millisecondsSince1970)",
    ]
    var changed = fields
    row.change(&changed)
    let answer = StoreAnswer.app(
      row.isAdded ? [fields, changed] : [changed], answer: ["environment": environment.rawValue])
    let inSandbox = environment == .sandbox
    func counter(_ anchors: Bool) throws -> Counter {
      try Counter(
        inSandbox ? [.status(21007)] : [answer], sandbox: inSandbox ? [answer] : [],
        anchors: anchors ? shop.anchors : nil)
    }

    let both = try counter(true)
    if let believed = row.believed {
      let verified = try await both.verify(proof)
      #expect(verified.purchases.count == believed)
      #expect(verified.purchases.first?.transactionID == signed.transactionID)
      #expect(verified.purchases.first?.quantity == signed.quantity)
      #expect(both.troubles.all.isEmpty == !row.isAdded)
    } else {
      #expect(await both.refusal(proof)?.name == "storeUnavailable")
      #expect(both.troubles.all.contains { $0.detail.contains("differ in") })
    }
    #expect(try await counter(false).verify(proof).purchases.count == (row.isAdded ? 2 : 1))
    #expect(try await shop.verifier(.offline).verify(proof, for: TeaStore.app).purchases == [signed])
  }

  @Test("G1 a later period of a subscription that the receipt has is believed under both")
  func laterPeriod() throws {
    func period(_ id: UInt64, _ original: UInt64) -> ProvenPurchase {
      ProvenPurchase(
        transactionID: TransactionID(id), originalTransactionID: TransactionID(original), productID: "plan",
        purchaseDate: LedgerDesk.start, expiresDate: LedgerDesk.start.adding(seconds: 60))
    }
    let statement = StoreStatement(
      environment: .production, statedDate: LedgerDesk.start, purchases: [period(1, 1), period(2, 1), period(3, 3)],
      vendorIdentifier: nil)
    let (agreed, dropped) = try statement.agreeing(with: LedgerDesk.proof([period(1, 1)]))
    #expect(agreed.purchases == [period(1, 1), period(2, 1)])
    #expect(dropped == [TransactionID(3)])
  }
}
