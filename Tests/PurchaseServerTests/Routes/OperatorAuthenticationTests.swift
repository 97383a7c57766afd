import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Authentication of operators", .timeLimit(.minutes(30)))
struct OperatorAuthenticationTests {
  private static let app = "/v1/operator/apps/com.example.reader"

  @Test("grants, revocations and lifted blocks: each with a reason, once, and audited in the same commit")
  func putRight() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let customer = "\(Self.app)/customers/\(reader.customer)"
    fixture.clock.advance(seconds: 1)
    try await fixture.withClient { client in
      let grant = #"{"key":"ticket 7","credits":{"unit":"coins","amount":9},"reason":"lost in a crash"}"#
      for _ in 0..<2 {
        #expect(try await client.send(.post, "\(customer)/grants", grant, token: fixture.operatorKey).status == 204)
      }
      let product = #"{"key":"ticket 8","productId":"com.example.reader.poem","reason":"as a gift"}"#
      #expect(try await client.send(.post, "\(customer)/grants", product, token: fixture.operatorKey).status == 204)
      let credits = try await client.get("\(ServerFixture.path)/credits", token: reader.token)
      #expect(credits.list("credits").first?["balance"] as? Int == 9)
      #expect(
        try await client.get("\(ServerFixture.path)/deliveries", token: reader.token).list("deliveries").count == 1)
      fixture.clock.advance(seconds: 1)
      let revocation = #"{"productId":"com.example.reader.poem","source":"grant:ticket 8","reason":"a mistake"}"#
      let revoked = try await client.send(.post, "\(customer)/revocations", revocation, token: fixture.operatorKey)
      #expect(revoked.text == #"{"wasThere":true}"#)
      let lift = try await client.send(
        .post, "\(customer)/lifts", #"{"unit":"coins","reason":"asked for"}"#, token: fixture.operatorKey)
      #expect(lift.text == #"{"wasBlocked":false}"#)
      let audit = try await client.get("/v1/operator/audit?limit=3", token: fixture.operatorKey)
      #expect(audit.list("entries").compactMap { $0["action"] as? String } == ["revoke", "grant", "grant"])
      #expect(audit.list("entries").allSatisfy { $0["subject"] as? String == reader.customer })
      #expect(audit.text.contains("lost in a crash") && audit.text.contains("a mistake"))
    }
  }

  @Test("one customer's purchase is moved to another: once, and the first no longer owns it")
  func move() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let (first, second) = (try await fixture.reader(on: phone), try await fixture.reader())
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    try await fixture.withClient { client in
      let bought = try await client.redeem(purchase, token: first.token)
      let environment = try #require(bought.object["environment"] as? String)
      let order = #"{"transactionId":"\#(purchase.id)","environment":"\#(environment)","reason":"a lost account"}"#
      for answer in ["true", "false"] {
        let reply = try await client.send(
          .post, "\(Self.app)/customers/\(second.customer)/moves", order, token: fixture.operatorKey)
        #expect(reply.text == "{\"hasMoved\":\(answer)}")
      }
      let former = try await client.get("\(ServerFixture.path)/entitlements", token: first.token).list("entitlements")
      #expect(former.map { $0["endReason"] as? String } == ["transferred"])
      let now = try await client.get("\(ServerFixture.path)/deliveries", token: second.token).list("deliveries")
      #expect(now.map { $0["productId"] as? String } == [BookStore.book.rawValue])
    }
  }

  private static let refused: [(String, String, Int, String)] = [
    ("grants", #"{"key":"k","credits":{"unit":"coins","amount":1}}"#, 400, "malformedRequest"),
    ("grants", #"{"key":"k","credits":{"unit":"coins","amount":1},"reason":""}"#, 422, "reasonRequired"),
    (
      "grants",
      #"{"key":"k","credits":{"unit":"coins","amount":1},"reason":"\#(String(repeating: "a", count: 1_001))"}"#, 422,
      "reasonRequired"
    ),
    ("grants", #"{"key":"k","reason":"r"}"#, 422, "malformedRequest"),
    (
      "grants", #"{"key":"k","credits":{"unit":"coins","amount":1},"productId":"p","reason":"r"}"#, 422,
      "malformedRequest"
    ),
    (
      "grants", #"{"key":"k","credits":{"unit":"coins","amount":1},"accessUntil":1,"reason":"r"}"#, 422,
      "malformedRequest"
    ),
    ("grants", #"{"key":"k","credits":{"unit":"coins","amount":0},"reason":"r"}"#, 422, "amountOutOfRange"),
    (
      "grants", #"{"key":"k","credits":{"unit":"coins","amount":-9223372036854775808},"reason":"r"}"#, 422,
      "amountOutOfRange"
    ),
    ("grants", #"{"key":"k","credits":{"unit":"coins","amount":-1},"reason":"r"}"#, 409, "insufficientCredits"),
    ("grants", #"{"key":"k","credits":{"unit":"c c","amount":1},"reason":"r"}"#, 400, "malformedRequest"),
    ("grants", #"{"key":"","credits":{"unit":"coins","amount":1},"reason":"r"}"#, 422, "invalid"),
    ("grants", #"{"key":"k","credits":{"unit":"coins","amount":1},"reason":"a\u0000b"}"#, 400, "malformedRequest"),
    ("grants", #"{"key":"k","productId":"com.example.none","reason":"r"}"#, 404, "unknownProduct"),
    ("grants", #"{"key":"k","productId":"com.example.reader.coins","reason":"r"}"#, 422, "invalid"),
    (
      "grants", #"{"key":"k","productId":"com.example.reader.poem","accessUntil":9223372036854775807,"reason":"r"}"#,
      422, "malformedRequest"
    ),
    (
      "grants", #"{"key":"k","productId":"com.example.reader.poem","accessUntil":-9223372036854775808,"reason":"r"}"#,
      422, "malformedRequest"
    ),
    ("revocations", #"{"productId":"p","source":"s"}"#, 400, "malformedRequest"),
    ("lifts", #"{"unit":"coins"}"#, 400, "malformedRequest"),
    ("moves", #"{"transactionId":"12","environment":"Production","reason":"r"}"#, 404, "unknownClaim"),
    ("moves", #"{"transactionId":"12","environment":"Moon","reason":"r"}"#, 400, "malformedRequest"),
    ("moves", #"{"transactionId":"twelve","environment":"Production","reason":"r"}"#, 400, "malformedRequest"),
    ("moves", #"{"transactionId":"12","environment":"Production"}"#, 400, "malformedRequest"),
    ("lifts", #"{"unit":"coins","raeson":"r"}"#, 400, "malformedRequest"),
  ]

  @Test("an impossible operation is refused, and nothing is changed or audited", arguments: refused)
  func refusals(path: String, body: String, status: Int, code: String) async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let before = try await fixture.ledger.auditLog().count
    let reply = try await fixture.withClient {
      try await $0.post("\(Self.app)/customers/\(reader.customer)/\(path)", body, token: fixture.operatorKey)
    }
    #expect((reply.status, reply.code) == (status, code), "\(reply.text)")
    #expect(try await fixture.belongings(of: reader.token) == ServerFixture.nothing)
    #expect(try await fixture.ledger.auditLog().count == before)
  }

  @Test("an unknown id: 404; an invalid id: 400")
  func unknownCustomers() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      let unknown = UUID().uuidString
      for path in ["customers/\(unknown)"] {
        let reply = try await client.get("/v1/operator/\(path)", token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (404, "unknownCustomer"))
      }
      for id in ["x", "%00", "..%2F", "1"] {
        let reply = try await client.get("/v1/operator/customers/\(id)", token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (400, "malformedRequest"))
      }
      let grant = #"{"key":"k","credits":{"unit":"coins","amount":1},"reason":"r"}"#
      let reply = try await client.post("\(Self.app)/customers/\(unknown)/grants", grant, token: fixture.operatorKey)
      #expect((reply.status, reply.code) == (404, "unknownCustomer"))
      let elsewhere = try await client.post(
        "/v1/operator/apps/com.example.none/customers/\(unknown)/grants", grant, token: fixture.operatorKey)
      #expect((elsewhere.status, elsewhere.code) == (404, "unknownApp"))
    }
  }

  @Test("a customer is found by subject and by transaction")
  func find() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    let ada = try await fixture.ledger.identify(subject: "https://id.example ada")
    try await fixture.withClient { client in
      _ = try await client.redeem(purchase, token: reader.token)
      let byTransaction = try await client.get(
        "/v1/operator/customers?transactionId=\(purchase.id)", token: fixture.operatorKey)
      #expect(byTransaction.object["customers"] as? [String] == [reader.customer])
      let bySubject = try await client.get(
        "/v1/operator/customers?subject=https%3A%2F%2Fid.example%20ada", token: fixture.operatorKey)
      #expect(bySubject.object["customers"] as? [String] == ["\(ada.customer)"])
      let all = try await client.get("/v1/operator/customers/\(reader.customer)", token: fixture.operatorKey)
      #expect(all.list("purchases").count == 1)
      for query in [
        "", "?subjct=ada", "?transactionId=x", "?subject=a%00b", "?subject=a&transactionId=1",
        "?subject=&transactionId=x",
      ] {
        let reply = try await client.get("/v1/operator/customers\(query)", token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(query)")
      }
    }
  }

  @Test("a key is created, is valid, is listed without its secret, and is revoked permanently")
  func keys() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      let made = try await client.post("/v1/operator/keys", #"{"name":"otto"}"#, token: fixture.operatorKey)
      #expect(made.status == 201)
      let (token, id) = (
        try #require(made.object["token"] as? String), try #require(made.object["id"] as? String)
      )
      let keys = try await client.get("/v1/operator/keys", token: token)
      #expect(Set(keys.list("keys").compactMap { $0["name"] as? String }) == ["olga", "otto"])
      #expect(!keys.text.contains(token))
      #expect(try await client.send(.delete, "/v1/operator/keys/\(id)", token: fixture.operatorKey).status == 204)
      #expect(try await client.send(.delete, "/v1/operator/keys/\(id)", token: fixture.operatorKey).status == 204)
      let revoked = try await client.get("/v1/operator/keys", token: token)
      #expect((revoked.status, revoked.code) == (401, "tokenRefused"))
      #expect(revoked.headers[.wwwAuthenticate] == "Bearer")
      let unknown = try await client.send(.delete, "/v1/operator/keys/none", token: fixture.operatorKey)
      #expect((unknown.status, unknown.code) == (404, "unknownKey"))
      let audit = try await client.get("/v1/operator/audit", token: fixture.operatorKey)
      #expect(audit.list("entries").filter { $0["action"] as? String == "revokeOperatorKey" }.count == 1)
      for body in [#"{"name":""}"#, #"{"name":"a\u0000"}"#, #"{"nmae":"a"}"#] {
        let reply = try await client.post("/v1/operator/keys", body, token: fixture.operatorKey)
        #expect([400, 422].contains(reply.status))
      }
    }
  }

  private static let endpoints: [(HTTPRequest.Method, String)] = [
    (.put, "\(app)/products/p"), (.put, "content?sha256=\(String(repeating: "a", count: 64))"),
    (.put, "\(app)/products/p/content"), (.get, "customers?subject=x"), (.get, "customers/x"),
    (.post, "\(app)/customers/x/grants"), (.post, "\(app)/customers/x/revocations"),
    (.post, "\(app)/customers/x/lifts"), (.post, "\(app)/customers/x/moves"), (.get, "keys"), (.post, "keys"),
    (.delete, "keys/x"), (.get, "audit"),
    (.post, "backups"),
  ]

  @Test("every endpoint for operators requires a key before anything else", arguments: endpoints)
  func keyRequired(method: HTTPRequest.Method, path: String) async throws {
    let path = path.hasPrefix("/") ? path : "/v1/operator/\(path)"
    try await ServerFixture().withClient { client in
      for (token, code) in [(nil, "tokenRequired"), ("operator_none", "tokenRefused"), ("x", "tokenRequired")] {
        let reply = try await client.send(method, path, method == .get ? nil : "{", token: token)
        #expect((reply.status, reply.code) == (401, code), "\(reply.text)")
        #expect(reply.headers[.wwwAuthenticate] == "Bearer")
      }
    }
  }

  @Test("a product that a customer owns keeps its type, and an invalid product is refused")
  func products() async throws {
    let fixture = try await ServerFixture()
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: fixture.bookStore.phone())
    let reader = try await fixture.reader()
    try await fixture.withClient { client in
      _ = try await client.redeem(purchase, token: reader.token)
      let bodies: [(String, String, Int, String)] = [
        ("com.example.reader.book", #"{"type":"Consumable"}"#, 409, "productTypeFixed"),
        ("new", #"{"type":"Consumable","credits":{"unit":"coins","amount":0}}"#, 422, "invalid"),
        ("new", #"{"type":"Consumable","credits":{"unit":"coins","amount":9223372036854775807}}"#, 422, "invalid"),
        ("new", #"{"type":"Non-Consumable","credits":{"unit":"coins","amount":1}}"#, 422, "invalid"),
        ("new", #"{"type":"Free"}"#, 400, "malformedRequest"),
        ("new", #"{"type":"Consumable","islisted":false}"#, 400, "malformedRequest"),
        ("new", #"{"type":"Consumable","credits":{"unit":"coins","amuont":1}}"#, 400, "malformedRequest"),
        (
          "new", #"{"type":"Consumable","localisations":{"en":{"name":"a","descripton":"b"}}}"#, 400,
          "malformedRequest"
        ),
        ("new", #"{"type":"Consumable","localisations":{"e n":{"name":"a","description":"b"}}}"#, 422, "invalid"),
        ("%00", #"{"type":"Consumable"}"#, 400, "malformedRequest"),
        (String(repeating: "a", count: 256), #"{"type":"Consumable"}"#, 422, "invalid"),
      ]
      for (id, body, status, code) in bodies {
        let reply = try await client.send(.put, "\(Self.app)/products/\(id)", body, token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (status, code), "\(body): \(reply.text)")
      }
    }
  }

  @Test("the audit log comes in pages without overlap")
  func audit() async throws {
    let fixture = try await ServerFixture()
    let all = try await fixture.ledger.auditLog().map(\.id)
    try await fixture.withClient { client in
      var (seen, query): ([String], String) = ([], "limit=2")
      while true {
        let page = try await client.get("/v1/operator/audit?\(query)", token: fixture.operatorKey).list("entries")
        seen += page.compactMap { $0["id"] as? String }
        guard let last = page.last, let date = last["date"] as? Int64, let id = last["id"] as? String else { break }
        query = "limit=2&before=\(date)&beforeId=\(id)"
      }
      #expect(seen == all)
      for query in ["limit=0", "limit=x", "Limit=1", "before=x", "beforeId=%00"] {
        let reply = try await client.get("/v1/operator/audit?\(query)", token: fixture.operatorKey)
        #expect([400, 422].contains(reply.status), "\(query)")
      }
    }
  }

  @Test("a backup is made if the database supports it")
  func backups() async throws {
    let without = try await ServerFixture()
    let refused = try await without.withClient {
      try await $0.send(.post, "/v1/operator/backups", token: without.operatorKey)
    }
    #expect((refused.status, refused.code) == (409, "notHere"))
    let folder = try ScratchFolder()
    let database = try SQLiteLedgerDatabase(at: folder.url.appending(path: "ledger.sqlite"))
    var options = ServerFixture.Options()
    options.database = database
    options.backUp = {
      try await database.backUp(to: folder.url.appending(path: "copy.sqlite"))
      return "copy.sqlite"
    }
    let fixture = try await ServerFixture(options)
    let reply = try await fixture.withClient {
      try await $0.send(.post, "/v1/operator/backups", token: fixture.operatorKey)
    }
    #expect((reply.status, reply.object["file"] as? String) == (201, "copy.sqlite"))
    try await database.close()
    let copy = try SQLiteLedgerDatabase(at: folder.url.appending(path: "copy.sqlite"))
    let ledger = try await Ledger(
      database: copy, anchors: fixture.bookStore.anchors, apps: [BookStore.app: LedgerSettings()])
    #expect(try await ledger.catalog(of: BookStore.app).products.count == 4)
    try await copy.close()
  }
}
