import Foundation
import HTTPTypes
import SharedFixtures
import Testing

@testable import PurchaseServer

@Suite("Limits of what the server reads", .timeLimit(.minutes(30)))
struct BoundsTests {
  private static let marks = String(repeating: "\u{301}\u{316}", count: 16)
  private static let encodedMarks = String(repeating: "%CC%81%CC%96", count: 16)

  @Test(
    "a body announced to be larger than its endpoint's limit is refused with 413 before it is read",
    arguments: [
      ("POST", "\(ServerFixture.path)/redemptions", 13 << 20, false),
      ("POST", "\(ServerFixture.path)/restores", 13 << 20, false),
      ("POST", "\(ServerFixture.path)/installations", 5_000, false), ("POST", "/v1/operator/keys", 5_000, true),
      ("PUT", "/v1/operator/apps/com.example.reader/products/x", 2 << 20, true),
    ])
  func announced(method: String, path: String, length: Int, isOperator: Bool) async throws {
    let fixture = try await ServerFixture()
    let token = isOperator ? fixture.operatorKey : try await fixture.reader().token
    let answer = try await fixture.listening { port, _ in
      try await RawConnection(toPort: port).exchange(
        [
          "\(method) \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: \(length)\r\n\r\n"
        ], until: "}")
    }
    #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(200))")
  }

  @Test("a value that is not allowed is named, with what is expected, and without a name of Swift")
  func values() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client async throws in
      let spend = #"{"key":"one","amount":1}"#
      let claimed = #"{"proof":{"appReceipt":"AAAA"},"purchases":[{"transactionId":"12a"}]}"#
      let granted = #"{"key":"k","reason":"r","credits":{"unit":"two words","amount":1}}"#
      let customer = "/v1/operator/apps/com.example.reader/customers"
      for (path, body, message) in [
        (
          "\(ServerFixture.path)/credits/two%20words/spends", spend,
          #"unit: "two words" is not allowed; it has to match ^"#
        ),
        (
          "\(ServerFixture.path)/redemptions", claimed,
          "12a is no transaction id; those are 1 to 20 decimal digits."
        ),
        ("\(customer)/nobody/grants", granted, #"customer: "nobody" is not allowed; it has to be a UUID."#),
        (
          "\(customer)/\(reader.customer)/grants", granted,
          #"credits.unit: "two words" is not allowed; it has to match ^[A-Za-z0-9._-]{1,64}$."#
        ),
      ] {
        let token = path.contains("operator") ? fixture.operatorKey : reader.token
        let reply = try await client.post(path, body, token: token)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(reply.text)")
        #expect(reply.message.contains(message), "\(reply.text)")
      }
    }
  }

  @Test("a member that occurs twice is refused by name, and nothing is spent")
  func repeatedMembers() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client async throws in
      for (path, body, name) in [
        ("credits/coins/spends", #"{"key":"one","amount":1,"amount":100}"#, "amount"),
        ("redemptions", #"{"proof":{"appReceipt":"AAAA","appReceipt":"AAAB"},"purchases":[]}"#, "appReceipt"),
        // Foundation considers U+212A (KELVIN SIGN) and K equal.
        ("credits/coins/spends", #"{"key":"one","amount":1,"K":1,"\u212a":2}"#, "K"),
      ] {
        let reply = try await client.post("\(ServerFixture.path)/\(path)", body, token: reader.token)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(reply.text)")
        #expect(reply.message.contains("the name \(name) occurs twice"), "\(reply.text)")
      }
    }
  }

  @Test("a body that is no JSON by RFC 8259 is refused, and nothing is spent")
  func malformed() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client async throws in
      for body in [
        #"{"key":"one","amount":1,}"#, #"{"key":"one","amount":01}"#, #"{"key":"one","amount":1e400}"#,
        #"{"key":"one","amount":1,"later":1e400}"#, #"{"key":"one","amount":1} {}"#,
      ] {
        let reply = try await client.post("\(ServerFixture.path)/credits/coins/spends", body, token: reader.token)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(body): \(reply.text)")
      }
      for body in [#"{"signedPayload":"a","signedPayload":"b"}"#, #"{"signedPayload":"a",}"#] {
        let reply = try await client.post("\(ServerFixture.path)/notifications", body)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(body): \(reply.text)")
      }
    }
  }

  @Test("a parameter that is in the query twice is refused by name, for customers and for operators")
  func repeatedParameters() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client async throws in
      for (path, token) in [
        ("\(ServerFixture.path)/entitlements", reader.token), ("/v1/operator/events", fixture.operatorKey),
      ] {
        let reply = try await client.get("\(path)?limit=1&limit=2", token: token)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(reply.text)")
        #expect(reply.message.contains("limit is in the query twice"), "\(reply.text)")
        #expect(try await client.get("\(path)?limit=1", token: token).status == 200)
      }
    }
  }

  @Test("bodies that exceed the budget of all requests are refused with 503 and Retry-After; small ones are answered")
  func budget() async throws {
    var options = ServerFixture.Options()
    options.configuration.limits.bodyBytesAtOnce = 20_000
    let fixture = try await ServerFixture(options)
    let reader = try await fixture.reader()
    try await fixture.withClient { client async throws in
      let path = "\(ServerFixture.path)/redemptions"
      let body = "{\"proof\":{\"appReceipt\":\"\(String(repeating: "A", count: 30_000))\"},\"purchases\":[]}"
      let refused = try await client.post(path, body, token: reader.token)
      #expect((refused.status, refused.code) == (503, "overloaded"), "\(refused.text)")
      #expect(refused.headers[.retryAfter] == "2")
      let small = try await client.post(
        path, "{\"proof\":{\"appReceipt\":\"AAAA\"},\"purchases\":[]}", token: reader.token)
      #expect(small.status == 400, "\(small.text)")
    }
  }

  @Test("text that is slow to compare is refused in addresses, header fields, bodies and tokens")
  func text() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await fixture.withClient { client async throws in
      let products = "\(ServerFixture.path)/products"
      for path in ["/v1/apps/\(Self.encodedMarks)/products", "\(products)?\(Self.encodedMarks)=1", "/\(Self.marks)"] {
        let reply = try await client.get(path)
        #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(path): \(reply.text)")
        #expect(reply.headers[.requestID] != nil)
      }
      for name in ["Accept-Language", "Authorization", "X-Forwarded-For", "X-Request-Id", "If-None-Match"] {
        #expect(try await client.get(products, headers: [name: Self.marks]).status == 400, "\(name)")
      }
      let spend = try await client.post(
        "\(ServerFixture.path)/credits/coins/spends", "{\"key\":\"\(Self.marks)\",\"amount\":1}", token: reader.token)
      #expect((spend.status, spend.code) == (400, "malformedRequest"))
    }
  }

  @Test("a token whose header or claims are not JSON within bounds is refused before its signature is verified")
  func tokens() {
    func segment(_ json: String) -> String {
      Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let (header, claims) = (segment(#"{"alg":"ES256","kid":"1"}"#), segment(#"{"sub":"tom"}"#))
    #expect(BoundedToken.admits("\(header).\(claims).c2lnbmF0dXJl"))
    let hostile = segment("{\"\(Self.marks)\":1}")
    for token in [
      "\(hostile).\(claims).x", "\(header).\(hostile).x", "\(header).\(claims)", "\(header).%%%.x", "", "..",
      segment(String(repeating: "[", count: 100)) + ".\(claims).x",
    ] {
      #expect(BoundedToken.admits(token) == (token == ".."), "\(token)")
    }
  }

  @Test("A3 for a header of any length, at most 32 languages of 5 subtags are looked up")
  func languages() {
    #expect(LanguagePreferences("de-AT-1996, en;q=0.5, de;q=0.7, *").ranges == ["de-at-1996", "de-at", "de", "en"])
    #expect(LanguagePreferences(nil).ranges.isEmpty)
    let entries = (0..<5_000).map { "x\($0)-a-b-c-d-e-f-g" }.joined(separator: ",")
    #expect(LanguagePreferences(entries).ranges.count <= 32 * 5)
    #expect(LanguagePreferences(String(repeating: "a-", count: 16_000)).ranges.isEmpty)
    #expect(LanguagePreferences(String(repeating: Self.marks, count: 500)).ranges.isEmpty)
  }
}
