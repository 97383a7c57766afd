import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Reading verifyReceipt answers about app receipts", .timeLimit(.minutes(30)))
struct AppReceiptAnswerTests {
  private func verified(_ answer: ScriptedReceiptServer.Answer) async throws -> VerifiedProof {
    try await ScriptedVerifier([answer]).verify()
  }

  @Test("G1 every relevant field is read, and the answer has the date of the request")
  func fields() async throws {
    let token = UUID()
    let proof = try await verified(
      StoreAnswer.app([
        StoreAnswer.purchase(
          "101",
          [
            "original_transaction_id": "100", "quantity": "3", "product_id": "tea",
            "purchase_date_ms": "1782910800000", "expires_date_ms": "1785502800000",
            "in_app_ownership_type": "FAMILY_SHARED", "app_account_token": token.uuidString.lowercased(),
          ])
      ]))
    #expect(
      proof.purchases == [
        ProvenPurchase(
          transactionID: try #require(TransactionID(rawValue: "101")),
          originalTransactionID: TransactionID(rawValue: "100"), productID: "tea", quantity: 3,
          purchaseDate: StoreDate(millisecondsSince1970: 1_782_910_800_000),
          originalPurchaseDate: StoreDate(millisecondsSince1970: StoreAnswer.bought),
          expiresDate: StoreDate(millisecondsSince1970: 1_785_502_800_000), ownership: .familyShared,
          appAccountToken: token)
      ])
    #expect(proof.statedDate == StoreDate(millisecondsSince1970: StoreAnswer.asked))
    #expect(proof.app == StoreAnswer.app)
    #expect(proof.environment == .production)
    #expect(proof.proof == ScriptedVerifier.receipt)
  }

  @Test("numbers may be JSON numbers, inapplicable fields may be null or empty, and unknown fields are ignored")
  func leniency() async throws {
    let strange: [String: Any] = [
      "quantity": 2, "transaction_id": 100, "purchase_date_ms": StoreAnswer.bought, "expires_date_ms": "",
      "cancellation_date_ms": NSNull(), "in_app_ownership_type": "BORROWED", "app_account_token": "",
      "novelty": ["deep": [1]], "original_transaction_id": NSNull(), "original_purchase_date_ms": NSNull(),
    ]
    let proof = try await verified(
      StoreAnswer.app([StoreAnswer.purchase("100", strange)], latest: NSNull(), answer: ["novelty": [1.5]]))
    #expect(
      proof.purchases == [
        ProvenPurchase(
          transactionID: TransactionID(100), productID: "org.example.teahouse.oolong", quantity: 2,
          purchaseDate: StoreDate(millisecondsSince1970: StoreAnswer.bought))
      ])
  }

  @Test("an answer without `environment` has the environment of its endpoint")
  func noEnvironment() async throws {
    #expect(try await verified(StoreAnswer.app(answer: ["environment": NSNull()])).environment == .production)
  }

  @Test("a receipt without purchases is valid")
  func empty() async throws { #expect(try await verified(StoreAnswer.app([])).purchases.isEmpty) }

  @Test("G6 a cancellation is a revocation with its reason, and without a percentage")
  func revocation() async throws {
    for (reason, expected) in [("1", 1), ("0", 0), (nil, nil)] as [(String?, Int64?)] {
      var fields: [String: Any] = ["cancellation_date_ms": "1782993600000"]
      fields["cancellation_reason"] = reason
      let proof = try await verified(StoreAnswer.app([StoreAnswer.purchase("100", fields)]))
      #expect(
        proof.purchases[0].revocation
          == .init(date: StoreDate(millisecondsSince1970: 1_782_993_600_000), reason: expected, percentage: nil))
    }
  }

  @Test("a plan that was replaced by an upgrade was not revoked: it ended")
  func upgraded() async throws {
    let fields: [String: Any] = [
      "cancellation_date_ms": "1782993600000", "is_upgraded": "true", "expires_date_ms": "1785502800000",
    ]
    let purchase = try await verified(StoreAnswer.app([StoreAnswer.purchase("100", fields)])).purchases[0]
    #expect(purchase.revocation == nil)
    #expect(purchase.expiresDate == StoreDate(millisecondsSince1970: 1_782_993_600_000))
  }

  @Test("in_app and latest_receipt_info are one list: each transaction once, with its last description")
  func merging() async throws {
    let refunded = StoreAnswer.purchase("101", ["cancellation_date_ms": "1782993600000"])
    let proof = try await verified(
      StoreAnswer.app(
        ["100", "101", "102"].map { StoreAnswer.purchase($0) },
        latest: [StoreAnswer.purchase("103"), refunded, StoreAnswer.purchase("100", ["quantity": "9"])]))
    #expect(proof.purchases.map(\.transactionID.rawValue) == ["100", "101", "102", "103"])
    #expect(proof.purchases.map(\.quantity) == [9, 1, 1, 1])
    #expect(proof.purchases.map { $0.revocation != nil } == [false, true, false, false])
  }

  @Test("A1 pending_renewal_info follows the last period of its subscription; one without a period is ignored")
  func renewals() async throws {
    let periods = ["101": 1, "102": 2].map { id, month in
      StoreAnswer.purchase(
        id,
        [
          "original_transaction_id": "101", "purchase_date_ms": String(StoreAnswer.bought + month * 1000),
          "expires_date_ms": String(StoreAnswer.bought + (month + 1) * 1000),
        ])
    }
    let pending: [[String: Any]] = [
      [
        "original_transaction_id": "101", "auto_renew_product_id": "green", "auto_renew_status": "1",
        "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": String(StoreAnswer.bought + 9000),
      ],
      ["original_transaction_id": "999", "auto_renew_status": "0"],
    ]
    let proof = try await verified(
      StoreAnswer.app([], latest: periods, answer: ["pending_renewal_info": pending]))
    #expect(
      proof.renewals == [
        TransactionID(101): ProvenRenewal(
          originalTransactionID: TransactionID(101), lastPeriod: TransactionID(102), productID: "green",
          isAutoRenewOn: true, isInBillingRetry: true,
          gracePeriodEnd: StoreDate(millisecondsSince1970: StoreAnswer.bought + 9000))
      ])
    // Of several elements, that of the last product is used; an unreadable one is ignored.
    let several = try await verified(
      StoreAnswer.app(
        [], latest: periods,
        answer: [
          "pending_renewal_info": [
            ["original_transaction_id": "101", "product_id": "org.example.teahouse.oolong", "auto_renew_status": "1"],
            ["original_transaction_id": "101", "product_id": "green", "auto_renew_status": "0"],
            ["original_transaction_id": "101", "auto_renew_status": "maybe"],
          ]
        ]))
    #expect(several.renewals[TransactionID(101)]?.isAutoRenewOn == true)
    #expect(several.purchases.count == 2)
    let unreadable = try await verified(
      StoreAnswer.app([], latest: periods, answer: ["pending_renewal_info": "none"]))
    #expect(unreadable.renewals.isEmpty && unreadable.purchases.count == 2)
    for value in ["none", [["original_transaction_id": "101", "auto_renew_status": "maybe"]]] as [Any] {
      let scripted = try ScriptedVerifier([
        StoreAnswer.app([], latest: periods, answer: ["pending_renewal_info": value])
      ])
      _ = try await scripted.verify()
      #expect(scripted.problems.all.map { $0.detail.contains("pending_renewal_info") } == [true])
    }
    // Old answers name only the product.
    let old = try await verified(
      StoreAnswer.app(
        [], latest: periods,
        answer: [
          "pending_renewal_info": [
            ["product_id": "org.example.teahouse.oolong", "auto_renew_status": "0", "expiration_intent": "1"]
          ]
        ]))
    #expect(
      old.renewals == [
        TransactionID(101): ProvenRenewal(
          originalTransactionID: TransactionID(101), lastPeriod: TransactionID(102),
          productID: "org.example.teahouse.oolong", isAutoRenewOn: false, expirationIntent: 1)
      ])
  }

  static let badValues: [(String, json: String)] = [
    ("quantity", #""0""#), ("quantity", #""-1""#), ("quantity", #""2147483648""#), ("quantity", #""many""#),
    ("quantity", "1.5"), ("quantity", "true"), ("product_id", #""""#), ("product_id", "null"),
    ("product_id", #"["a"]"#), ("transaction_id", #""""#), ("transaction_id", #""12x""#),
    ("transaction_id", #""123456789012345678901""#), ("transaction_id", "-5"), ("original_transaction_id", #""x""#),
    ("purchase_date_ms", #""""#), ("purchase_date_ms", #""2026-07-01""#), ("purchase_date_ms", #""-1""#),
    ("purchase_date_ms", #""253402300800000""#), ("purchase_date_ms", #""99999999999999999999""#),
    ("original_purchase_date_ms", #""x""#), ("expires_date_ms", #""never""#),
    ("cancellation_date_ms", #""yesterday""#), ("app_account_token", #""not-a-uuid""#),
  ]

  @Test("an unreadable required field is an error of the store, not a refusal", arguments: badValues)
  func unreadable(name: String, json: String) async throws {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    let scripted = try ScriptedVerifier([StoreAnswer.app([StoreAnswer.purchase("100", [name: value])])])
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(scripted.problems.all.first?.detail.contains(name) == true)
  }

  @Test(
    "an answer must contain the app of the receipt and its own date",
    arguments: ["bundle_id", "request_date_ms", "in_app"])
  func missing(name: String) async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app(receipt: [name: NSNull()])])
    #expect(await scripted.refusal()?.name == "storeUnavailable")
  }

  @Test("G6 an answer about another app's receipt is refused")
  func otherApp() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app(receipt: ["bundle_id": "org.example.coffeehouse"])])
    guard case .wrongApp(let detail)? = await scripted.refusal() else {
      Issue.record("it was not refused as another app's")
      return
    }
    #expect(detail.contains("org.example.coffeehouse"))
  }
}
