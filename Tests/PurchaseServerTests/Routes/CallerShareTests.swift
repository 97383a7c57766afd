import Foundation
import HTTPTypes
import HummingbirdTesting
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

/// A server with 20 requests at once, of which one caller may have 8.
@Suite("One caller's share of the requests in progress", .timeLimit(.minutes(30)))
struct CallerShareTests {
  private static let share = 8

  private static func fixture(_ database: (any LedgerDatabase)? = nil) async throws -> ServerFixture {
    var options = ServerFixture.Options()
    options.configuration.limits.requestsAtOnce = 20
    options.configuration.limits.burst = 1_000_000
    options.database = database
    return try await ServerFixture(options)
  }

  @Test("A customer whose bodies never arrive is refused above its share; all other callers are answered")
  func unfinishedBodies() async throws {
    let fixture = try await Self.fixture()
    let (slow, other, newcomer) = (
      try await fixture.reader(), try await fixture.reader(), try await fixture.reader()
    )
    try await fixture.withClient { client async throws in
      for reader in [slow, other] { #expect(try await Self.customer(reader, client) == 200) }
    }
    let spend = Self.unfinished("\(ServerFixture.path)/credits/coins/spends", token: slow.token)
    let registration = Self.unfinished("\(ServerFixture.path)/installations", token: nil)
    try await fixture.listening { port, _ async throws in
      try await Self.holding(24, spend, port) { answers async throws in
        #expect(Self.statuses(answers) == [100: Self.share, 429: 24 - Self.share])
        // Callers without a token are one caller, their address.
        try await Self.holding(24, registration, port) { answers async throws in
          #expect(Self.statuses(answers) == [100: Self.share, 429: 24 - Self.share])
          try await fixture.withClient { client async throws in
            #expect(try await Self.customer(other, client) == 200)
            let refused = try await client.get("\(ServerFixture.path)/customer", token: slow.token)
            #expect((refused.status, refused.code, refused.headers[.retryAfter]) == (429, "tooManyRequests", "1"))
            #expect(try await client.get("/v1/operator/keys", token: fixture.operatorKey).status == 200)
            // Bodies that have not arrived are not counted among the requests in progress.
            let metrics = try await client.get("/metrics", token: fixture.operatorKey).text
            #expect(metrics.contains("purchase_server_requests_under_way 0\n"))
          }
          // A valid token that was not used before is recognised although its address has used up its share.
          #expect(try await Self.answer(to: newcomer, port).hasPrefix("HTTP/1.1 200 "))
          #expect(try await Self.answer(to: nil, port).hasPrefix("HTTP/1.1 429 "))
        }
      }
      // The share is free again when the connections have ended, which the server notices a little later.
      while try await Self.answer(to: slow, port).hasPrefix("HTTP/1.1 429 ") {}
      #expect(try await Self.answer(to: slow, port).hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test("A customer whose requests wait for the database is refused above its share; other customers are answered")
  func waitingRequests() async throws {
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    let fixture = try await Self.fixture(database)
    let (busy, other, gate) = (try await fixture.reader(), try await fixture.reader(), Gate())
    try await fixture.withClient { client async throws in
      for reader in [busy, other] { #expect(try await Self.customer(reader, client) == 200) }
      database.hold(writesAt: gate)
      let (before, refused) = (database.writes, LockedValue(0))
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<24 {
          group.addTask {
            let reply = try await client.post(
              "\(ServerFixture.path)/credits/coins/spends", #"{"key":"\#(number)","amount":1}"#, token: busy.token)
            if reply.code != "insufficientCredits" { refused.withLock { $0 += 1 } }
            return reply.status
          }
        }
        while database.writes - before + refused.value < 24 { await Task.yield() }
        #expect(try await Self.customer(other, client) == 200)
        #expect(try await Self.customer(busy, client) == 429)
        await gate.open()
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [409: Self.share, 429: 24 - Self.share])
      #expect(try await Self.customer(busy, client) == 200)
    }
  }

  @Test("A request is cancelled before its commit if its client closes the connection; repeated, it is performed")
  func closedConnection() async throws {
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    let fixture = try await Self.fixture(database)
    let reader = try await fixture.reader()
    let coins = try await fixture.bookStore.buy(on: fixture.bookStore.phone())
    #expect(try await fixture.withClient { try await $0.redeem(coins, token: reader.token) }.status == 200)
    let (gate, body) = (Gate(), #"{"key":"one","amount":2}"#)
    database.hold(writesAt: gate)
    let request =
      "POST \(ServerFixture.path)/credits/coins/spends HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(reader.token)\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    try await fixture.listening { port, _ async throws in
      try await RawConnection(toPort: port).open { connection async throws in
        try await connection.send(request)
        await gate.untilCallerWaits()
      }
      while database.cancelledWrites == 0 { await Task.yield() }
      await gate.open()
      while !fixture.log.lines.contains(where: { $0.contains("A request was given up") }) { await Task.yield() }
      let customer = try #require(CustomerID(reader.customer))
      #expect(try await fixture.ledger.creditBalances(of: customer, app: BookStore.app).credits.first?.balance == 5)
      let again = try await RawConnection(toPort: port).exchange([request], until: "}")
      #expect(again.hasPrefix("HTTP/1.1 200 ") && again.contains(#""balance":3"#), "\(again)")
    }
    #expect(!fixture.log.lines.contains { $0.hasPrefix("error") })
  }

  // MARK: Requests

  private static func customer(_ reader: ServerFixture.Reader, _ client: any TestClientProtocol) async throws -> Int {
    try await client.get("\(ServerFixture.path)/customer", token: reader.token).status
  }

  /// Returns the head of a request whose body is announced and never sent. The server answers 100 when it awaits the body.
  private static func unfinished(_ path: String, token: String?) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\n" + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "")
      + "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n"
  }

  private static func answer(to reader: ServerFixture.Reader?, _ port: Int) async throws -> String {
    let path = reader == nil ? "products" : "customer"
    let token = reader.map { "Authorization: Bearer \($0.token)\r\n" } ?? ""
    return try await RawConnection(toPort: port).exchange(
      ["GET \(ServerFixture.path)/\(path) HTTP/1.1\r\nHost: x\r\n\(token)Connection: close\r\n\r\n"])
  }

  /// Sends a request on each of `count` connections, and calls `body` with the beginnings of the answers while the
  /// connections are open.
  private static func holding(
    _ count: Int, _ request: String, _ port: Int, _ answers: [String] = [], _ body: ([String]) async throws -> Void
  ) async throws {
    guard answers.count < count else { return try await body(answers) }
    try await RawConnection(toPort: port).open { connection async throws in
      try await connection.send(request)
      let answer = try await connection.read(until: "\r\n\r\n")
      try await holding(count, request, port, answers + [answer], body)
    }
  }

  /// Returns the number of answers with each status.
  private static func statuses(_ answers: [String]) -> [Int: Int] {
    answers.reduce(into: [:]) { $0[Int($1.dropFirst(9).prefix(3)) ?? 0, default: 0] += 1 }
  }
}
