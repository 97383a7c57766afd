import Foundation
import HTTPTypes
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("The export of a customer", .timeLimit(.minutes(30)))
struct ExportEndpointTests {
  private static let export = "\(ServerFixture.path)/customer/export"

  /// Gives a customer credits in so many movements.
  private static func fill(_ fixture: ServerFixture, _ reader: ServerFixture.Reader, movements: Int) async throws {
    let customer = try #require(CustomerID(reader.customer))
    for number in 0..<movements {
      try await fixture.ledger.grant(
        .credits(try #require(CreditUnit(rawValue: "coins")), 1), to: customer, app: BookStore.app, key: "\(number)",
        reason: String(repeating: "reason ", count: 100), by: "olga")
    }
  }

  @Test("is whole JSON, sent in pieces; HEAD and an operator get the same head")
  func whole() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    try await Self.fill(fixture, reader, movements: 300)
    try await fixture.withClient { client in
      #expect(try await client.send(.head, Self.export, token: reader.token).status == 200)
      let reply = try await client.get(Self.export, token: reader.token)
      let export = try JSONDecoder().decode(CustomerExport.self, from: reply.body)
      #expect(export.movements.count == 300 && export.operatorActions.count == 300)
      #expect(reply.headers[.contentType] == "application/json; charset=utf-8")
      let overview = try await client.get("/v1/operator/customers/\(reader.customer)", token: fixture.operatorKey)
      #expect(overview.body == reply.body)
      let nobody = try await client.get("/v1/operator/customers/\(UUID())", token: fixture.operatorKey)
      #expect((nobody.status, nobody.code) == (404, "unknownCustomer"))
    }
  }

  @Test("counts as a request for each piece of it: the customer's next requests wait, other customers' do not")
  func rate() async throws {
    var options = ServerFixture.Options()
    options.configuration.limits.burst = 4
    options.configuration.limits.requestsPerSecond = 0.5
    let fixture = try await ServerFixture(options)
    let (reader, other) = (try await fixture.reader(), try await fixture.reader())
    try await Self.fill(fixture, reader, movements: 300)
    try await fixture.withClient { client in
      // The first request of a token counts for its address.
      #expect(try await client.get("\(ServerFixture.path)/customer", token: reader.token).status == 200)
      #expect(try await client.get("\(ServerFixture.path)/customer", token: other.token).status == 200)
      #expect(try await client.get(Self.export, token: reader.token).status == 200)
      let refused = try await client.get("\(ServerFixture.path)/customer", token: reader.token)
      #expect(refused.status == 429)
      #expect(try #require(refused.headers[.retryAfter].flatMap { Int($0) }) > 2)
      #expect(try await client.get("\(ServerFixture.path)/customer", token: other.token).status == 200)
      fixture.time.advance(seconds: 60)
      #expect(try await client.get("\(ServerFixture.path)/customer", token: reader.token).status == 200)
    }
  }

  @Test("a reader who takes nothing blocks nobody, and a second export of the same customer gets 429 with Retry-After")
  func slowReader() async throws {
    let fixture = try await ServerFixture()
    let (slow, other) = (try await fixture.reader(), try await fixture.reader())
    // More than the buffers of a connection take.
    let customer = try #require(CustomerID(slow.customer))
    try await ExportedMovements.add(60_000, to: customer, in: fixture)
    @Sendable func request(_ path: String, _ token: String) -> String {
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n"
    }
    try await fixture.listening { port, _ in
      try await RawConnection(toPort: port).open { connection in
        try await connection.send(request(Self.export, slow.token))
        #expect(try await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        let second = try await RawConnection(toPort: port).exchange([request(Self.export, slow.token)])
        #expect(
          second.hasPrefix("HTTP/1.1 429") && second.lowercased().contains("retry-after: 5"), "\(second.prefix(300))")
        let others = try await RawConnection(toPort: port).exchange([request(Self.export, other.token)])
        #expect(others.hasPrefix("HTTP/1.1 200"))
      }
      // The permit ends with the connection.
      var again = ""
      repeat {
        again = try await RawConnection(toPort: port).exchange([request(Self.export, slow.token)], until: "\r\n\r\n")
      } while again.hasPrefix("HTTP/1.1 429")
      #expect(again.hasPrefix("HTTP/1.1 200"))
    }
  }
}

/// Movements that are written without the ledger's rules, because thousands of grants take long.
enum ExportedMovements {
  static func add(_ count: Int, to customer: CustomerID, in fixture: ServerFixture) async throws {
    try await fixture.ledger.database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO credit_account (customer, app, unit, balance, movements) VALUES ($1, 'app', 'coins', $2, $2)",
        customer, count)
      try transaction.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
        INSERT INTO credit_movement
          (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
        SELECT $1, 'app', 'coins', i, 1, i, 'grants', 'grant', i, i FROM n
        """, customer, count)
    }
  }
}
