import APIDescription
import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing
import WebSupport

@testable import PurchaseLedger
@testable import PurchaseServer

/// The browser tests press the buttons of these pages (Tests/BrowserTests/test_operator.py).
@Suite("The operator's pages", .timeLimit(.minutes(30))) struct OperatorPagesTests {
  /// Signs in, and returns the header with the session's cookie.
  private static func signIn(
    _ client: any TestClientProtocol, _ key: String, next: String = "/operator/"
  ) async throws -> (Reply, headers: [String: String]) {
    let reply = try await client.send(
      .post, "/operator/sign-in", PageSession.form([("token", key), ("next", next)]), headers: PageSession.origin)
    let cookie = reply.headers[.setCookie]?.split(separator: ";").first.map(String.init)
    return (reply, cookie.map { ["Cookie": $0] } ?? [:])
  }

  /// The hidden token of the form with an id.
  private static func token(of form: String, on page: String) throws -> String {
    let start = try #require(page.range(of: "id=\"\(form)\""))
    let match = try #require(page[start.upperBound...].firstMatch(of: /name="token" value="([0-9a-f]{64})"/))
    return String(match.1)
  }

  @Test(
    "the session's cookie is HttpOnly and SameSite=Strict, over https only behind TLS; it ends with sign-out and with its key"
  ) func session() async throws {
    let fixture = try await ServerFixture()
    let key = try await fixture.ledger.createOperatorKey(name: "otto", role: .read, by: .commandLine)
    try await fixture.withClient { client in
      let (reply, session) = try await Self.signIn(client, " \(key.token.text) ", next: "/operator/audit")
      #expect((reply.status, reply.headers[.location]) == (303, "/operator/audit"))
      let cookie = try #require(reply.headers[.setCookie])
      for part in ["HttpOnly", "SameSite=Strict", "Path=/operator"] { #expect(cookie.contains(part)) }
      #expect(!cookie.contains("Secure") && !cookie.contains(key.token.text))
      let page = try await client.send(.get, "/operator/audit", headers: session)
      #expect(page.status == 200 && page.text.contains("otto"))
      let policy = try #require(page.headers[.contentSecurityPolicy])
      #expect(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe")
      )
      // The API takes the session as a token, never as a cookie.
      #expect(try await client.send(.get, "/v1/operator/self", headers: session).status == 401)
      #expect(
        try await client.send(.post, "/operator/sign-out", "", headers: session.merging(PageSession.origin) { $1 })
          .status == 303)
      #expect(try await client.send(.get, "/operator/audit", headers: session).status == 401)
      let again = try await Self.signIn(client, key.token.text).headers
      try await fixture.ledger.revokeOperatorKey(id: key.identity.id, by: "olga")
      #expect(try await client.send(.get, "/operator/audit", headers: again).status == 401)
      let secure = try await client.send(
        .post, "/operator/sign-in", PageSession.form([("token", fixture.operatorKey)]),
        headers: PageSession.origin.merging(["Origin": "https://localhost"]) { $1 })
      #expect(secure.headers[.setCookie]?.contains("; Secure") == true)
    }
  }

  @Test("wrong keys are counted for each address, and then also the right one has to wait") func guesses() async throws
  {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      for _ in 0..<10 { #expect(try await Self.signIn(client, "operator_wrong").0.status == 401) }
      let reply = try await Self.signIn(client, fixture.operatorKey).0
      #expect(reply.status == 429 && reply.headers[.retryAfter] != nil && reply.headers[.setCookie] == nil)
    }
  }

  @Test("a form needs this origin and the token of its call; the API decides with the session's role") func forms()
    async throws
  {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let support = try await fixture.ledger.createOperatorKey(name: "otto", role: .support, by: .commandLine)
    try await fixture.withClient { client in
      let session = try await Self.signIn(client, support.token.text).headers
      let page = try await client.send(.get, "/operator/customer?id=\(reader.customer)", headers: session)
      #expect(page.status == 200 && page.text.contains(reader.customer))
      let token = try Self.token(of: "credits-com.example.reader.", on: page.text)
      let path = "v1/operator/apps/com.example.reader/customers/\(reader.customer)/grants"
      func grant(_ token: String?, call: String = "POST \(path)", reason: String = "a gift") -> String {
        PageSession.form(
          [
            ("call", call), ("place", "body"), ("key:text", "ticket"), ("credits.unit:text", "coins"),
            ("credits.amount:number", "3"), ("reason:text", reason),
          ] + (token.map { [("token", $0)] } ?? []))
      }
      func send(_ body: String, _ headers: [String: String] = PageSession.origin) async throws -> Reply {
        try await client.send(.post, "/operator/call", body, headers: session.merging(headers) { $1 })
      }
      for body in [grant(nil), grant(String(repeating: "0", count: 64)), grant(token, call: "POST v1/operator/keys")] {
        let reply = try await send(body)
        #expect((reply.status, reply.code) == (403, "foreignForm"))
      }
      let foreign = ["Origin": "https://evil.example", "Content-Type": "application/x-www-form-urlencoded"]
      for headers in [foreign, ["Content-Type": "application/x-www-form-urlencoded"]] {
        let reply = try await send(grant(token), headers)
        #expect((reply.status, reply.code) == (403, "foreignOrigin"))
      }
      // The API itself names the field that is wrong.
      let unreasoned = try await send(grant(token, reason: String(repeating: "a", count: 1_001)))
      #expect(unreasoned.status == 422 && unreasoned.text.contains("data-field=\"reason:text\""), "\(unreasoned.text)")
      let excessive = try await send(
        grant(token).replacing("credits.amount%3Anumber=3", with: "credits.amount%3Anumber=-3"))
      #expect(excessive.status == 409 && excessive.text.contains("data-field=\"credits.amount:number\""))
      #expect(try await fixture.ledger.auditLog().allSatisfy { $0.action != "grant" })
      #expect(try await send(grant(token)).status == 303)
      let entry = try #require(try await fixture.ledger.auditLog().first { $0.action == "grant" })
      #expect(entry.operatorName == "otto" && entry.detail.hasSuffix("a gift"))
      // What this role may not is not on the page, and is refused to a form that has been kept from another one.
      #expect(!page.text.contains("id=\"erase\""))
      let own = try #require(session["Cookie"]?.split(separator: "=").last.map(String.init))
      let erasure = try await client.send(
        .post, "/v1/operator/customers/\(reader.customer)/erasure", #"{"reason":"x"}"#,
        headers: ["Authorization": "Bearer \(own)"])
      #expect((erasure.status, erasure.code) == (403, "roleRequired"))
    }
  }

  @Test("an export is a file, and the audit log has its reason; a revoked entitlement is on the page") func export()
    async throws
  {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client in
      let session = try await Self.signIn(client, fixture.operatorKey).headers
      let page = try await client.send(.get, "/operator/customer?id=\(reader.customer)", headers: session)
      let fields = [
        ("call", "POST v1/operator/customers/\(reader.customer)/exports"), ("place", "body"),
        ("token", try Self.token(of: "export", on: page.text)), ("download", "customer-\(reader.customer).json"),
        ("reason:text", "asked for by mail"),
      ]
      let reply = try await client.send(
        .post, "/operator/call", PageSession.form(fields), headers: session.merging(PageSession.origin) { $1 })
      #expect(reply.status == 200 && reply.object["customer"] as? String == reader.customer)
      #expect(reply.headers[.contentDisposition] == "attachment; filename=\"customer-\(reader.customer).json\"")
      let hostile = fields.map { $0.0 == "download" ? ($0.0, "x\"; y") : $0 }
      let refused = try await client.send(
        .post, "/operator/call", PageSession.form(hostile), headers: session.merging(PageSession.origin) { $1 })
      #expect((refused.status, refused.code) == (400, "malformedRequest"))
      #expect(try await fixture.ledger.auditLog().first { $0.action == "export" }?.detail == "asked for by mail")
    }
  }

  @Test("a search leads to the only customer; names of customers are escaped") func search() async throws {
    let fixture = try await ServerFixture()
    let subject = "https://id.example \"><script>alert(1)</script>"
    let ada = try await fixture.ledger.identify(subject: subject)
    try await fixture.withClient { client in
      let session = try await Self.signIn(client, fixture.operatorKey).headers
      for text in ["\(ada.customer)", subject] {
        let reply = try await client.send(.get, "/operator/search\(AddressText.query([("q", text)]))", headers: session)
        #expect((reply.status, reply.headers[.location]) == (303, "/operator/customer?id=\(ada.customer)"))
      }
      let page = try await client.send(.get, "/operator/customer?id=\(ada.customer)", headers: session)
      #expect(page.status == 200 && !page.text.contains("<script>alert") && page.text.contains("&lt;script&gt;alert"))
      // A customer without rows can be given something in each of the server's apps.
      for app in [BookStore.otherApp, BookStore.app].map(\.rawValue) {
        let token = try Self.token(of: "credits-\(app).", on: page.text)
        let path = "v1/operator/apps/\(app)/customers/\(ada.customer)/grants"
        #expect(!token.isEmpty && page.text.contains(path), "\(app)")
      }
      let unknown = try await client.send(.get, "/operator/search?q=nobody", headers: session)
      #expect(unknown.status == 200 && unknown.text.contains("No customer has this id"))
      let none = try await client.send(.get, "/operator/customer?id=\(UUID())", headers: session)
      #expect(none.status == 404 && none.text.contains("There is no such customer"))
    }
  }

  @Test("access that has ended by time is shown as expired, and a reversed refund of credits is on the timeline")
  func states() async throws {
    let fixture = try await ServerFixture()
    let ada = try await fixture.ledger.identify(subject: "https://id.example ada").customer
    let coins = try #require(CreditUnit(rawValue: "coins"))
    for (grant, key) in [
      (OperatorGrant.product(BookStore.book, accessUntil: fixture.clock.now.adding(seconds: 60)), "a"),
      (OperatorGrant.credits(coins, 5), "b"),
    ] { try await fixture.ledger.grant(grant, to: ada, app: BookStore.app, key: key, reason: "a gift", by: "olga") }
    try await fixture.withClient { client in
      let session = try await Self.signIn(client, fixture.operatorKey).headers
      for (badge, other) in [(">owned<", ">expired<"), (">expired<", ">owned<")] {
        let page = try await client.send(.get, "/operator/customer?id=\(ada)", headers: session)
        #expect(page.text.contains(badge) && !page.text.contains(other), "\(badge)")
        fixture.clock.advance(seconds: 60)
      }
    }
    let summary = try await fixture.ledger.summary(of: ada)
    let movement = CreditMovement(
      sequence: 2, amount: 3, balance: 8, counterAccount: .refunds, cause: .refundReversed, key: "1@0",
      date: summary.date)
    let timeline = CustomerTimeline(summary: summary, movements: [[movement]]).html
    #expect(timeline.text.contains(">refund reversed<") && timeline.text.contains("coins"), "\(timeline.text)")
  }

  @Test("the first period of a subscription is no renewal, also if its purchase is not among the newest ones")
  func firstPeriod() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let club = try await fixture.bookStore.buy(BookStore.club, on: fixture.bookStore.phone())
    #expect(try await fixture.withClient { try await $0.redeem(club, token: reader.token) }.status == 200)
    let summary = try await fixture.ledger.summary(of: try #require(CustomerID(reader.customer)))
    #expect(summary.periods.map(\.transaction) == [club.id])
    let data = try JSONEncoder().encode(summary)
    var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    object["purchases"] = [Any]()
    let cut = try JSONDecoder().decode(
      CustomerSummary.self, from: JSONSerialization.data(withJSONObject: object))
    let timeline = CustomerTimeline(summary: cut, movements: []).html
    #expect(timeline.text.contains(">period begun<") && !timeline.text.contains(">renewed<"), "\(timeline.text)")
  }
}
