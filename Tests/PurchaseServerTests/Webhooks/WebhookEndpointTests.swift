import Foundation
import HTTPTypes
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The operators' endpoints for webhooks", .timeLimit(.minutes(30)))
struct WebhookEndpointTests {
  private static let path = "/v1/operator/webhooks"

  private static func fixture(allowsLoopback: Bool = false) async throws -> ServerFixture {
    var options = ServerFixture.Options()
    options.configuration.allowsLoopbackWebhooks = allowsLoopback
    return try await ServerFixture(options)
  }

  private static func body(_ more: String = "", url: String = "https://hooks.example/a") -> String {
    #"{"name":"backend","url":"\#(url)","reason":"a test"\#(more)}"#
  }

  @Test("a webhook is created, listed, changed, disabled, enabled, and removed")
  func life() async throws {
    let fixture = try await Self.fixture()
    let key = fixture.operatorKey
    try await fixture.withClient { client in
      #expect(try await client.get(Self.path, token: key).list("webhooks").isEmpty)
      let made = try await client.post(Self.path, Self.body(), token: key)
      #expect(made.status == 201)
      let webhook = try #require(made.object["webhook"] as? [String: Any])
      let id = try #require(webhook["id"] as? String)
      #expect(webhook["types"] == nil && webhook["apps"] == nil && webhook["disabled"] == nil)
      #expect(webhook["environments"] as? [String] == ["Production"])
      let own = "\(Self.path)/\(id)"
      let changed = try await client.send(
        .patch, own, #"{"types":["REFUND","RENEWAL"],"environments":["Sandbox","Production"]}"#, token: key)
      #expect(changed.status == 200, "\(changed.text)")
      #expect(Set(changed.object["types"] as? [String] ?? []) == ["REFUND", "RENEWAL"])
      #expect(changed.object["url"] as? String == "https://hooks.example/a")
      let disabled = try await client.send(.patch, own, #"{"isDisabled":true}"#, token: key)
      #expect(disabled.object["disabled"] as? Int64 == fixture.clock.now.millisecondsSince1970)
      #expect(Set(disabled.object["types"] as? [String] ?? []) == ["REFUND", "RENEWAL"])
      let all = try await client.send(
        .patch, own, #"{"types":[],"apps":["com.example.reader"],"isDisabled":false}"#, token: key)
      #expect(all.object["types"] == nil && all.object["disabled"] == nil)
      #expect(all.object["apps"] as? [String] == ["com.example.reader"])
      let unknown = try await client.send(.patch, own, #"{"apps":["com.example.none"]}"#, token: key)
      #expect((unknown.status, unknown.code) == (404, "unknownApp"))
      #expect(try await client.get(own, token: key).text == all.text)
      #expect(try await client.get(Self.path, token: key).list("webhooks").count == 1)
      #expect(try await client.send(.delete, "\(own)?reason=unused", token: key).status == 204)
      for (method, path) in [
        (HTTPRequest.Method.get, own), (.patch, own), (.delete, own), (.post, "\(own)/rotate"), (.post, "\(own)/test"),
        (.get, "\(own)/deliveries"), (.post, "\(own)/deliveries/1/resend"),
      ] {
        let reply = try await client.send(method, path, method == .get || method == .delete ? nil : "{}", token: key)
        #expect((reply.status, reply.code) == (404, "unknownWebhook"), "\(method) \(path)")
      }
    }
  }

  @Test(
    "a URL that is not https is refused at the creation and at a change, unless it leads to this machine and that is allowed"
  )
  func urls() async throws {
    let fixture = try await Self.fixture()
    let (key, local) = (fixture.operatorKey, "http://127.0.0.1:1/hook")
    try await fixture.withClient { client in
      let made = try await client.post(Self.path, Self.body(), token: key)
      let id = try #require((made.object["webhook"] as? [String: Any])?["id"] as? String)
      for url in [
        local, "http://hooks.example/", "ftp://hooks.example/", "https://olga:pass@hooks.example/", "https://a b/", "x",
        "https://hooks.example/#a", "https://hooks.example/" + String(repeating: "a", count: 2_000),
      ] {
        let new = try await client.post(Self.path, Self.body(url: url), token: key)
        #expect((new.status, new.code) == (422, "invalid"), "\(url): \(new.text)")
        let change = try await client.send(.patch, "\(Self.path)/\(id)", #"{"url":"\#(url)"}"#, token: key)
        #expect((change.status, change.code) == (422, "invalid"), "\(url): \(change.text)")
      }
      #expect(try await client.get(Self.path, token: key).list("webhooks").count == 1)
    }
    let allowing = try await Self.fixture(allowsLoopback: true)
    try await allowing.withClient { client in
      let made = try await client.post(Self.path, Self.body(url: local), token: allowing.operatorKey)
      #expect(made.status == 201)
      let other = try await client.post(
        Self.path, Self.body(url: "http://hooks.example/"), token: allowing.operatorKey)
      #expect(other.status == 422)
    }
  }

  @Test("wrong values are refused: no name, no environment, an unknown type or app, TEST, a foreign cursor")
  func refused() async throws {
    let (fixture, other) = (try await Self.fixture(), try await Self.fixture())
    let foreign = try await other.withClient { client in
      try #require(try await client.get("/v1/operator/events", token: other.operatorKey).headers[.nextCursor])
    }
    try await fixture.withClient { client in
      for (body, status, code) in [
        (#"{"name":" ","url":"https://hooks.example/"}"#, 422, "invalid"),
        (#"{"url":"https://hooks.example/"}"#, 400, "malformedRequest"),
        (Self.body(#","environments":[]"#), 422, "invalid"),
        (Self.body(#","types":["LOST"]"#), 400, "malformedRequest"),
        (Self.body(#","types":["TEST"]"#), 422, "invalid"), (Self.body(#","apps":["none"]"#), 404, "unknownApp"),
        (Self.body(#","secret":"whsec_""#), 400, "malformedRequest"),
        (Self.body(#","after":"\#(foreign)""#), 409, "unknownCursor"),
      ] {
        let reply = try await client.post(Self.path, body, token: fixture.operatorKey)
        #expect((reply.status, reply.code) == (status, code), "\(body): \(reply.text)")
      }
      #expect(try await client.get(Self.path, token: fixture.operatorKey).list("webhooks").isEmpty)
    }
  }

  @Test("of two changes at the same time, none is lost")
  func concurrent() async throws {
    let fixture = try await Self.fixture()
    let key = fixture.operatorKey
    try await fixture.withClient { client in
      let made = try await client.post(Self.path, Self.body(), token: key)
      let own = "\(Self.path)/\(try #require((made.object["webhook"] as? [String: Any])?["id"] as? String))"
      for round in 1...20 {
        let changes = [#"{"name":"n\#(round)"}"#, #"{"url":"https://hooks.example/\#(round)"}"#]
        try await withThrowingTaskGroup(of: Int.self) { group in
          for change in changes {
            group.addTask { try await client.send(.patch, own, change, token: key).status }
          }
          for try await status in group { #expect(status == 200) }
        }
        let changed = try await client.get(own, token: key).object
        #expect(changed["name"] as? String == "n\(round)")
        #expect(changed["url"] as? String == "https://hooks.example/\(round)")
      }
    }
  }

  @Test("the secret is in the answers that create and rotate it, and nowhere else; a rotation replaces it")
  func secret() async throws {
    let fixture = try await Self.fixture()
    let key = fixture.operatorKey
    try await fixture.withClient { client in
      let made = try await client.post(Self.path, Self.body(), token: key)
      #expect(made.headers[.cacheControl] == "no-store")
      let id = try #require((made.object["webhook"] as? [String: Any])?["id"] as? String)
      let rotated = try await client.post("\(Self.path)/\(id)/rotate", "{}", token: key)
      let secrets = try [made, rotated].map { try #require($0.object["secret"] as? String) }
      #expect(secrets[0] != secrets[1] && secrets.allSatisfy { WebhookSecret(text: $0)?.key.count == 32 })
      let until = (rotated.object["webhook"] as? [String: Any])?["previousSecretUntil"] as? Int64
      #expect(until == fixture.clock.now.adding(seconds: Webhook.rotationSeconds).millisecondsSince1970)
      _ = try await client.post("\(Self.path)/\(id)/test", "{}", token: key)
      let session = try await PageSession(client, key: key)
      var texts = try await [session.get("/operator/webhooks").text, session.get("/operator/webhook?id=\(id)").text]
      for path in [Self.path, "\(Self.path)/\(id)", "\(Self.path)/\(id)/deliveries", "/v1/operator/audit", "/metrics"] {
        texts.append(try await client.get(path, token: key).text)
      }
      // A URL can have a secret as well. Keys with the role read see the audit log.
      for url in ["https://hooks.example:8443/part-of-url", "https://hooks.example:8444/a?token=part-of-url"] {
        #expect(try await client.post(Self.path, Self.body(url: url), token: key).status == 201)
        let changed = try await client.send(.patch, "\(Self.path)/\(id)", #"{"url":"\#(url)"}"#, token: key)
        #expect(changed.status == 200)
      }
      let reader = try await fixture.ledger.createOperatorKey(name: "otto", role: .read, by: .commandLine).token.text
      let audit = try await client.get("/v1/operator/audit", token: reader)
      let details = audit.list("entries").compactMap { $0["detail"] as? String }
      for port in [8443, 8444] {
        #expect(details.count(where: { $0.hasPrefix("https://hooks.example:\(port)") }) == 2, "\(details)")
      }
      let page = try await PageSession(client, key: reader).get("/operator/audit")
      #expect(page.status == 200)
      #expect(!audit.text.contains("part-of-url") && !page.text.contains("part-of-url"))
      for secret in secrets {
        #expect(!texts.contains { $0.contains(secret) })
        #expect(!fixture.log.lines.contains { $0.contains(secret) })
      }
    }
  }

  @Test("a test is a message of its own, and a settled message can be sent again, another one not")
  func deliveries() async throws {
    let fixture = try await Self.fixture()
    let key = fixture.operatorKey
    try await fixture.withClient { client in
      let made = try await client.post(Self.path, Self.body(#","types":["REFUND"]"#), token: key)
      let own = "\(Self.path)/\(try #require((made.object["webhook"] as? [String: Any])?["id"] as? String))"
      for number in 1...3 {
        let test = try await client.post("\(own)/test", "{}", token: key)
        #expect(test.object["type"] as? String == "TEST" && test.object["state"] as? String == "waiting")
        #expect(test.object["number"] as? Int == number)
      }
      let again = try await client.post("\(own)/deliveries/1/resend", "{}", token: key)
      #expect((again.status, again.code) == (409, "webhookDeliveryNotSettled"))
      let lease = try #require(try await fixture.ledger.takeWebhookDelivery())
      _ = try await fixture.ledger.settle(lease, .delivered(status: 204))
      let sent = try await client.post("\(own)/deliveries/\(lease.number)/resend", "{}", token: key)
      #expect(sent.status == 200 && sent.object["message"] as? String == lease.message)
      let none = try await client.post("\(own)/deliveries/9/resend", "{}", token: key)
      #expect((none.status, none.code) == (404, "unknownWebhookDelivery"))
      let first = try await client.get("\(own)/deliveries?limit=2", token: key)
      #expect(first.list("deliveries").map { $0["number"] as? Int } == [3, 2])
      let next = try #require(first.object["next"] as? String)
      let second = try await client.get("\(own)/deliveries?limit=2&after=\(next)", token: key)
      #expect(second.list("deliveries").map { $0["number"] as? Int } == [1] && second.object["next"] == nil)
      #expect(try await client.get("\(own)/deliveries?state=dead", token: key).list("deliveries").isEmpty)
      #expect(try await client.get("\(own)/deliveries?state=lost", token: key).status == 400)
    }
  }

  @Test(
    "the events are messages, one in each line; pages of each size have the same lines, and the cursor of a message goes on"
  )
  func events() async throws {
    let fixture = try await Self.fixture()
    let (key, reader) = (fixture.operatorKey, try await fixture.reader())
    let path = "/v1/operator/events"
    try await fixture.withClient { client in
      let empty = try await client.get(path, token: key)
      #expect(empty.status == 200 && empty.body.isEmpty && empty.headers[.contentType] == "application/x-ndjson")
      for number in 1...7 {
        try await fixture.ledger.grant(
          .credits(try #require(CreditUnit(rawValue: "coins")), 1), to: try #require(CustomerID(reader.customer)),
          app: BookStore.app, key: "k\(number)", reason: "a gift", by: "olga")
      }
      let all = try await client.get(path, token: key)
      let lines = try all.text.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      let data = lines.map { $0["data"] as? [String: Any] ?? [:] }
      #expect(data.map { ($0["credits"] as? [String: Any])?["key"] as? String } == (1...7).map { "k\($0)" })
      #expect(
        lines.allSatisfy { $0["type"] as? String == "VIRTUAL_CURRENCY_TRANSACTION" && $0["version"] as? Int == 1 })
      #expect(Set(data.compactMap { $0["id"] as? String }).count == 7)
      for limit in [1, 2, 3, 7, 1_000] {
        var (text, cursor) = ("", try #require(empty.headers[.nextCursor]))
        while true {
          let page = try await client.get("\(path)?after=\(cursor)&limit=\(limit)", token: key)
          text += page.text
          #expect(page.text.split(separator: "\n").count <= limit)
          let next = try #require(page.headers[.nextCursor])
          if next == cursor { break }
          cursor = next
        }
        #expect(text == all.text)
      }
      let third = try #require(data[2]["cursor"] as? String)
      let rest = try await client.get("\(path)?after=\(third)", token: key).text
      #expect(rest == all.text.split(separator: "\n").suffix(4).map { $0 + "\n" }.joined())
      // The same cursor is good for the export of changes, and for a webhook.
      #expect(try await client.get("/v1/operator/changes?after=\(third)", token: key).status == 200)
      let made = try await client.post(Self.path, Self.body(#","after":"\#(third)""#), token: key)
      #expect(made.status == 201, "\(made.text)")
      #expect(try await fixture.ledger.takeMessages() == 4)
      #expect(try await client.get("\(path)?app=com.example.none", token: key).code == "unknownApp")
      #expect([400, 422].contains(try await client.get("\(path)?after=x", token: key).status))
      #expect([400, 422].contains(try await client.get("\(path)?limit=0", token: key).status))
    }
  }
}
