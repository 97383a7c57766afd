import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Authentication of customers", .timeLimit(.minutes(30)))
struct CustomerAuthenticationTests {
  private static let installations = "\(ServerFixture.path)/installations"

  @Test("an installation becomes an anonymous customer, with a token that is returned once")
  func install() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      for body in [
        "{}", #"{"device":null}"#, #"{"device":"6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F"}"#,
        #"{"device":"00:1b:63:84:45:e6"}"#,
      ] {
        let reply = try await client.post(Self.installations, body)
        #expect(reply.status == 201, "\(body)")
        let token = try #require(reply.object["token"] as? String)
        #expect(token.wholeMatch(of: /customer_[A-Za-z0-9_-]{43}/) != nil)
        #expect(reply.headers[.cacheControl] == "no-store")
        let who = try await client.get("\(ServerFixture.path)/customer", token: token)
        #expect(who.object["customer"] as? String == reply.object["customer"] as? String)
        #expect(who.object["isIdentified"] as? Bool == false)
        let export = try await client.get("\(ServerFixture.path)/customer/export", token: token)
        #expect(!export.text.contains(token))
      }
    }
  }

  @Test("a token that is too long to be one is refused, and the answer says so", arguments: [8_192, 8_193, 20_000])
  func longToken(bytes: Int) async throws {
    let token = String(repeating: "a", count: bytes)
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      for path in ["\(ServerFixture.path)/customer", "/v1/operator/audit"] {
        let isCustomer = path != "/v1/operator/audit"
        let reply = try await client.get(path, token: token)
        #expect(reply.status == 401)
        #expect(reply.headers[.wwwAuthenticate] == "Bearer")
        #expect(reply.code == (bytes > 8_192 || isCustomer ? "tokenRefused" : "tokenRequired"))
        #expect(reply.message.contains("has \(bytes) bytes") == (bytes > 8_192), "\(reply.text)")
      }
    }
  }

  @Test(
    "an invalid device is refused",
    arguments: [#"{"device":""}"#, #"{"device":"x"}"#, #"{"device":7}"#, #"{"device":"a\u0000b"}"#, #"{"Device":"x"}"#])
  func devices(body: String) async throws {
    let reply = try await ServerFixture().withClient { try await $0.post(Self.installations, body) }
    #expect([400, 422].contains(reply.status))
    #expect(reply.code == "malformedRequest")
  }

  @Test(
    "an unknown app has no endpoints", arguments: ["com.example.none", "%00", "..", "com.example.reader%00"])
  func apps(app: String) async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client in
      for (method, path) in [
        ("GET", "products"), ("POST", "installations"), ("GET", "customer"), ("DELETE", "customer"),
      ] {
        let reply = try await client.send(
          .init(rawValue: method)!, "/v1/apps/\(app)/\(path)", method == "POST" ? "{}" : nil, token: reader.token)
        #expect([400, 404].contains(reply.status), "\(method) \(path): \(reply.text)")
        #expect(reply.code != nil)
      }
      #expect(try await client.get("\(ServerFixture.path)/customer", token: reader.token).status == 200)
    }
  }

  @Test("signing out revokes this token only")
  func signOut() async throws {
    let fixture = try await ServerFixture()
    let (reader, other) = (try await fixture.reader(), try await fixture.reader())
    try await fixture.withClient { client in
      let path = "\(Self.installations)/current"
      #expect(try await client.send(.delete, path, token: reader.token).status == 204)
      let reply = try await client.get("\(ServerFixture.path)/customer", token: reader.token)
      #expect((reply.status, reply.code) == (401, "tokenRefused"))
      #expect(try await client.get("\(ServerFixture.path)/customer", token: other.token).status == 200)
    }
  }

  @Test(
    "export returns all data of one customer; erasure ends it; credits are not granted again, durable purchases are restorable"
  )
  func erasure() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    let coins = try await fixture.bookStore.buy(on: phone)
    let purchase = try await fixture.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
    try await fixture.withClient { client in
      _ = try await client.redeem(coins, token: reader.token)
      let link = try #require(try await client.redeem(purchase, token: reader.token).files().first?["link"] as? String)
      let export = try await client.get("\(ServerFixture.path)/customer/export", token: reader.token)
      #expect(export.object["customer"] as? String == reader.customer)
      #expect(export.list("purchases").last?["claim"] as? String == purchase.id.rawValue)
      #expect(export.list("installations").first?["device"] as? String != nil)
      #expect(try await client.send(.delete, "\(ServerFixture.path)/customer", token: reader.token).status == 204)
      #expect(try await client.get("\(ServerFixture.path)/customer", token: reader.token).status == 401)
      #expect(try await client.get("/\(link)").code == "deliveryEnded")
    }
    let newcomer = try await fixture.reader(on: phone)
    try await fixture.withClient { client in
      let again = try await client.redeem(coins, token: newcomer.token)
      #expect((again.status, again.code) == (409, "claimedByAnotherCustomer"))
      #expect(try await client.redeem(purchase, token: newcomer.token).given.count == 1)
    }
  }

  @Test("D2 a reinstalled app joins its earlier customer: both tokens are of that customer")
  func join() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let (first, second) = (try await fixture.reader(on: phone), try await fixture.reader(on: phone))
    // A proof of the second of the registration joins nobody.
    fixture.clock.advance(seconds: 1)
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    try await fixture.withClient { client in
      _ = try await client.redeem(purchase, token: first.token)
      let reply = try await client.redeem(purchase, token: second.token)
      #expect(reply.status == 200)
      #expect(reply.object["customer"] as? String == first.customer)
      for token in [first.token, second.token] {
        let who = try await client.get("\(ServerFixture.path)/customer", token: token)
        #expect(who.object["customer"] as? String == first.customer)
      }
    }
  }

  @Test("a request that runs while its customer is joined with another is performed for the other")
  func joinMeanwhile() async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let phone = try await fixture.bookStore.phone()
    let (first, second) = (try await fixture.reader(on: phone), try await fixture.reader(on: phone))
    // A proof of the second of the registration joins nobody.
    fixture.clock.advance(seconds: 1)
    let book = try await fixture.bookStore.buy(BookStore.book, on: phone)
    #expect(try await fixture.withClient { try await $0.redeem(book, token: first.token) }.status == 200)
    let poem = try await fixture.bookStore.buy(BookStore.poem, as: "payment 2", on: phone)
    let gate = Gate()
    fixture.receiptServer.wait(for: gate)
    // This request is authenticated as the second customer, and then waits for the store.
    async let late = fixture.withClient {
      try await $0.post(
        "\(ServerFixture.path)/redemptions", redemptionBody(poem.proof, [poem.id]), token: second.token)
    }
    await gate.untilCallerWaits()
    let claimant = try await fixture.ledger.authenticate(BearerToken(text: second.token))
    let proof = try await ProofVerifier(
      anchors: fixture.bookStore.anchors, policies: [VerificationPolicy(bundleID: BookStore.app, method: .offline)],
      server: fixture.receiptServer, clock: fixture.clock
    ).verify(.appReceipt(book.appReceipt), for: BookStore.app)
    let joined = try await fixture.ledger.redeem(proof, .purchases([.init(transactionID: book.id)]), for: claimant)
    #expect("\(joined.customer)" == first.customer)
    await gate.open()
    let reply = try await late
    #expect((reply.status, reply.object["customer"] as? String) == (200, first.customer))
  }

  @Test("an operator's key is refused at customers' endpoints, and a customer's token at operators'")
  func otherCallersToken() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client in
      for path in ["customer", "entitlements", "credits", "deliveries", "customer/export"] {
        let reply = try await client.get("\(ServerFixture.path)/\(path)", token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (401, "tokenRefused"))
      }
      for path in ["keys", "audit", "customers?subject=x", "customers/\(reader.customer)"] {
        let reply = try await client.get("/v1/operator/\(path)", token: reader.token)
        #expect((reply.status, reply.code) == (401, "tokenRequired"))
      }
    }
  }

  private static let credentials: [String] = [
    "", "Bearer", "Bearer ", "Basic Y3VzdG9tZXI6", "bearer customer_", "Bearer customer_\u{FF}",
    "Bearer " + String(repeating: "a", count: 9_000), "customer_x", "Bearer a b c",
  ]

  @Test("an invalid token gives no access", arguments: credentials)
  func noToken(header: String) async throws {
    let reply = try await ServerFixture().withClient {
      try await $0.get("\(ServerFixture.path)/customer", headers: ["Authorization": header])
    }
    #expect(reply.status == 401)
    #expect(["tokenRequired", "tokenRefused"].contains(reply.code))
  }
}
