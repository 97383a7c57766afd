import Foundation
import HTTPTypes
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

/// Documentation/ledger-events.md, "Export of changes".
@Suite("The export of changes", .timeLimit(.minutes(30)))
struct ChangeEndpointTests {
  private static let path = "/v1/operator/changes"

  private static func lines(_ reply: Reply) throws -> [[String: Any]] {
    try reply.text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
  }

  private static func cursor(_ reply: Reply) throws -> String { try #require(reply.headers[.nextCursor]) }

  private static func grant(_ count: Int, _ fixture: ServerFixture, to customer: String, key: String = "k") async throws
  {
    for number in 0..<count {
      try await fixture.ledger.grant(
        .credits(try #require(CreditUnit(rawValue: "coins")), 1), to: try #require(CustomerID(customer)),
        app: BookStore.app, key: "\(key) \(number)", reason: "a gift", by: "olga")
    }
  }

  @Test("has a line for each event, with its record as it is now; the end is where the cursor stays the same")
  func whole() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await Self.grant(5, fixture, to: reader.customer)
    try await fixture.withClient { client in
      let all = try await client.get(Self.path, token: fixture.operatorKey)
      #expect(all.headers[.contentType] == "application/x-ndjson" && all.headers[.cacheControl] == "no-store")
      let lines = try Self.lines(all)
      #expect(lines.map { $0["type"] as? String } == Array(repeating: "credits.moved", count: 5))
      let first = try #require(lines.first)
      #expect(first["customer"] as? String == reader.customer && first["app"] as? String == BookStore.app.rawValue)
      #expect(first["version"] as? Int == 1 && first["filledIn"] as? Bool == false && first["sequence"] as? Int == 1)
      #expect((first["details"] as? [String: Any])?["amount"] as? Int == 1)
      let movement = (first["record"] as? [String: Any])?["movement"] as? [String: Any]
      #expect(movement?["balance"] as? Int == 1)

      let end = try await client.get("\(Self.path)?after=\(Self.cursor(all))", token: fixture.operatorKey)
      #expect(end.status == 200 && end.body.isEmpty)
      #expect(try Self.cursor(end) == Self.cursor(all))
      // The cursor of a line is as good as that of a page.
      let third = try #require(lines[2]["cursor"] as? String)
      let rest = try await client.get("\(Self.path)?after=\(third)", token: fixture.operatorKey)
      #expect(try Self.lines(rest).map { $0["cursor"] as? String } == lines.suffix(2).map { $0["cursor"] as? String })
      #expect(try await client.send(.head, Self.path, token: fixture.operatorKey).status == 200)
    }
  }

  @Test("pages of each size have the same lines; an empty ledger has a cursor, after which its events come")
  func pages() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client in
      let empty = try await client.get(Self.path, token: fixture.operatorKey)
      #expect(empty.body.isEmpty)
      try await Self.grant(7, fixture, to: reader.customer)
      let all = try await client.get("\(Self.path)?after=\(Self.cursor(empty))", token: fixture.operatorKey).text
      for limit in [1, 2, 3, 6, 7, 8, 1_000] {
        var (text, cursor) = ("", try Self.cursor(empty))
        while true {
          let page = try await client.get("\(Self.path)?after=\(cursor)&limit=\(limit)", token: fixture.operatorKey)
          text += page.text
          #expect(page.text.split(separator: "\n").count <= limit)
          let next = try Self.cursor(page)
          if next == cursor { break }
          cursor = next
        }
        #expect(text == all)
      }
      let none = try await client.get("\(Self.path)?app=com.example.none", token: fixture.operatorKey)
      #expect((none.status, none.code) == (404, "unknownApp"))
      let own = try await client.get("\(Self.path)?app=\(BookStore.app)", token: fixture.operatorKey)
      #expect(own.text == all)
    }
  }

  @Test("a cursor that is none, is of another ledger, or has a limit out of range is refused; nothing is answered")
  func refused() async throws {
    let (fixture, other) = (try await ServerFixture(), try await ServerFixture())
    let foreign = try await other.withClient { try Self.cursor(try await $0.get(Self.path, token: other.operatorKey)) }
    try await fixture.withClient { client in
      let key = fixture.operatorKey
      for text in ["x", "%2B", "e30", "WyJhIl0", ""] {
        let reply = try await client.get("\(Self.path)?after=\(text)", token: key)
        #expect([400, 422].contains(reply.status) && reply.headers[.nextCursor] == nil, "\(text): \(reply.text)")
      }
      let reply = try await client.get("\(Self.path)?after=\(foreign)", token: key)
      #expect((reply.status, reply.code) == (409, "unknownCursor"))
      for limit in ["0", "-1", "1001", "x"] {
        #expect([400, 422].contains(try await client.get("\(Self.path)?limit=\(limit)", token: key).status))
      }
    }
  }

  @Test("an erased customer's lines show nothing personal, and no line has a token, device or proof")
  func erased() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await Self.grant(2, fixture, to: reader.customer, key: "for ada@example.com")
    let device = UUID().uuidString.lowercased()
    try await fixture.withClient { client in
      _ = try await client.post("\(ServerFixture.path)/installations", #"{"device":"\#(device)"}"#)
      let before = try await client.get(Self.path, token: fixture.operatorKey).text
      #expect(before.contains("ada@example.com"))
      for secret in [reader.token, BearerToken(text: reader.token).hash, device, "olga", "a gift"] {
        #expect(!before.contains(secret))
      }
      try await fixture.ledger.erase(try #require(CustomerID(reader.customer)))
      let after = try await client.get(Self.path, token: fixture.operatorKey)
      #expect(!after.text.contains("ada@example.com"))
      let lines = try Self.lines(after)
      #expect(lines.last?["type"] as? String == "customer.erased")
      #expect(lines.allSatisfy { $0["record"] is NSNull && $0["subject"] == nil })
    }
  }

  @Test("a large page is sent in pieces, each of which counts as a request of the operator")
  func rate() async throws {
    var options = ServerFixture.Options()
    options.configuration.limits.burst = 4
    options.configuration.limits.requestsPerSecond = 0.5
    let fixture = try await ServerFixture(options)
    let reader = try await fixture.reader()
    try await Self.grant(600, fixture, to: reader.customer)
    try await fixture.withClient { client in
      let key = fixture.operatorKey
      // The first request of a token counts for its address.
      #expect(try await client.get("/v1/operator/self", token: key).status == 200)
      let reply = try await client.get("\(Self.path)?limit=1000", token: key)
      #expect(try Self.lines(reply).count == 600 && reply.body.count > 4 * 65_536)
      #expect(try await client.get("/v1/operator/self", token: key).status == 429)
      fixture.time.advance(seconds: 60)
      #expect(try await client.get("/v1/operator/self", token: key).status == 200)
    }
  }
}
