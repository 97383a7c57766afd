import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The status of verifyReceipt", .timeLimit(.minutes(30)))
struct VerifyReceiptStatusTests {
  private func status(_ shop: TeaShop, body: String, at environment: StoreEnvironment = .sandbox) async throws -> Int? {
    let answer = try VerifyReceiptAnswer(
      try await shop.store.verifyReceipt(Data(body.utf8), at: environment).body)
    if answer.status != 0 { #expect(Array(answer.json.keys) == ["status"]) }
    return answer.status
  }

  private func receipt(_ shop: TeaShop, in environment: StoreEnvironment = .sandbox) async throws -> Data {
    let phone = try await shop.phone("phone in \(environment)", in: environment)
    return try #require(try await shop.buy(on: phone).receipt)
  }

  @Test("G1 0: a receipt of this store, sent to its own endpoint", arguments: [StoreEnvironment.sandbox, .production])
  func valid(environment: StoreEnvironment) async throws {
    let shop = try await TeaShop()
    let answer = try await VerifyReceiptAnswer(shop, try await receipt(shop, in: environment), at: environment)
    #expect(answer.status == 0)
    #expect(answer.json["environment"] as? String == environment.rawValue)
  }

  @Test(
    "G1 21000: the request is not a JSON object",
    arguments: ["", "receipt-data=AAAA", "[]", "\"text\"", "{", "{\"receipt-data\":", "17", "null"])
  func unreadable(body: String) async throws {
    #expect(try await status(try await TeaShop(), body: body) == 21000)
  }

  @Test("G1 21000: JSON nested without end is refused, not followed")
  func deepNesting() async throws {
    let body = "{\"receipt-data\":" + String(repeating: "[", count: 200_000)
    #expect(try await status(try await TeaShop(), body: body) == 21000)
  }

  @Test(
    "G6 21002: there is no receipt in receipt-data",
    arguments: [
      "{}", "{\"receipt-data\":\"\"}", "{\"receipt-data\":null}", "{\"receipt-data\":5}",
      "{\"receipt-data\":[\"AAAA\"]}",
      "{\"receipt-data\":\"AAAA\"}", "{\"receipt-data\":\"not base64!\"}", "{\"Receipt-Data\":\"AAAA\"}",
    ])
  func malformed(body: String) async throws {
    #expect(try await status(try await TeaShop(), body: body) == 21002)
  }

  @Test("G6 21002: a receipt cut short")
  func truncated() async throws {
    let shop = try await TeaShop()
    let whole = try await receipt(shop)
    for length in [1, whole.count / 2, whole.count - 1] {
      #expect(try await VerifyReceiptAnswer(shop, whole.prefix(length)).status == 21002)
    }
  }

  @Test("G6 21002: signed by another authority; 21003 if the store answers as documented")
  func foreignAuthority() async throws {
    let shop = try await TeaShop()
    let keys = try ScratchFolder()
    defer { keys.remove() }
    let other = try await TeaShop(keyDirectory: keys.url.appending(path: "keys"))
    let data = try await receipt(other)
    #expect(try await VerifyReceiptAnswer(shop, data).status == 21002)
    try await shop.store.changeSettings { $0.documented21003 = true }
    let answer = try await VerifyReceiptAnswer(shop, data)
    #expect(answer.status == 21003 && answer.json["environment"] as? String == "Sandbox")
    #expect(try await status(shop, body: "{\"receipt-data\":\"AAAA\"}") == 21002)
  }

  @Test("G6 21002: altered after it was signed; 21003 if the store answers as documented")
  func altered() async throws {
    let shop = try await TeaShop()
    var data = try await receipt(shop)
    let quantity = try #require(data.range(of: Data(TeaShop.oolong.rawValue.utf8)))
    data.replaceSubrange(quantity, with: Data(TeaShop.oolong.rawValue.utf8.reversed()))
    let answer = try await VerifyReceiptAnswer(shop, data)
    #expect(answer.status == 21002 && Array(answer.json.keys) == ["status"])
    try await shop.store.changeSettings { $0.documented21003 = true }
    #expect(try await VerifyReceiptAnswer(shop, data).status == 21003)
  }

  @Test("G1 21004: the password is not the app's shared secret, and the right one passes")
  func password() async throws {
    let shop = try await TeaShop()
    let data = try await receipt(shop)
    let secret = try await shop.store.app(TeaShop.app).sharedSecret
    #expect(secret.count == 32)
    #expect(secret.allSatisfy { $0.isHexDigit })
    #expect(try await VerifyReceiptAnswer(shop, data, password: secret).status == 0)
    let wrong = try await VerifyReceiptAnswer(shop, data, password: secret.uppercased() + "0")
    #expect(wrong.status == 21004 && wrong.json["environment"] as? String == "Sandbox" && wrong.json.count == 2)
    #expect(try await VerifyReceiptAnswer(shop, data, password: "").status == 21004)
    #expect(try await VerifyReceiptAnswer(shop, data, password: 5).status == 21004)
  }

  @Test("G1 21004: a receipt with a subscription needs the password, null is none, and the right one passes")
  func passwordOfSubscription() async throws {
    let shop = try await TeaShop()
    var contents = try UnverifiedAppReceipt(try await receipt(shop)).receipt
    contents.inAppPurchases[0].rawProductType = 3
    let data = try shop.store.authority.signAppReceipt(contents, at: TeaShop.opening)
    #expect(try await VerifyReceiptAnswer(shop, data).status == 21004)
    #expect(try await VerifyReceiptAnswer(shop, data, password: NSNull()).status == 21004)
    let secret = try await shop.store.app(TeaShop.app).sharedSecret
    #expect(try await VerifyReceiptAnswer(shop, data, password: secret).status == 0)
  }

  @Test("G6 21002, not 21004: the sender of a forged receipt learns nothing about the password")
  func forgeryBeforePassword() async throws {
    let shop = try await TeaShop()
    let keys = try ScratchFolder()
    defer { keys.remove() }
    let other = try await TeaShop(keyDirectory: keys.url.appending(path: "keys"))
    let data = try await receipt(other)
    #expect(try await VerifyReceiptAnswer(shop, data, password: "wrong").status == 21002)
  }

  @Test("G2 21007 and 21008: a receipt sent to the other environment's endpoint")
  func otherEnvironment() async throws {
    let shop = try await TeaShop()
    let sandboxed = try await receipt(shop, in: .sandbox)
    let live = try await receipt(shop, in: .production)
    for (receipt, endpoint, status) in [
      (sandboxed, StoreEnvironment.production, 21007), (live, StoreEnvironment.sandbox, 21008),
    ] {
      let answer = try await VerifyReceiptAnswer(shop, receipt, at: endpoint)
      #expect(answer.status == status && Array(answer.json.keys) == ["status"])
    }
  }

  @Test("G6 21010: the receipt's app is not known to this store")
  func unknownApp() async throws {
    // Stores in memory share the process's keys, so each store accepts the other's signatures.
    let shop = try await TeaShop(seed: 1)
    let data = try await receipt(shop)
    let other = try await TeaShop(seed: 2)
    try await other.store.database.write { try $0.database.execute(sql: "DELETE FROM app") }
    #expect(try await VerifyReceiptAnswer(other, data).status == 21010)
  }

  @Test("G6 a receipt whose transactions are another store's shows the receipt's own words, not foreign records")
  func sameNumbersElsewhere() async throws {
    // Two stores with the same seed give the same transaction ids to different purchases.
    let shop = try await TeaShop(seed: 5)
    let other = try await TeaShop(seed: 5)
    let phone = try await shop.phone()
    let data = try #require(try await shop.buy(TeaShop.oolong, quantity: 2, on: phone).receipt)
    try await other.buy(TeaShop.sencha, quantity: 9, on: try await other.phone("another phone"))
    let answer = try await VerifyReceiptAnswer(other, data)
    #expect(answer.inApp.map { $0["product_id"] } == [TeaShop.oolong.rawValue])
    #expect(answer.inApp.map { $0["quantity"] } == ["2"])
  }
}
