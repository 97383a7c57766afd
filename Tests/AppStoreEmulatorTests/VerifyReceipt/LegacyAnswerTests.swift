import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The answer of verifyReceipt to a legacy receipt", .timeLimit(.minutes(30)))
struct LegacyAnswerTests {
  private func receipt(
    _ shop: TeaShop, in environment: StoreEnvironment = .sandbox, quantity: Int = 1
  ) async throws -> Data {
    let phone = try await shop.phone("phone in \(environment)", in: environment)
    return try #require(try await shop.buy(quantity: quantity, on: phone).deliveries.first?.transactionReceipt)
  }

  @Test("G1 the whole answer to a seeded purchase in the sandbox: one flat receipt, dates in three forms")
  func sandbox() async throws {
    let shop = try await TeaShop(seed: 7)
    let phone = try await shop.phone(version: "3.1")
    let data = try #require(try await shop.buy(quantity: 2, on: phone).deliveries.first?.transactionReceipt)
    let answer = try await VerifyReceiptAnswer(shop, data)
    #expect(Set(answer.json.keys) == ["environment", "receipt", "status"])
    #expect(answer.status == 0)
    #expect(answer.json["environment"] as? String == "Sandbox")
    let identity = try await shop.store.database.read { $0.identity }
    let id = shop.store.epoch.rawValue + "000000001"
    var expected = [
      "quantity": "2", "product_id": "org.example.teahouse.oolong", "transaction_id": id,
      "original_transaction_id": id, "item_id": "0", "bid": "org.example.teahouse", "bvrs": "3.1",
      "unique_identifier": identity.uniqueIdentifier(deviceID: phone.vendorID.uuidString),
      "unique_vendor_identifier": phone.vendorID.uuidString,
    ]
    for name in ["purchase_date", "original_purchase_date"] {
      expected[name] = "2026-07-01 12:00:00 Etc/GMT"
      expected[name + "_ms"] = "1782907200000"
      expected[name + "_pst"] = "2026-07-01 05:00:00 America/Los_Angeles"
    }
    #expect(answer.transaction == expected)
    #expect(expected["unique_identifier"]?.wholeMatch(of: /[0-9a-f]{40}/) != nil)
  }

  @Test("G1 in production it also names the app's number and the version's, the same as the app receipt")
  func production() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: .production)
    let batch = try await shop.buy(on: phone)
    let legacy = try await VerifyReceiptAnswer(
      shop, try #require(batch.deliveries.first?.transactionReceipt), at: .production)
    let modern = try await VerifyReceiptAnswer(shop, try #require(batch.receipt), at: .production)
    #expect(legacy.status == 0)
    #expect(legacy.json["environment"] as? String == "Production")
    let appAppleID = try await shop.store.app(TeaShop.app).appAppleID
    #expect(legacy.transaction["app_item_id"] == "\(appAppleID)")
    let version = try #require(modern.receipt["version_external_identifier"] as? Int64)
    #expect(legacy.transaction["version_external_identifier"] == "\(version)")
    let itemID = try await shop.newestTransaction().record.itemID
    #expect(legacy.transaction["item_id"] == "\(itemID)")
    #expect(itemID > 0)
  }

  @Test("H1 both generations of receipts of one purchase say the same of it")
  func bothGenerations() async throws {
    let shop = try await TeaShop()
    let batch = try await shop.buy(TeaShop.sencha, quantity: 3, on: try await shop.phone())
    let modern = try await VerifyReceiptAnswer(shop, try #require(batch.receipt)).inApp.first
    let legacy = try await VerifyReceiptAnswer(shop, try #require(batch.deliveries.first?.transactionReceipt))
    var shared = 0
    for (key, value) in try #require(modern) where !["in_app_ownership_type", "is_trial_period"].contains(key) {
      #expect(legacy.transaction[key] == value, "\(key)")
      shared += 1
    }
    #expect(shared == 10)
  }

  @Test("G6 a refund after the receipt was made is seen in it")
  func refundedLater() async throws {
    let shop = try await TeaShop()
    let data = try await receipt(shop)
    #expect(try await VerifyReceiptAnswer(shop, data).transaction["cancellation_date"] == nil)
    try await shop.store.database.write { work in
      let database = work.database
      try database.execute(
        sql: "UPDATE transactionRecord SET revocationDate = 1782910800000, revocationReason = 1")
    }
    let transaction = try await VerifyReceiptAnswer(shop, data).transaction
    #expect(transaction["cancellation_date"] == "2026-07-01 13:00:00 Etc/GMT")
    #expect(transaction["cancellation_date_ms"] == "1782910800000")
    #expect(transaction["cancellation_date_pst"] == "2026-07-01 06:00:00 America/Los_Angeles")
    #expect(transaction["cancellation_reason"] == "1")
    #expect(transaction["transaction_id"] != nil)
  }

  @Test("G6 the record of another store's purchase of the same number says nothing of this one")
  func sameNumbersElsewhere() async throws {
    let shop = try await TeaShop(seed: 5)
    let other = try await TeaShop(seed: 5)
    let data = try await receipt(shop, quantity: 2)
    _ = try await receipt(other, quantity: 3)
    try await other.store.database.write {
      try $0.database.execute(sql: "UPDATE transactionRecord SET revocationDate = 1")
    }
    let answer = try await VerifyReceiptAnswer(other, data)
    #expect(answer.status == 0)
    #expect(answer.transaction["quantity"] == "2")
    #expect(answer.transaction["cancellation_date"] == nil)
  }

  @Test("G2 21007 and 21008: sent to the other environment's endpoint, also with its environment taken out or put in")
  func otherEnvironment() async throws {
    let shop = try await TeaShop()
    let sandboxed = try await receipt(shop, in: .sandbox)
    let live = try await receipt(shop, in: .production)
    #expect(try await VerifyReceiptAnswer(shop, sandboxed, at: .production).status == 21007)
    #expect(try await VerifyReceiptAnswer(shop, live, at: .sandbox).status == 21008)

    let line = "\t\"environment\" = \"Sandbox\";\n"
    let text = String(decoding: sandboxed, as: UTF8.self)
    #expect(text.contains(line))
    #expect(!String(decoding: live, as: UTF8.self).contains("environment"))
    let stripped = Data(text.replacing(line, with: "").utf8)
    #expect(try await VerifyReceiptAnswer(shop, stripped, at: .production).status == 21007)
    let relabelled = Data(String(decoding: live, as: UTF8.self).replacing("{\n", with: "{\n" + line).utf8)
    #expect(try await VerifyReceiptAnswer(shop, relabelled, at: .sandbox).status == 21008)
  }

  @Test("G6 21002: a property list that is no receipt, one cut short, and JSON")
  func malformed() async throws {
    let shop = try await TeaShop()
    let whole = try await receipt(shop)
    for length in [1, 2, whole.count / 2, whole.count - 1] {
      #expect(try await VerifyReceiptAnswer(shop, whole.prefix(length)).status == 21002)
    }
    for text in ["{}", "{\"signature\" = \"AAAA\";}", "{\"receipt-data\":\"AAAA\"}", "{\"a\" = {};}"] {
      let answer = try await VerifyReceiptAnswer(shop, Data(text.utf8))
      #expect(answer.status == 21002)
      #expect(Array(answer.json.keys) == ["status"])
    }
  }

  @Test("G6 21002: signed by another authority, or altered after it was signed; 21003 as documented")
  func forged() async throws {
    let shop = try await TeaShop()
    let keys = try ScratchFolder()
    defer { keys.remove() }
    let other = try await TeaShop(keyDirectory: keys.url.appending(path: "keys"))
    #expect(try await VerifyReceiptAnswer(shop, try await receipt(other), password: "wrong").status == 21002)

    let text = String(decoding: try await receipt(shop), as: UTF8.self)
    let info = try #require(text.firstMatch(of: /"purchase-info" = "([^"]+)"/)).output.1
    let signed = String(decoding: try #require(Data(base64Encoded: String(info))), as: UTF8.self)
    let altered = signed.replacing("\"quantity\" = \"1\"", with: "\"quantity\" = \"9\"")
    #expect(altered != signed)
    let forgery = Data(text.replacing(info, with: Data(altered.utf8).base64EncodedString()).utf8)
    #expect(try await VerifyReceiptAnswer(shop, forgery).status == 21002)
    try await shop.store.changeSettings { $0.documented21003 = true }
    #expect(try await VerifyReceiptAnswer(shop, forgery).status == 21003)
  }

  @Test("G1 21004: a password must be the app's shared secret, and none is needed without a subscription")
  func password() async throws {
    let shop = try await TeaShop()
    let data = try await receipt(shop)
    #expect(try await VerifyReceiptAnswer(shop, data).status == 0)
    #expect(try await VerifyReceiptAnswer(shop, data, password: "wrong").status == 21004)
    #expect(try await VerifyReceiptAnswer(shop, data, password: 1).status == 21004)
    let secret = try await shop.store.app(TeaShop.app).sharedSecret
    #expect(try await VerifyReceiptAnswer(shop, data, password: secret).status == 0)

    var record = try await shop.newestTransaction().record
    record.expiresDate = record.purchaseDate.adding(seconds: 3600)
    let subscription = try shop.store.authority.signLegacyReceipt(
      LegacyReceipt(record: record, applicationVersion: "3.1", vendorIdentifier: nil, appItemID: 0),
      at: record.purchaseDate)
    #expect(try await VerifyReceiptAnswer(shop, subscription).status == 21004)
    #expect(try await VerifyReceiptAnswer(shop, subscription, password: secret).status == 0)
  }

  @Test("G6 21010: the receipt's app is not known to this store")
  func unknownApp() async throws {
    let shop = try await TeaShop(seed: 1)
    let data = try await receipt(shop)
    let other = try await TeaShop(seed: 2)
    try await other.store.database.write { try $0.database.execute(sql: "DELETE FROM app") }
    #expect(try await VerifyReceiptAnswer(other, data).status == 21010)
  }
}
