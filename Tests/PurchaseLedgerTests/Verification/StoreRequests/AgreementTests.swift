import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the table "The answer and the signed receipt" of Documentation/verification.md.
@Suite("Comparing the store's answer with the signed receipt", .timeLimit(.minutes(30)))
struct AgreementTests {
  /// A difference between the store's answer and the receipt.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout [String: Any]) -> Void
    /// Whether the changed purchase is added to the answer instead of replacing the purchase.
    var isAdded = false
    /// The number of purchases that the policy `both` accepts; nil for `storeUnavailable`.
    let accepted: Int?
    /// The credits that a ledger grants with the policies `both` and `verifyReceipt`. With `offline` it grants 1.
    let given: (both: Int64, verifyReceipt: Int64)
  }

  private static let rows = [
    Row(testDescription: "nothing", change: { _ in }, accepted: 1, given: (1, 1)),
    Row(
      testDescription: "a refund", change: { $0["cancellation_date_ms"] = "1782907300000" }, accepted: 1, given: (0, 0)),
    Row(testDescription: "the quantity", change: { $0["quantity"] = "99" }, accepted: nil, given: (0, 99)),
    Row(
      testDescription: "the product", change: { $0["product_id"] = "org.example.teahouse.pot" }, accepted: nil,
      given: (0, 0)),
    Row(
      testDescription: "the purchase date", change: { $0["purchase_date_ms"] = "1782900000000" }, accepted: nil,
      given: (0, 1)),
    Row(
      testDescription: "the original purchase date", change: { $0["original_purchase_date_ms"] = "1782900000000" },
      accepted: nil, given: (0, 1)),
    Row(
      testDescription: "the original transaction", change: { $0["original_transaction_id"] = "5" }, accepted: nil,
      given: (0, 1)),
    Row(
      testDescription: "a transaction that the receipt lacks",
      change: { ($0["transaction_id"], $0["original_transaction_id"]) = ("5", "5") }, isAdded: true, accepted: 1,
      given: (1, 2)),
    Row(
      testDescription: "the expiration date", change: { $0["expires_date_ms"] = "221845392000000" }, accepted: 1,
      given: (1, 1)),
    Row(
      testDescription: "the ownership", change: { $0["in_app_ownership_type"] = "FAMILY_SHARED" }, accepted: 1,
      given: (1, 1)),
    Row(
      testDescription: "a period of a subscription that the receipt lacks",
      change: {
        ($0["transaction_id"], $0["original_transaction_id"], $0["expires_date_ms"]) = ("6", "6", "1792907300000")
      }, isAdded: true, accepted: 1, given: (1, 2)),
  ]

  /// Buys a consumable, and makes the store's answer for its receipt with the difference of `row`.
  private func bought(
    _ row: Row, as payment: PaymentID, on phone: TeaStore.Phone, of shop: TeaStore, _ environment: StoreEnvironment
  ) async throws -> (proof: PurchaseProof, signed: ProvenPurchase, answer: ScriptedReceiptServer.Answer) {
    let purchase = try await shop.buy(as: payment, on: phone)
    let proof = PurchaseProof.appReceipt(purchase.appReceipt)
    let signed = try #require(
      try await shop.verifier(.offline).verify(proof, for: TeaStore.app).purchases.first {
        $0.transactionID == purchase.id
      })
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
    return (proof, signed, answer)
  }

  /// Returns a verifier with the policy `both` if `anchors` are given, and with `verifyReceipt` otherwise.
  private func scripted(
    _ answer: ScriptedReceiptServer.Answer, _ environment: StoreEnvironment, anchors: TrustAnchors?
  ) throws -> ScriptedVerifier {
    let inSandbox = environment == .sandbox
    return try ScriptedVerifier(
      inSandbox ? [.status(21007)] : [answer], sandbox: inSandbox ? [answer] : [], anchors: anchors
    ) { $0.retries = 0 }
  }

  enum Policy: CaseIterable { case offline, verifyReceipt, both }

  @Test(
    "G1 G4 F1 the credits of each row, under each policy, on both databases",
    arguments: LedgerEngine.allCases,
    Policy.allCases.flatMap { policy in
      [StoreEnvironment.production, .sandbox].map { (policy, $0) }
    })
  func given(engine: LedgerEngine, from: (policy: Policy, environment: StoreEnvironment)) async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone(in: from.environment)
    let ledger = try await Ledger(
      database: engine.makeDatabase(), anchors: shop.anchors, apps: [TeaStore.app: LedgerSettings()], clock: shop.clock)
    try await ledger.publish(
      LedgerProduct(
        id: TeaStore.oolong, type: .consumable, credits: LedgerProduct.Credits(unit: TestLedger.coin, amount: 1)),
      app: TeaStore.app, by: "olga")
    for (index, row) in Self.rows.enumerated() {
      let (proof, signed, answer) = try await bought(
        row, as: PaymentID("payment \(index)"), on: phone, of: shop, from.environment)
      let verifier =
        switch from.policy {
        case .offline: try shop.verifier(.offline)
        case .verifyReceipt: try scripted(answer, from.environment, anchors: nil).verifier
        case .both: try scripted(answer, from.environment, anchors: shop.anchors).verifier
        }
      let customer = try await ledger.identify(subject: "customer \(index)")
      // Also redeems the transactions that some answers add.
      let ids = [signed.transactionID, TransactionID(5), TransactionID(6)]
      do {
        let verified = try await verifier.verify(proof, for: TeaStore.app)
        _ = try await ledger.redeem(
          verified, .purchases(ids.map { RedemptionRequest.Item(transactionID: $0) }), for: customer)
      } catch let refusal as ProofRefusal {
        #expect(from.policy == .both && row.accepted == nil && refusal.name == "storeUnavailable")
      }
      let credits = try await ledger.creditBalances(of: customer.customer, app: TeaStore.app).credits
      let expected =
        switch from.policy {
        case .offline: Int64(1)
        case .verifyReceipt: row.given.verifyReceipt
        case .both: row.given.both
        }
      #expect(credits.first?.balance ?? 0 == expected, "\(row.testDescription)")
    }
  }

  @Test(
    "G1 G4 under both, differences are not accepted; verifyReceipt uses the store's answer; offline sends no request",
    arguments: rows, [StoreEnvironment.production, .sandbox])
  func content(row: Row, environment: StoreEnvironment) async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone(in: environment)
    let (proof, signed, answer) = try await bought(row, as: "payment 1", on: phone, of: shop, environment)

    let both = try scripted(answer, environment, anchors: shop.anchors)
    if let accepted = row.accepted {
      let verified = try await both.verify(proof)
      #expect(verified.purchases.count == accepted)
      #expect(verified.purchases.first?.transactionID == signed.transactionID)
      #expect(verified.purchases.first?.quantity == signed.quantity)
      #expect(both.problems.all.isEmpty == !row.isAdded)
    } else {
      #expect(await both.refusal(proof)?.name == "storeUnavailable")
      #expect(both.problems.all.contains { $0.detail.contains("differ in") })
    }
    let asking = try scripted(answer, environment, anchors: nil)
    #expect(try await asking.verify(proof).purchases.count == (row.isAdded ? 2 : 1))
    #expect(try await shop.verifier(.offline).verify(proof, for: TeaStore.app).purchases == [signed])
  }

  private func period(
    _ id: UInt64, _ original: UInt64, _ product: ProductID = "plan", days: Int64 = 30
  ) -> ProvenPurchase {
    ProvenPurchase(
      transactionID: TransactionID(id), originalTransactionID: TransactionID(original), productID: product,
      purchaseDate: TestLedger.start, expiresDate: TestLedger.start.adding(seconds: days * 86_400))
  }

  private func agreed(
    _ answer: [ProvenPurchase], with signed: [ProvenPurchase]
  ) throws -> (purchases: [ProvenPurchase], unexplained: [TransactionID]) {
    let statement = VerifiedAnswer(
      environment: .production, statedDate: TestLedger.start, purchases: answer, renewals: [:], vendorIdentifier: nil)
    let (agreed, unexplained) = try statement.agreeing(with: TestLedger.proof(signed))
    // The dates have a test of their own.
    let purchases = agreed.purchases.map { purchase in
      var purchase = purchase
      purchase.statedDate = nil
      return purchase
    }
    return (purchases, unexplained)
  }

  @Test("G6 under both, a subscription in the receipt adds no later transactions")
  func addedToSubscription() throws {
    let everlasting = ProvenPurchase(
      transactionID: TransactionID(5), originalTransactionID: TransactionID(1), productID: "book",
      purchaseDate: TestLedger.start)
    var thousand = period(6, 1, "coins")
    thousand.quantity = 1_000
    let result = try agreed(
      [period(1, 1), period(2, 1), period(3, 3), period(4, 1, "coins"), everlasting, thousand], with: [period(1, 1)])
    #expect(result.purchases == [period(1, 1)])
    // Later periods of a known subscription are expected, also of another plan, because the receipt is older than they are.
    #expect(result.unexplained == [3, 5].map { TransactionID($0) })
  }

  @Test("G6 under both, a signed period keeps its expiration date and owner; an upgrade ends it earlier")
  func signedPeriod() throws {
    var (forged, signed) = (period(1, 1, days: 100_000), period(1, 1))
    (forged.ownership, signed.ownership) = (.familyShared, .purchased)
    #expect(try agreed([forged], with: [signed]).purchases == [signed])
    var endless = period(1, 1)
    endless.expiresDate = nil
    #expect(try agreed([endless], with: [period(1, 1)]).purchases == [period(1, 1)])
    #expect(try agreed([period(1, 1, days: 3)], with: [period(1, 1)]).purchases == [period(1, 1, days: 3)])
  }

  @Test("A1 under both, the answer says how the customer got a purchase, because an app receipt does not")
  func ownership() throws {
    var (answer, expected) = (period(1, 1, days: 100_000), period(1, 1))
    (answer.ownership, expected.ownership) = (.familyShared, .familyShared)
    #expect(try agreed([answer], with: [period(1, 1)]).purchases == [expected])
  }

  @Test("G6 under both, an answer cannot reverse a signed refund")
  func signedRefund() throws {
    var refunded = period(1, 1)
    refunded.revocation = ProvenPurchase.Revocation(date: TestLedger.start)
    #expect(try agreed([period(1, 1)], with: [refunded]).purchases == [refunded])
  }

  @Test("A1 under both, a grace period is limited to 28 days after a signed period, and not believed after another one")
  func gracePeriod() throws {
    let signed = TestLedger.proof([period(1, 1)])
    func graceEnd(after last: UInt64, days: Int64) throws -> StoreDate? {
      let renewal = ProvenRenewal(
        originalTransactionID: TransactionID(1), lastPeriod: TransactionID(last), productID: "plan",
        isAutoRenewOn: true, isInBillingRetry: true, gracePeriodEnd: TestLedger.start.adding(seconds: days * 86_400))
      let statement = VerifiedAnswer(
        environment: .production, statedDate: TestLedger.start, purchases: [period(1, 1), period(2, 1, days: 60)],
        renewals: [TransactionID(1): renewal], vendorIdentifier: nil)
      return try statement.agreeing(with: signed).answer.renewals[TransactionID(1)]?.gracePeriodEnd
    }
    #expect(try graceEnd(after: 1, days: 46) == TestLedger.start.adding(seconds: 46 * 86_400))
    #expect(try graceEnd(after: 1, days: 400) == TestLedger.start.adding(seconds: 58 * 86_400))
    #expect(try graceEnd(after: 2, days: 70) == nil)
  }

  @Test("G6 under both, the upgrade of a plan is no refund, although the receipt has its date as one")
  func upgrade() throws {
    let date = TestLedger.start.adding(seconds: 600)
    func agreed(_ signed: ProvenPurchase, replaced: StoreDate) throws -> ProvenPurchase {
      var signed = signed
      signed.revocation = ProvenPurchase.Revocation(date: date)
      var answer = signed
      (answer.revocation, answer.replacedDate, answer.expiresDate) = (nil, replaced, replaced)
      let statement = VerifiedAnswer(
        environment: .production, statedDate: TestLedger.start.adding(seconds: 1_000), purchases: [answer],
        renewals: [:], vendorIdentifier: nil)
      return try statement.agreeing(with: TestLedger.proof([signed], stated: 5)).answer.purchases[0]
    }
    let upgraded = try agreed(period(1, 1), replaced: date)
    #expect(upgraded.revocation == nil && upgraded.expiresDate == date && upgraded.statedDate == nil)
    // The answer is not signed: it can turn neither another refund nor that of a consumable into an upgrade.
    #expect(try agreed(period(1, 1), replaced: date.adding(seconds: 1)).revocation != nil)
    #expect(try agreed(TestLedger.purchase(TestLedger.coins, 1), replaced: date).revocation != nil)
  }

  @Test(
    "G6 under both, an old receipt that the answer contradicts keeps its own date, so that it replaces nothing newer")
  func oldReceipt() throws {
    func stated(_ signed: ProvenPurchase, _ answer: ProvenPurchase) throws -> StoreDate? {
      let statement = VerifiedAnswer(
        environment: .production, statedDate: TestLedger.start.adding(seconds: 1_000), purchases: [answer],
        renewals: [:], vendorIdentifier: nil)
      return try statement.agreeing(with: TestLedger.proof([signed], stated: 5)).answer.purchases[0].statedDate
    }
    let old = TestLedger.start.adding(seconds: 5)
    var refunded = period(1, 1)
    refunded.revocation = ProvenPurchase.Revocation(date: TestLedger.start)
    #expect(try stated(period(1, 1), period(1, 1)) == nil)
    // Extended since.
    #expect(try stated(period(1, 1), period(1, 1, days: 60)) == old)
    // The refund was reversed since.
    #expect(try stated(refunded, period(1, 1)) == TestLedger.start)
    // A new refund is as new as the answer.
    #expect(try stated(period(1, 1), refunded) == nil)
    #expect(try stated(refunded, refunded) == nil)
  }
}
