import Foundation
import HTTPTypes
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Limits of the server", .timeLimit(.minutes(30)))
struct LimitTests {
  private static func fixture(_ change: (inout ServiceLimits) -> Void = { _ in }) async throws -> ServerFixture {
    var options = ServerFixture.Options()
    change(&options.configuration.limits)
    return try await ServerFixture(options)
  }

  @Test("a body larger than its endpoint's limit: 413, in the shape of every refusal")
  func tooLarge() async throws {
    let fixture = try await Self.fixture()
    let reader = try await fixture.reader()
    let text = String(repeating: "a", count: 5_000)
    try await fixture.withClient { client in
      for (path, body) in [
        ("\(ServerFixture.path)/installations", #"{"device":"\#(text)"}"#),
        ("\(ServerFixture.path)/credits/coins/spends", #"{"key":"\#(text)","amount":1}"#),
      ] {
        let reply = try await client.post(path, body, token: reader.token)
        #expect((reply.status, reply.code) == (413, "tooLarge"), "\(reply.text)")
      }
    }
  }

  @Test("more requests than one address may make: 429 with Retry-After, and accepted again after that")
  func rate() async throws {
    let fixture = try await Self.fixture {
      $0.burst = 3
      $0.requestsPerSecond = 0.5
    }
    let products = "\(ServerFixture.path)/products"
    try await fixture.withClient { client in
      for _ in 0..<3 { #expect(try await client.get(products).status == 200) }
      let refused = try await client.get(products)
      #expect((refused.status, refused.code) == (429, "tooManyRequests"))
      #expect(refused.headers[.retryAfter] == "2")
      #expect(refused.headers[.requestID] != nil)
      fixture.time.advance(seconds: 2)
      #expect(try await client.get(products).status == 200)
      #expect(try await client.get(products).status == 429)
      // Health checks are not limited.
      #expect(try await client.get("/health").status == 200)
    }
  }

  @Test("a valid token has its own rate once it was used; an invalid one has none")
  func tokenRate() async throws {
    let fixture = try await Self.fixture {
      $0.burst = 4
      $0.requestsPerSecond = 0.5
    }
    let (one, two) = (try await fixture.reader(), try await fixture.reader())
    let customer = "\(ServerFixture.path)/customer"
    try await fixture.withClient { client in
      #expect(try await client.get(customer, token: one.token).status == 200)
      #expect(try await client.get(customer, token: two.token).status == 200)
      var statuses: [Int] = []
      for number in 0..<4 { statuses.append(try await client.get(customer, token: "customer_\(number)").status) }
      #expect(statuses == [401, 401, 429, 429])
      // The limit also applies to an endpoint that requires no token.
      #expect(try await client.get("\(ServerFixture.path)/products", token: "made up").status == 429)
      for _ in 0..<4 { #expect(try await client.get(customer, token: one.token).status == 200) }
      #expect(try await client.get(customer, token: one.token).status == 429)
      #expect(try await client.get(customer, token: two.token).status == 200)
    }
  }

  @Test("requests to the store are limited for one customer, and for all customers of one address")
  func storeRequests() async throws {
    var options = ServerFixture.Options(method: .verifyReceipt(TestReceiptServer.policy))
    options.configuration.limits.questionsPerMinute = 2
    let fixture = try await ServerFixture(options)
    let purchase = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    var readers: [ServerFixture.Reader] = []
    for _ in 0..<5 { readers.append(try await fixture.reader()) }
    let everybody = readers
    try await fixture.withClient { client async throws in
      func isRefused(_ reader: ServerFixture.Reader) async throws -> Bool {
        let before = fixture.receiptServer.requestCount
        let reply = try await client.redeem(purchase, token: reader.token)
        #expect((reply.status == 429) == (fixture.receiptServer.requestCount == before))
        guard reply.status == 429 else { return false }
        #expect(reply.code == "tooManyRequests")
        #expect(reply.headers[.retryAfter] != nil)
        return true
      }
      for refused in [false, false, true] { #expect(try await isRefused(everybody[0]) == refused) }
      // Requests that do not ask the store are not limited.
      #expect(try await client.get("\(ServerFixture.path)/credits", token: everybody[0].token).status == 200)
      for reader in everybody[1...3] { for _ in 0..<2 { #expect(try await !isRefused(reader)) } }
      // The limit of the address's customers together is reached. Proofs without a valid signature are refused, others are not.
      let forged = try await client.post(
        "\(ServerFixture.path)/redemptions",
        redemptionBody(["appReceipt": Data("no receipt".utf8).base64EncodedString()], [purchase.id]),
        token: everybody[4].token)
      #expect((forged.status, forged.code) == (429, "tooManyRequests"))
      for refused in [false, true] { #expect(try await isRefused(everybody[4]) == refused) }
      fixture.time.advance(seconds: 30)
      for refused in [false, true] { #expect(try await isRefused(everybody[0]) == refused) }
      #expect(try await !isRefused(everybody[4]))
    }
  }

  @Test("G1 repeated requests to the store about the same receipt count for the customer's limit")
  func retries() async throws {
    var options = ServerFixture.Options(method: .verifyReceipt(TestReceiptServer.policy))
    options.configuration.limits.questionsPerMinute = 6
    let fixture = try await ServerFixture(options)
    let (purchase, reader) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader()
    )
    // The store reports each receipt as malformed. The server asks four times about such a receipt.
    fixture.receiptServer.behavior = .status(21002)
    try await fixture.withClient { client async throws in
      let replies = [
        try await client.redeem(purchase, token: reader.token), try await client.redeem(purchase, token: reader.token),
        try await client.redeem(purchase, token: reader.token),
      ]
      #expect(replies.map(\.code) == ["unreadableProof", "storeUnavailable", "tooManyRequests"])
      #expect(fixture.receiptServer.requestCount == 6)
      fixture.time.advance(seconds: 60)
      fixture.receiptServer.behavior = .normal
      // Production redirects the receipt to the sandbox. That second request is not counted.
      #expect(try await client.redeem(purchase, token: reader.token).status == 200)
    }
  }

  @Test("offline verification sends no request to the store, and has no such limit")
  func offline() async throws {
    let fixture = try await Self.fixture { $0.questionsPerMinute = 1 }
    let (purchase, reader) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader()
    )
    try await fixture.withClient { client async throws in
      for _ in 0..<10 { #expect(try await client.redeem(purchase, token: reader.token).status == 200) }
    }
  }

  @Test(
    "a body is read after authentication: without a valid token the request is refused unread",
    arguments: ["redemptions", "restores"])
  func unread(path: String) async throws {
    let fixture = try await Self.fixture()
    let uri = "\(ServerFixture.path)/\(path)"
    for token in [nil, "customer_made-up", fixture.operatorKey] {
      let reply = try await fixture.withClient { try await $0.post(uri, "{", token: token) }
      try #require(reply.status == 401, "\(reply.text)")
    }
    // The client announces 32 MiB and sends only the beginning.
    let answer = try await fixture.listening { port, _ in
      try await RawConnection(toPort: port).exchange([
        "POST \(uri) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer customer_made-up\r\n"
          + "Content-Length: \(32 << 20)\r\n\r\n{\"proof\":"
      ])
    }
    #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
    #expect(answer.lowercased().contains("connection: close"))
  }

  @Test("a new installation counts for ten requests")
  func installations() async throws {
    let fixture = try await Self.fixture {
      $0.burst = 20
      $0.requestsPerSecond = 1
    }
    try await fixture.withClient { client async throws in
      for status in [201, 201, 429] {
        let reply = try await client.post("\(ServerFixture.path)/installations/", "{}")
        #expect(reply.status == status)
      }
    }
  }

  @Test(
    "new installations per address are limited; its other requests are not affected")
  func newInstallations() async throws {
    let fixture = try await Self.fixture { $0.installationsPerHour = 2 }
    try await fixture.withClient { client async throws in
      for status in [201, 201, 429] {
        let reply = try await client.post("\(ServerFixture.path)/installations", "{}")
        #expect(reply.status == status)
        guard status == 429 else { continue }
        #expect((reply.code, reply.headers[.retryAfter]) == ("tooManyRequests", "1800"))
      }
      #expect(try await client.get("\(ServerFixture.path)/products").status == 200)
      fixture.time.advance(seconds: 1_800)
      #expect(try await client.post("\(ServerFixture.path)/installations", "{}").status == 201)
    }
  }

  @Test("a customer with a valid token is admitted if other callers have used up the rate of the address")
  func sharedAddress() async throws {
    let fixture = try await Self.fixture {
      $0.burst = 2
      $0.requestsPerSecond = 0.5
    }
    let (reader, purchase) = (
      try await fixture.reader(), try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    )
    try await fixture.withClient { client async throws in
      for status in [401, 401, 429] {
        #expect(try await client.get("\(ServerFixture.path)/customer", token: "customer_made-up").status == status)
      }
      #expect(try await client.redeem(purchase, token: reader.token).status == 200)
      #expect(try await client.get("\(ServerFixture.path)/customer", token: "customer_made-up").status == 429)
      #expect(try await client.get("/v1/operator/keys", token: fixture.operatorKey).status == 200)
    }
  }

  @Test("invalid tokens from one address use up no verification of valid ones from another")
  func guessedTokens() async {
    let time = ManualMonotonicClock()
    let tokens = RecognisedTokens()
    let rates = CallerRates(
      RateLimiter(.init(perSecond: 1, burst: 1), clock: time), tokens: tokens, clock: time,
      recognise: { if $0.hasPrefix("good") { tokens.add($0, of: $0) } })
    let (bad, shared) = (
      CallerAddress(peer: "198.51.100.1", [:], trusted: []), CallerAddress(peer: "203.0.113.1", [:], trusted: [])
    )
    for number in 0..<500 { _ = await rates.admit(token: "made up \(number)", from: bad, cost: 1) }
    #expect(await rates.admit(token: nil, from: shared, cost: 1) == .admitted(caller: "address \(shared.key)"))
    #expect(await rates.admit(token: nil, from: shared, cost: 1) == .refused(seconds: 1))
    #expect(await rates.admit(token: "good", from: shared, cost: 1) == .admitted(caller: "good"))
  }

  @Test("too many requests at once: 503 with Retry-After; when one has ended, the next is admitted")
  func presence() async throws {
    var options = ServerFixture.Options(method: .verifyReceipt(TestReceiptServer.policy))
    options.configuration.limits.requestsAtOnce = 1
    let fixture = try await ServerFixture(options)
    let (purchase, reader, gate) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader(), Gate()
    )
    fixture.receiptServer.wait(for: gate)
    try await fixture.withClient { client in
      // The token is recognised, so the redemption below does not use up the share of the address.
      #expect(try await client.get("\(ServerFixture.path)/customer", token: reader.token).status == 200)
      async let first = client.redeem(purchase, token: reader.token)
      await gate.untilCallerWaits()
      let second = try await client.get("\(ServerFixture.path)/products")
      #expect((second.status, second.code, second.headers[.retryAfter]) == (503, "overloaded", "1"))
      #expect(try await client.get("/health").status == 200)
      let text = try await client.get("/metrics", token: fixture.operatorKey).text
      #expect(text.contains("purchase_server_requests_under_way 1\n"))
      await gate.open()
      #expect(try await first.status == 200)
      #expect(try await client.get("\(ServerFixture.path)/products").status == 200)
    }
  }

  @Test("header fields above the limit: 431; far above it the connection ends")
  func headers() async throws {
    let fixture = try await Self.fixture { $0.headerLimitBytes = 2_000 }
    try await fixture.withClient { client in
      let fine = try await client.get(
        "\(ServerFixture.path)/products", headers: ["X-A": String(repeating: "a", count: 1_500)])
      #expect(fine.status == 200)
      let large = try await client.get(
        "\(ServerFixture.path)/products", headers: ["X-A": String(repeating: "a", count: 2_000)])
      #expect((large.status, large.code) == (431, "headersTooLarge"))
    }
    try await fixture.listening { port, _ in
      let text = String(repeating: "a", count: 100_000)
      let answer = try await RawConnection(toPort: port).exchange([
        "GET \(ServerFixture.path)/products HTTP/1.1\r\nHost: x\r\nX-A: \(text)\r\n\r\n"
      ])
      #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.isEmpty)
    }
  }

  @Test("an endless body: 408, and the connection ends")
  func slowBody() async throws {
    let fixture = try await Self.fixture()
    let reader = try await fixture.reader()
    try await fixture.listening { port, _ in
      let answer = try await RawConnection(toPort: port).open { connection in
        try await connection.send(
          "POST \(ServerFixture.path)/redemptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(reader.token)\r\n"
            + "Content-Length: 100\r\n\r\n{\"proof\":")
        fixture.time.endPauses()
        return try await connection.read(until: nil)
      }
      #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
      #expect(answer.contains("\"tooSlow\""))
      #expect(answer.lowercased().contains("connection: close"))
    }
  }

  @Test("a refused body that continues: the response, and then the end of the connection")
  func refusedBody() async throws {
    let fixture = try await Self.fixture()
    try await fixture.listening { port, _ in
      let answer = try await RawConnection(toPort: port).exchange([
        "PUT /v1/operator/content HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
      ])
      #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
      #expect(answer.lowercased().contains("connection: close"))
    }
  }

  @Test("an upload with neither length nor digest: 411")
  func lengthRequired() async throws {
    let fixture = try await Self.fixture()
    let before = try fixture.folder.names()
    try await fixture.listening { port, _ in
      let answer = try await RawConnection(toPort: port).exchange([
        "PUT /v1/operator/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(fixture.operatorKey)\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
      ])
      #expect(answer.hasPrefix("HTTP/1.1 411 "), "\(answer)")
    }
    #expect(try fixture.folder.names() == before)
  }

  @Test("HEAD never has a body, whatever the response: the next response on the connection is correct")
  func head() async throws {
    let fixture = try await Self.fixture()
    try await fixture.listening { port, _ in
      let paths = [
        "/health", "/none", "\(ServerFixture.path)/customer", "/v1/downloads/none", "/v1/operator/keys",
        "\(ServerFixture.path)/redemptions", "/metrics", "/v1/apps/none/products",
      ]
      let heads = paths.map { "HEAD \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
      let last = "GET /health HTTP/1.1\r\nHost: x\r\nX-Request-Id: last\r\n\r\n"
      let answer = try await RawConnection(toPort: port).exchange(
        [heads.joined() + last], until: "\"status\":\"alive\"}")
      let statuses = answer.matches(of: #/HTTP/1\.1 ([0-9]{3}) /#).map { String($0.1) }
      #expect(statuses == ["200", "404", "401", "404", "401", "404", "200", "404", "200"])
      #expect(answer.components(separatedBy: "{").count == 2, "\(answer)")
    }
  }
}
