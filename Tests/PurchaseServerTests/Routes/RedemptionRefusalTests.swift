import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger
@testable import PurchaseServer

/// Tests each row of the table of refusals in Documentation/purchase-server.md.
@Suite("Redemptions that are refused", .timeLimit(.minutes(30)))
struct RedemptionRefusalTests {
  /// Sends a redemption of one purchase, and expects a refusal that gives nothing.
  private func expect(
    _ status: Int, _ code: String, in fixture: ServerFixture, _ body: String, reader: ServerFixture.Reader? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Reply {
    let someone: ServerFixture.Reader
    if let reader { someone = reader } else { someone = try await fixture.reader() }
    let before = try await fixture.belongings(of: someone.token)
    let reply = try await fixture.withClient {
      try await $0.post("\(ServerFixture.path)/redemptions", body, token: someone.token)
    }
    #expect((reply.status, reply.code) == (status, code), "\(reply.text)", sourceLocation: sourceLocation)
    #expect(!reply.message.isEmpty, sourceLocation: sourceLocation)
    #expect(reply.given.allSatisfy { $0.isEmpty }, sourceLocation: sourceLocation)
    #expect(try await fixture.belongings(of: someone.token) == before, sourceLocation: sourceLocation)
    return reply
  }

  private static let unreadableProofs: [String] = [
    "{}",
    #"{"appReceipt":""}"#,
    #"{"appReceipt":"!!!"}"#,
    #"{"appReceipt":"aGVsbG8="}"#,
    #"{"legacyReceipt":"aGVsbG8="}"#,
    #"{"legacyReceipt":"e30="}"#,
    #"{"signedTransaction":""}"#,
    #"{"signedTransaction":"hello"}"#,
    #"{"signedTransaction":"e30.e30.e30"}"#,
    #"{"appReceipt":"aGVsbG8=","signedTransaction":"e30.e30.e30"}"#,
  ]

  @Test("G6 no proof, not base64, or not of its kind: 422 unreadableProof", arguments: unreadableProofs)
  func unreadable(proof: String) async throws {
    _ = try await expect(
      422, "unreadableProof", in: ServerFixture(), #"{"proof":\#(proof),"purchases":[{"transactionId":"1"}]}"#)
  }

  @Test("G6 altered after it was signed: 422 forgedProof, of each kind", arguments: ["app", "legacy", "jws"])
  func forged(kind: String) async throws {
    let fixture = try await ServerFixture()
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    let proof: [String: String]
    switch kind {
    case "app": proof = ["appReceipt": try purchase.appReceipt.altered().base64EncodedString()]
    case "legacy":
      let text = String(decoding: purchase.legacyReceipt, as: UTF8.self)
      let info = try #require(text.firstMatch(of: /"purchase-info" = "([^"]+)"/)).1
      let list = String(decoding: try #require(Data(base64Encoded: String(info))), as: UTF8.self)
      let altered = Data(list.replacing(BookStore.coins.rawValue, with: BookStore.book.rawValue).utf8)
      proof = [
        "legacyReceipt": Data(text.replacing(info, with: altered.base64EncodedString()).utf8).base64EncodedString()
      ]
    default:
      let parts = purchase.signedTransaction.split(separator: ".").map(String.init)
      let payload = String(decoding: try #require(Data(base64URL: parts[1])), as: UTF8.self)
      let altered = Data(payload.replacing(BookStore.coins.rawValue, with: BookStore.book.rawValue).utf8)
      proof = ["signedTransaction": "\(parts[0]).\(altered.base64URLText).\(parts[2])"]
    }
    _ = try await expect(422, "forgedProof", in: fixture, redemptionBody(proof, [purchase.id]))
  }

  @Test("G6 of another store: 422 forgedProof")
  func otherStore() async throws {
    let (fixture, keys) = (try await ServerFixture(), try ScratchFolder())
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    let payload = try #require(Data(base64URL: String(purchase.signedTransaction.split(separator: ".")[1])))
    let other = try IssuingAuthority(keyDirectory: keys.url)
    let signed = try other.signJWS(payload: Array(payload), at: fixture.clock.now)
    _ = try await expect(422, "forgedProof", in: fixture, redemptionBody(["signedTransaction": signed], [purchase.id]))
  }

  @Test("G6 of another app: 422 wrongApp")
  func wrongApp() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone("player", app: BookStore.otherApp)
    let purchase = try await fixture.bookStore.buy(on: phone)
    for proof in [purchase.proof, ["signedTransaction": purchase.signedTransaction]] {
      _ = try await expect(422, "wrongApp", in: fixture, redemptionBody(proof, [purchase.id]))
    }
  }

  @Test("G6 of an environment that is not accepted: 422 wrongEnvironment")
  func wrongEnvironment() async throws {
    let fixture = try await ServerFixture(.init(environments: [.production]))
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    _ = try await expect(422, "wrongEnvironment", in: fixture, redemptionBody(purchase.proof, [purchase.id]))
  }

  @Test("G6 a purchase that the proof does not contain: 422 notInProof")
  func notInProof() async throws {
    let fixture = try await ServerFixture()
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    for id in ["1", "18446744073709551616", String(repeating: "9", count: 20)] {
      let other = try #require(TransactionID(rawValue: id))
      _ = try await expect(422, "notInProof", in: fixture, redemptionBody(purchase.proof, [other]))
    }
  }

  @Test("G6 of another product than requested: 422 otherProduct")
  func otherProduct() async throws {
    let fixture = try await ServerFixture()
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    _ = try await expect(
      422, "otherProduct", in: fixture, redemptionBody(purchase.proof, [purchase.id], product: BookStore.book))
  }

  @Test("G6 a product that is not on the list yet: 422 unknownProduct")
  func unknownProduct() async throws {
    let fixture = try await ServerFixture()
    let purchase = try await fixture.bookStore.buy(BookStore.draft, on: fixture.bookStore.phone())
    _ = try await expect(422, "unknownProduct", in: fixture, redemptionBody(purchase.proof, [purchase.id]))
  }

  @Test("G6 of another type than on the list: 422 otherType")
  func otherType() async throws {
    let fixture = try await ServerFixture()
    let purchase = try await fixture.bookStore.buy(BookStore.sticker, on: fixture.bookStore.phone())
    _ = try await expect(
      422, "otherType", in: fixture, redemptionBody(["signedTransaction": purchase.signedTransaction], [purchase.id]))
  }

  @Test("G6 another purchase was redeemed under its id: 409 otherPurchase, and the first one stays")
  func otherPurchase() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    // A store that was put back to an older copy has sold a book under the id.
    let sold = ProvenPurchase(
      transactionID: purchase.id, productID: BookStore.book, purchaseDate: fixture.clock.now.adding(seconds: -60))
    let earlier = VerifiedProof(
      proof: .signedTransaction(""), app: BookStore.app, environment: .sandbox, statedDate: fixture.clock.now,
      issuedDate: fixture.clock.now, purchases: [sold], isIssued: { _ in false })
    let claimant = try await fixture.ledger.authenticate(BearerToken(text: reader.token))
    _ = try await fixture.ledger.redeem(earlier, .everythingOwned, for: claimant)

    let reply = try await expect(
      409, "otherPurchase", in: fixture, redemptionBody(purchase.proof, [purchase.id]), reader: reader)
    #expect(reply.headers[.retryAfter] == nil)
    let owned = try await fixture.ledger.entitlements(of: claimant.customer, app: BookStore.app)
    #expect(owned.map(\.product) == [BookStore.book])
  }

  @Test("G6 redeemed by another customer: 409 claimedByAnotherCustomer")
  func claimed() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    let first = try await fixture.reader(on: phone)
    #expect(try await fixture.withClient { try await $0.redeem(purchase, token: first.token) }.status == 200)
    _ = try await expect(409, "claimedByAnotherCustomer", in: fixture, redemptionBody(purchase.proof, [purchase.id]))
    // A thief who does not know the receipt's device registers with another one.
    let thief = try await fixture.reader(on: fixture.bookStore.phone("another phone"))
    _ = try await expect(
      409, "claimedByAnotherCustomer", in: fixture, redemptionBody(purchase.proof, [purchase.id]), reader: thief)
  }

  @Test("G6 bought for another customer: 409 namesAnotherCustomer, whoever has the proof")
  func named() async throws {
    let fixture = try await ServerFixture()
    let (phone, owner) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let purchase = try await fixture.bookStore.buy(BookStore.book, for: owner.customer, on: phone)
    _ = try await expect(
      409, "namesAnotherCustomer", in: fixture,
      redemptionBody(["signedTransaction": purchase.signedTransaction], [purchase.id]))
    let reply = try await fixture.withClient {
      try await $0.post(
        "\(ServerFixture.path)/redemptions",
        redemptionBody(["signedTransaction": purchase.signedTransaction], [purchase.id]), token: owner.token)
    }
    #expect(reply.status == 200)
  }

  @Test("G6 refunded before it was redeemed: 410 refunded", arguments: [BookStore.coins, BookStore.book])
  func refunded(product: ProductID) async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let purchase = try await fixture.bookStore.buy(product, on: fixture.bookStore.phone())
    fixture.clock.advance(seconds: 60)
    _ = try await fixture.bookStore.store.refund(purchase.id)
    fixture.clock.advance(seconds: 60)
    let reader = try await fixture.reader()
    let (reply, credits, owned) = try await fixture.withClient { client in
      (
        try await client.post(
          "\(ServerFixture.path)/redemptions", redemptionBody(purchase.proof, [purchase.id]), token: reader.token),
        try await client.get("\(ServerFixture.path)/credits", token: reader.token),
        try await client.get("\(ServerFixture.path)/entitlements", token: reader.token).text
      )
    }
    #expect((reply.status, reply.code) == (410, "refunded"), "\(reply.text)")
    #expect(owned == #"{"entitlements":[],"named":[]}"#)
    // The claim is kept, so that a reversal of the refund gives the goods. Until then it gives nothing.
    let balances = try #require(credits.object["credits"] as? [[String: Any]]).map { $0["balance"] as? Int }
    #expect(balances == (product == BookStore.coins ? [0] : []))
  }

  @Test("G6 revoked by an operator: 410 revoked, also when the proof is sent again")
  func revoked() async throws {
    let fixture = try await ServerFixture()
    let (purchase, reader) = (
      try await fixture.bookStore.buy(BookStore.book, on: fixture.bookStore.phone()), try await fixture.reader()
    )
    #expect(try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }.status == 200)
    let customer = try #require(CustomerID(reader.customer))
    _ = try await fixture.ledger.revoke(
      BookStore.book, source: purchase.id.rawValue, from: customer, app: BookStore.app, reason: "a test", by: "olga")
    _ = try await expect(410, "revoked", in: fixture, redemptionBody(purchase.proof, [purchase.id]), reader: reader)
  }

  @Test("G6 the store is unavailable: 503 storeUnavailable with Retry-After, and the same proof is accepted later")
  func storeAway() async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let (purchase, reader) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader()
    )
    fixture.receiptServer.behavior = .unreachable
    let reply = try await expect(
      503, "storeUnavailable", in: fixture, redemptionBody(purchase.proof, [purchase.id]), reader: reader)
    #expect(reply.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
    fixture.receiptServer.behavior = .normal
    #expect(try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }.status == 200)
  }

  @Test(
    "G6 the refusal for each status of the store",
    arguments: zip(
      [21002, 21003, 21004, 21008, 21009, 21010],
      [
        (422, "unreadableProof"), (422, "forgedProof"), (503, "misconfigured"), (503, "misconfigured"),
        (503, "storeUnavailable"), (422, "accountNotFound"),
      ]))
  func statuses(status: Int, refusal: (Int, String)) async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    fixture.receiptServer.behavior = .status(status)
    let reply = try await expect(refusal.0, refusal.1, in: fixture, redemptionBody(purchase.proof, [purchase.id]))
    #expect((reply.headers[.retryAfter] != nil) == (refusal.0 == 503))
    // The response does not contain the store's status, which only the operator may see.
    #expect(!reply.text.contains("\(status)"))
  }

  @Test(
    "G6 a kind of proof that the app's policy does not accept: 422 kindNotAccepted",
    arguments: [VerificationPolicy.Method.verifyReceipt(TestReceiptServer.policy), .both(TestReceiptServer.policy)])
  func kind(method: VerificationPolicy.Method) async throws {
    let fixture = try await ServerFixture(.init(method: method))
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    _ = try await expect(
      422, "kindNotAccepted", in: fixture,
      redemptionBody(["signedTransaction": purchase.signedTransaction], [purchase.id]))
  }

  @Test("G6 an unknown app: 404 unknownApp; no token: 401, and the store is not asked")
  func unauthenticated() async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let (purchase, reader) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader()
    )
    let body = try redemptionBody(purchase.proof, [purchase.id])
    try await fixture.withClient { client in
      let elsewhere = try await client.post("/v1/apps/com.example.none/redemptions", body, token: reader.token)
      #expect((elsewhere.status, elsewhere.code) == (404, "unknownApp"))
      for token in [nil, "customer_none", "none", fixture.operatorKey] {
        let reply = try await client.post("\(ServerFixture.path)/redemptions", body, token: token)
        #expect(reply.status == 401)
        #expect(reply.headers[.wwwAuthenticate] == "Bearer")
      }
    }
    #expect(fixture.receiptServer.requestCount == 0)
  }

  @Test("G6 one is refused, the other granted: 200, each with its own result")
  func mixed() async throws {
    let fixture = try await ServerFixture()
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    _ = try await fixture.bookStore.buy(on: phone)
    let last = try await fixture.bookStore.buy(BookStore.draft, as: "payment 2", on: phone)
    let coins = try #require(
      try await fixture.bookStore.store.transactions().first { $0.record.productID == BookStore.coins })
    let reply = try await fixture.withClient {
      try await $0.post(
        "\(ServerFixture.path)/redemptions", redemptionBody(last.proof, [last.id, coins.record.transactionID]),
        token: reader.token)
    }
    #expect(reply.status == 200)
    #expect((reply.list("purchases")[0]["refusal"] as? [String: String])?["code"] == "unknownProduct")
    #expect((reply.given[1]["credits"] as? [String: Any])?["amount"] as? Int == 5)
  }
}

extension Data {
  /// Returns a copy with the id of another product, which has the same length.
  fileprivate func altered() throws -> Data {
    let name = Data(BookStore.coins.rawValue.utf8)
    let place = try #require(range(of: name))
    return replacingSubrange(place, with: name.dropLast() + [UInt8(ascii: "z")])
  }

  private func replacingSubrange(_ place: Range<Index>, with bytes: Data) -> Data {
    var data = self
    data.replaceSubrange(place, with: bytes)
    return data
  }

  fileprivate init?(base64URL text: String) {
    let padded = text.replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4))
  }

  fileprivate var base64URLText: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
