import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The answer of verifyReceipt", .timeLimit(.minutes(30)))
struct VerifyReceiptResponseTests {
  @Test("G1 the whole answer to a seeded purchase in the sandbox, byte for byte")
  func sandbox() async throws {
    let shop = try await TeaShop(seed: 7)
    let phone = try await shop.phone(version: "3.1")
    let data = try #require(try await shop.buy(quantity: 2, on: phone).receipt)
    let id = shop.store.epoch.rawValue + "000000001"
    shop.clock.advance(seconds: 90)
    let body = try JSONSerialization.data(withJSONObject: ["receipt-data": data.base64EncodedString()])
    let answer = try await shop.store.verifyReceipt(body, at: .sandbox).body
    let inApp =
      "{\"quantity\":\"2\",\"product_id\":\"org.example.teahouse.oolong\",\"transaction_id\":\"\(id)\","
      + "\"original_transaction_id\":\"\(id)\",\"purchase_date\":\"2026-07-01 12:00:00 Etc/GMT\","
      + "\"purchase_date_ms\":\"1782907200000\",\"purchase_date_pst\":\"2026-07-01 05:00:00 America/Los_Angeles\","
      + "\"original_purchase_date\":\"2026-07-01 12:00:00 Etc/GMT\",\"original_purchase_date_ms\":\"1782907200000\","
      + "\"original_purchase_date_pst\":\"2026-07-01 05:00:00 America/Los_Angeles\","
      + "\"in_app_ownership_type\":\"PURCHASED\",\"is_trial_period\":\"false\"}"
    let receipt =
      "{\"receipt_type\":\"ProductionSandbox\",\"adam_id\":0,\"app_item_id\":0,"
      + "\"bundle_id\":\"org.example.teahouse\",\"application_version\":\"3.1\",\"download_id\":0,"
      + "\"version_external_identifier\":0,\"receipt_creation_date\":\"2026-07-01 12:00:00 Etc/GMT\","
      + "\"receipt_creation_date_ms\":\"1782907200000\","
      + "\"receipt_creation_date_pst\":\"2026-07-01 05:00:00 America/Los_Angeles\","
      + "\"request_date\":\"2026-07-01 12:01:30 Etc/GMT\",\"request_date_ms\":\"1782907290250\","
      + "\"request_date_pst\":\"2026-07-01 05:01:30 America/Los_Angeles\","
      + "\"original_purchase_date\":\"2013-08-01 07:00:00 Etc/GMT\",\"original_purchase_date_ms\":\"1375340400000\","
      + "\"original_purchase_date_pst\":\"2013-08-01 00:00:00 America/Los_Angeles\","
      + "\"original_application_version\":\"1.0\",\"in_app\":[\(inApp)]}"
    let expected = "{\"status\":0,\"environment\":\"Sandbox\",\"receipt\":\(receipt)}"
    #expect(String(decoding: answer, as: UTF8.self) == expected)
  }

  @Test(
    "G6 receipts from before a reset get 21010, for their refunds are forgotten; those of a restored snapshot get 0")
  func earlierEpoch() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let batch = try await shop.buy(on: phone)
    let receipts = [try #require(batch.receipt), try #require(batch.deliveries.first?.transactionReceipt)]
    let snapshot = try await shop.store.snapshot()
    try await shop.store.refund(try await shop.newestTransaction().record.transactionID)
    _ = try await shop.store.reset()
    for receipt in receipts {
      #expect(try await VerifyReceiptAnswer(shop, receipt, at: .sandbox).status == 21010)
    }
    try await shop.store.restore(snapshot)
    for receipt in receipts {
      #expect(try await VerifyReceiptAnswer(shop, receipt, at: .sandbox).status == 0)
    }
  }

  @Test("G1 in production the app's number and its real first installation are shown")
  func production() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: .production, version: "3.1")
    let data = try #require(try await shop.buy(on: phone).receipt)
    let answer = try await VerifyReceiptAnswer(shop, data, at: .production)
    let appAppleID = try await shop.store.app(TeaShop.app).appAppleID
    #expect(appAppleID > 0)
    #expect(answer.receipt["adam_id"] as? Int64 == appAppleID)
    #expect(answer.receipt["app_item_id"] as? Int64 == appAppleID)
    #expect(answer.receipt["receipt_type"] as? String == "Production")
    let receipt = try UnverifiedAppReceipt(data).receipt
    #expect(answer.receipt["download_id"] as? Int64 == receipt.downloadID)
    #expect(answer.receipt["version_external_identifier"] as? Int64 == receipt.versionExternalIdentifier)
    for number in [receipt.downloadID, receipt.versionExternalIdentifier, receipt.developerID] {
      #expect(number.map { $0 > 0 } == true)
    }
    #expect(receipt.inAppPurchases.first?.itemID.map { $0 > 0 } == true)
    #expect(answer.receipt["original_purchase_date"] as? String == "2026-07-01 12:00:00 Etc/GMT")
    #expect(answer.receipt["original_application_version"] as? String == "3.1")
  }

  @Test("G1 a receipt without purchases has an empty in_app")
  func empty() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: .production)
    let data = try #require(try await shop.store.unfinished(for: phone.id).receipt)
    let answer = try await VerifyReceiptAnswer(shop, data, at: .production)
    #expect((answer.receipt["in_app"] as? [Any])?.isEmpty == true)
  }

  @Test("G1 a receipt lists what it was made with, also after the purchase was finished")
  func afterFinish() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let data = try #require(try await shop.buy(on: phone).receipt)
    try await shop.store.finish(try await shop.newestTransaction().record.transactionID, for: phone.id)
    #expect(try await VerifyReceiptAnswer(shop, data).inApp.count == 1)
  }

  @Test("G6 a refund after the receipt was made is seen in it")
  func refundedLater() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let data = try #require(try await shop.buy(on: phone).receipt)
    try await shop.store.database.write { work in
      let database = work.database
      try database.execute(
        sql: "UPDATE transactionRecord SET revocationDate = 1782910800000, revocationReason = 1")
    }
    let purchase = try #require(try await VerifyReceiptAnswer(shop, data).inApp.first)
    #expect(purchase["cancellation_date"] == "2026-07-01 13:00:00 Etc/GMT")
    #expect(purchase["cancellation_date_ms"] == "1782910800000")
    #expect(purchase["cancellation_date_pst"] == "2026-07-01 06:00:00 America/Los_Angeles")
    #expect(purchase["cancellation_reason"] == "1")
  }

  private func subscription() -> TransactionRecord {
    let date = TeaShop.opening.wholeSeconds
    var record = TransactionRecord(
      environment: .sandbox, bundleID: TeaShop.app, transactionID: TransactionID(2),
      originalTransactionID: TransactionID(1), productID: "club", type: .autoRenewableSubscription,
      purchaseDate: date, originalPurchaseDate: date.adding(seconds: -60), quantity: 1, price: .zero, currency: "USD",
      storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase, appTransactionID: "7")
    record.expiresDate = date.adding(seconds: 3600)
    record.webOrderLineItemID = "77"
    return record
  }

  @Test("A1 a subscription shows its expiration, its line item and its original transaction")
  func subscriptionFields() {
    let fields = InAppFields.fields(of: subscription())
    #expect(fields["expires_date"] == "2026-07-01 13:00:00 Etc/GMT")
    #expect(fields["expires_date_ms"] == "1782910800000")
    #expect(fields["expires_date_pst"] == "2026-07-01 06:00:00 America/Los_Angeles")
    #expect(fields["web_order_line_item_id"] == "77")
    #expect(fields["transaction_id"] == "2")
    #expect(fields["original_transaction_id"] == "1")
    #expect(fields["original_purchase_date"] == "2026-07-01 11:59:00 Etc/GMT")
    #expect(fields["is_trial_period"] == "false")
    #expect(fields["is_in_intro_offer_period"] == "false")
    #expect(fields["cancellation_reason"] == nil)
    #expect(fields["promotional_offer_id"] == nil)
  }

  @Test("A1 G6 a subscription without a record here shows all that the receipt says of it")
  func subscriptionWithoutRecord() {
    var record = subscription()
    record.offerType = .introductory
    record.offerDiscountType = .payAsYouGo
    record.revocationDate = TeaShop.opening.wholeSeconds
    var expected = InAppFields.fields(of: record)
    // A receipt does not have this field.
    expected["in_app_ownership_type"] = nil
    #expect(InAppFields.fields(of: AppReceipt.InAppPurchase(record: record)) == expected)
    record.offerType = .promotional
    record.offerIdentifier = "autumn"
    #expect(InAppFields.fields(of: AppReceipt.InAppPurchase(record: record))["promotional_offer_id"] == "autumn")
    record.offerDiscountType = .freeTrial
    #expect(InAppFields.fields(of: AppReceipt.InAppPurchase(record: record))["is_trial_period"] == "true")
  }

  @Test("G1 a consumable without a record here has no subscription's fields")
  func consumableWithoutRecord() async throws {
    let shop = try await TeaShop()
    try await shop.buy(on: try await shop.phone())
    let record = try await shop.newestTransaction().record
    var expected = InAppFields.fields(of: record)
    expected["in_app_ownership_type"] = nil
    #expect(InAppFields.fields(of: AppReceipt.InAppPurchase(record: record)) == expected)
    #expect(expected["web_order_line_item_id"] == nil)
    #expect(expected["is_in_intro_offer_period"] == nil)
  }

  @Test("G1 a volume purchase's receipt shows when it ends")
  func expiration() async throws {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    var receipt = try UnverifiedAppReceipt(data).receipt
    receipt.receiptType = "ProductionVPPSandbox"
    receipt.expirationDate = TeaShop.opening.adding(seconds: 3600)
    let signed = try shop.store.authority.signAppReceipt(receipt, at: TeaShop.opening)
    let answer = try await VerifyReceiptAnswer(shop, signed)
    #expect(answer.status == 0)
    #expect(answer.receipt["receipt_type"] as? String == "ProductionVPPSandbox")
    #expect(answer.receipt["expiration_date"] as? String == "2026-07-01 13:00:00 Etc/GMT")
    #expect(answer.receipt["expiration_date_ms"] as? String == "1782910800000")
    #expect(answer.receipt["expiration_date_pst"] as? String == "2026-07-01 06:00:00 America/Los_Angeles")
  }

  @Test("offers are shown by their kind")
  func offers() {
    var record = subscription()
    record.offerType = .introductory
    record.offerDiscountType = .payAsYouGo
    #expect(InAppFields.fields(of: record)["is_in_intro_offer_period"] == "true")
    #expect(InAppFields.fields(of: record)["is_trial_period"] == "false")
    record.offerType = .promotional
    record.offerIdentifier = "autumn"
    #expect(InAppFields.fields(of: record)["promotional_offer_id"] == "autumn")
    record.offerType = .offerCode
    #expect(InAppFields.fields(of: record)["offer_code_ref_name"] == "autumn")
    #expect(InAppFields.fields(of: record)["promotional_offer_id"] == nil)
  }

  @Test("H1 a free trial is a trial at the receipt and at verifyReceipt, and not an introductory price at either")
  func freeTrial() {
    var record = subscription()
    record.offerType = .introductory
    record.offerDiscountType = .freeTrial
    let listed = AppReceipt.InAppPurchase(record: record)
    let fields = InAppFields.fields(of: record)
    #expect(fields["is_trial_period"] == "\(listed.isTrialPeriod ?? false)")
    #expect(fields["is_in_intro_offer_period"] == "\(listed.isInIntroductoryOfferPeriod ?? false)")
  }
}

extension InAppFields {
  fileprivate static func fields(of record: TransactionRecord) -> [String: String] {
    var (writer, fields) = (InAppFields(), [String: String]())
    writer.write(record) { fields["\($0)"] = $1 }
    return fields
  }

  fileprivate static func fields(of purchase: AppReceipt.InAppPurchase) -> [String: String] {
    var (writer, fields) = (InAppFields(), [String: String]())
    writer.write(purchase) { fields["\($0)"] = $1 }
    return fields
  }
}
