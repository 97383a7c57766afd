import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The answer of verifyReceipt to a subscription's receipt", .timeLimit(.minutes(30)))
struct RenewalAnswerTests {
  private struct Subscriber {
    let shop: TeaShop
    let phone: Phone
    let original: TransactionID
    let appReceipt: Data
    let legacyReceipt: Data
    let password: String

    init(rules: RenewalRules = RenewalRules()) async throws {
      shop = try await TeaShop.lasting()
      try await shop.store.setRenewalRules(rules, of: TeaShop.app)
      phone = try await shop.phone()
      let batch = try await shop.buy(TeaShop.monthly, on: phone)
      let delivery = try #require(batch.deliveries.first)
      original = try delivery.signed.transactionID
      appReceipt = try #require(batch.receipt)
      legacyReceipt = try #require(delivery.transactionReceipt)
      password = try await shop.store.app(TeaShop.app).sharedSecret
    }

    func advance(days: Int64) async throws {
      try await shop.store.changeClock(.advance(milliseconds: days * 86_400_000))
    }

    func setPaymentMethod(_ method: Customer.PaymentMethod) async throws {
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = method }
    }

    func answer(excludesOldTransactions: Bool? = nil) async throws -> VerifyReceiptAnswer {
      try await VerifyReceiptAnswer(
        shop, appReceipt, password: password, excludesOldTransactions: excludesOldTransactions)
    }

    func legacyAnswer() async throws -> VerifyReceiptAnswer {
      try await VerifyReceiptAnswer(shop, legacyReceipt, password: password)
    }
  }

  @Test("A1 an old receipt shows every renewal since, newest first, and the renewal information")
  func renewals() async throws {
    let subscriber = try await Subscriber()
    try await subscriber.advance(days: 95)
    let answer = try await subscriber.answer()
    #expect(answer.status == 0)
    #expect(answer.inApp.count == 1)
    let records = try await subscriber.shop.store.transactions().map(\.record)
    #expect(records.count == 4)
    #expect(answer.latest.map { $0["transaction_id"] } == records.map(\.transactionID.rawValue))
    #expect(answer.latest.allSatisfy { $0["original_transaction_id"] == subscriber.original.rawValue })
    #expect(answer.latest.first?["expires_date"] == "2026-11-01 12:00:00 Etc/GMT")
    #expect(answer.latest.allSatisfy { $0["subscription_group_identifier"] != nil && $0["is_upgraded"] == nil })
    #expect(
      answer.pending == [
        [
          "auto_renew_product_id": TeaShop.monthly.rawValue, "auto_renew_status": "1",
          "original_transaction_id": subscriber.original.rawValue, "product_id": TeaShop.monthly.rawValue,
        ]
      ])
  }

  @Test("A1 latest_receipt is a genuine receipt for the same device, with all current transactions")
  func latestReceipt() async throws {
    let subscriber = try await Subscriber()
    try await subscriber.advance(days: 40)
    let latest = try #require(try await subscriber.answer().latestReceipt)
    let verifier = SignedDataVerifier(anchors: try subscriber.shop.store.authority.anchors)
    let old = try await verifier.verifyAppReceipt(subscriber.appReceipt).value
    let new = try await verifier.verifyAppReceipt(latest).value
    #expect(new.isIssued(for: .vendorIdentifier(subscriber.phone.vendorID)))
    #expect(new.creationDate > old.creationDate)
    #expect((old.inAppPurchases.count, new.inAppPurchases.count) == (1, 2))
    let again = try await VerifyReceiptAnswer(subscriber.shop, latest, password: subscriber.password)
    #expect(again.status == 0 && again.inApp.count == 2)
  }

  @Test("A1 exclude-old-transactions leaves the newest transaction of each subscription")
  func excludesOld() async throws {
    let subscriber = try await Subscriber()
    try await subscriber.advance(days: 95)
    let answer = try await subscriber.answer(excludesOldTransactions: true)
    #expect(answer.latest.map { $0["expires_date"] } == ["2026-11-01 12:00:00 Etc/GMT"])
    #expect(try await subscriber.answer(excludesOldTransactions: false).latest.count == 4)
  }

  @Test("A1 in a grace period, in billing retry and after it: pending_renewal_info follows")
  func billing() async throws {
    let subscriber = try await Subscriber(rules: RenewalRules(gracePeriod: .standard))
    try await subscriber.setPaymentMethod(.declined)
    try await subscriber.advance(days: 35)
    let grace = try #require(try await subscriber.answer().pending.first)
    #expect(grace["grace_period_expires_date"] == "2026-08-17 12:00:00 Etc/GMT")
    #expect(grace["is_in_billing_retry_period"] == "1" && grace["expiration_intent"] == nil)
    try await subscriber.advance(days: 15)
    let retry = try #require(try await subscriber.answer().pending.first)
    #expect(retry["grace_period_expires_date"] == nil)
    #expect(retry["is_in_billing_retry_period"] == "1" && retry["expiration_intent"] == "2")
    #expect(retry["auto_renew_status"] == "1")
    try await subscriber.advance(days: 60)
    let expired = try #require(try await subscriber.answer().pending.first)
    #expect(expired["is_in_billing_retry_period"] == "0" && expired["expiration_intent"] == "2")
    #expect(expired["auto_renew_status"] == "0")
    #expect(try await subscriber.answer().latest.count == 1)
  }

  @Test("A1 a legacy receipt of an active subscription is answered with its newest transaction")
  func legacy() async throws {
    let subscriber = try await Subscriber()
    try await subscriber.advance(days: 40)
    let answer = try await subscriber.legacyAnswer()
    #expect(answer.status == 0)
    #expect(answer.transaction["transaction_id"] == subscriber.original.rawValue)
    let latest = try #require(answer.json["latest_receipt_info"] as? [String: String])
    #expect(latest["transaction_id"] != subscriber.original.rawValue)
    #expect(latest["original_transaction_id"] == subscriber.original.rawValue)
    #expect(latest["expires_date_formatted"] == "2026-09-01 12:00:00 Etc/GMT")
    #expect(answer.json["auto_renew_status"] as? Int == 1)
    #expect(answer.json["auto_renew_product_id"] as? String == TeaShop.monthly.rawValue)
    let current = try UnverifiedLegacyReceipt(try #require(answer.latestReceipt)).receipt
    #expect(current.transactionID.rawValue == latest["transaction_id"])
  }

  @Test("A1 21006: a legacy receipt of a subscription that has expired, not of one in its grace period")
  func expired() async throws {
    let subscriber = try await Subscriber(rules: RenewalRules(gracePeriod: .standard))
    try await subscriber.setPaymentMethod(.declined)
    try await subscriber.advance(days: 35)
    #expect(try await subscriber.legacyAnswer().status == 0)
    try await subscriber.advance(days: 100)
    let answer = try await subscriber.legacyAnswer()
    #expect(answer.status == 21006)
    #expect(answer.json["latest_receipt"] == nil && answer.json["latest_receipt_info"] == nil)
    let latest = try #require(answer.json["latest_expired_receipt_info"] as? [String: String])
    #expect(latest["transaction_id"] == subscriber.original.rawValue)
    #expect(answer.transaction["transaction_id"] == subscriber.original.rawValue)
    #expect(answer.json["expiration_intent"] as? String == "2")
    #expect(answer.json["auto_renew_status"] as? Int == 0)
  }
}
