import Foundation
import HummingbirdTesting
import Logging
import PrivatePostgreSQL
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The whole server, put together from its configuration", .timeLimit(.minutes(30)))
struct AssemblyTests {
  private static let operators = "/v1/operator/apps/com.example.reader"
  private static let bookText = String(repeating: "It was a dark and stormy night.\n", count: 10)

  /// Returns a configuration for a folder, with one app.
  private static func configuration(
    _ folder: ScratchFolder, database: [String: any Sendable] = ["sqlite": "ledger.sqlite"],
    trust: [String: any Sendable] = ["apple": true]
  ) throws -> ServerConfiguration {
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    return try ServerConfiguration(
      file: JSONSerialization.data(withJSONObject: [
        "database": database, "trust": trust, "content": ["linkKeys": [key], "inlineLimitBytes": 100],
        "apps": [["bundleId": BookStore.app.rawValue, "verification": "both"]],
      ]), folder: folder.url, environment: [:], port: 0)
  }

  /// Runs the server, and calls `body` with a client that reaches it over HTTP.
  private static func running<Value: Sendable>(
    _ configuration: ServerConfiguration, clock: any MachineClock,
    _ body: @escaping @Sendable (ServerAssembly, any TestClientProtocol) async throws -> Value
  ) async throws -> Value {
    let server = try await ServerAssembly(
      configuration, opener: TestLedgerOpener(), clock: clock, logger: DownloadFixture.logger)
    let result: Result<Value, any Error>
    do {
      result = .success(try await server.service.application().test(.live) { try await body(server, $0) })
    } catch {
      result = .failure(error)
    }
    try await server.close()
    return try result.get()
  }

  @Test(
    "G3 published, bought, redeemed, downloaded, spent: over HTTP, on each database, and still there after a restart",
    arguments: LedgerDatabaseKind.allCases)
  func whole(kind: LedgerDatabaseKind) async throws {
    let (bookStore, folder) = (try await BookStore(), try ScratchFolder())
    try await bookStore.listening { emulator in
      try await kind.with { database in
        let configuration = try Self.configuration(folder, database: database, trust: ["emulator": emulator])
        let (phone, clock) = (try await bookStore.phone(), bookStore.clock)
        let (coins, token) = try await Self.running(configuration, clock: clock) { server, client in
          try await Self.publish(server, client)
          let installation = try await client.post("\(ServerFixture.path)/installations", "{}")
          let token = try #require(installation.object["token"] as? String)
          let coins = try await bookStore.buy(on: phone)
          let first = try await client.redeem(coins, token: token)
          #expect(first.status == 200, "\(first.text)")
          #expect((first.given.first?["credits"] as? [String: Any])?["amount"] as? Int == 5)
          let book = try await bookStore.buy(BookStore.book, as: "payment 2", on: phone)
          let second = try await client.redeem(book, token: token)
          let link = try #require(second.files().first?["link"] as? String, "\(second.text)")
          #expect(try await client.get("/\(link)").text == Self.bookText)
          let spend = #"{"key":"a chapter","amount":2}"#
          for _ in 0..<2 {
            let spent = try await client.post("\(ServerFixture.path)/credits/coins/spends", spend, token: token)
            #expect(spent.status == 200, "\(spent.text)")
          }
          try await Self.check(client, token)
          return (coins, token)
        }
        try await Self.running(configuration, clock: clock) { _, client in
          try await Self.check(client, token)
          #expect(try await client.redeem(coins, token: token).status == 200)
          try await Self.check(client, token)
        }
      }
    }
  }

  /// Carries out the operator's steps before the first sale.
  private static func publish(_ server: ServerAssembly, _ client: any TestClientProtocol) async throws {
    let key = try await server.ledger.createOperatorKey(name: "olga", role: .admin, by: .commandLine).token.text
    let digest = Sample.digest(Data(bookText.utf8))
    let steps = [
      (
        "\(operators)/products/\(BookStore.coins)", #"{"type":"Consumable","credits":{"unit":"coins","amount":5}}"#
      ), ("\(operators)/products/\(BookStore.book)", #"{"type":"Non-Consumable"}"#),
      ("/v1/operator/content?sha256=\(digest)", bookText),
      (
        "\(operators)/products/\(BookStore.book)/content",
        #"{"files":[{"name":"book.txt","sha256":"\#(digest)","mediaType":"text/plain"}]}"#
      ),
    ]
    for (path, body) in steps {
      let reply = try await client.send(.put, path, body, token: key)
      #expect([200, 201].contains(reply.status), "\(path): \(reply.text)")
    }
    #expect(try await client.post("/v1/operator/keys", #"{"name":"otto"}"#, token: key).status == 201)
    #expect(try await client.get("/v1/operator/keys", token: key).list("keys").count == 2)
    #expect(try await client.get("/v1/operator/keys", token: "operator_none").status == 401)
    #expect(try await client.get("\(ServerFixture.path)/products").list("products").count == 2)
  }

  /// Expects that three of five coins are left and that the customer has the book.
  private static func check(_ client: any TestClientProtocol, _ token: String) async throws {
    let credits = try await client.get("\(ServerFixture.path)/credits", token: token)
    #expect(credits.list("credits").map { $0["balance"] as? Int } == [3], "\(credits.text)")
    let entitlements = try await client.get("\(ServerFixture.path)/entitlements", token: token).list("entitlements")
    #expect(entitlements.map { $0["productId"] as? String } == [BookStore.book.rawValue])
    #expect(entitlements.map { $0["isActive"] as? Bool } == [true])
    #expect(try await client.get("\(ServerFixture.path)/deliveries", token: token).list("deliveries").count == 1)
    #expect(try await client.get("/ready").status == 200)
  }

  @Test("access ends by the emulator's clock: moved past the period, a subscription is no longer active")
  func emulatorClock() async throws {
    let (bookStore, folder) = (try await BookStore(), try ScratchFolder())
    try await bookStore.listening { emulator in
      let configuration = try Self.configuration(folder, trust: ["emulator": emulator])
      // The server's own clock stands still.
      try await Self.running(configuration, clock: ManualClock(BookStore.opening)) { server, client in
        try await server.ledger.publish(
          LedgerProduct(id: BookStore.club, type: .autoRenewableSubscription), app: BookStore.app, by: "olga")
        let installation = try await client.post("\(ServerFixture.path)/installations", "{}")
        let token = try #require(installation.object["token"] as? String)
        let club = try await bookStore.buy(BookStore.club, on: bookStore.phone())
        let redeemed = try await client.redeem(club, token: token)
        #expect(
          (redeemed.given.first?["entitlement"] as? [String: Any])?["isActive"] as? Bool == true, "\(redeemed.text)")
        for (days, isActive) in [(20, true), (20, false)] as [(Int64, Bool)] {
          _ = try await bookStore.store.changeClock(.advance(milliseconds: days * 86_400_000))
          let list = try await client.get("\(ServerFixture.path)/entitlements", token: token).list("entitlements")
          #expect(list.map { $0["isActive"] as? Bool } == [isActive], "\(days)")
        }
      }
    }
  }

  @Test("settings that can cost goods are logged at the start")
  func warnings() async throws {
    let (folder, log) = (try ScratchFolder(), LogBook())
    let server = try await ServerAssembly(try Self.configuration(folder), logger: log.logger)
    try await server.close()
    #expect(log.lines.contains { $0.hasPrefix("warning") && $0.contains("takes purchases of the sandbox") })
  }

  @Test("several PostgreSQL hosts without a synchronous standby are logged at the start")
  func failover() async throws {
    let postgreSQL = try PrivatePostgreSQL.shared.get()
    try await postgreSQL.withDatabase { connection in
      for (hosts, isReported) in [(postgreSQL.folder, false), ("\(postgreSQL.folder),\(postgreSQL.folder)", true)] {
        let (folder, log) = (try ScratchFolder(), LogBook())
        let text = connection.replacing("host=\(postgreSQL.folder)", with: "host=\(hosts)")
        let database: [String: any Sendable] = ["postgresql": text, "withoutFsync": true]
        let server = try await ServerAssembly(
          try Self.configuration(folder, database: database), opener: TestLedgerOpener(), logger: log.logger)
        try await server.close()
        #expect(log.lines.contains { $0.hasPrefix("warning A failover can lose what was answered") } == isReported)
      }
    }
  }

  @Test("a program without PostgreSQL refuses a ledger in PostgreSQL")
  func withoutPostgreSQL() async throws {
    let configuration = try Self.configuration(try ScratchFolder(), database: ["postgresql": "host=db dbname=ledger"])
    let error = await #expect(throws: ServerStartError.self) {
      try await ServerAssembly(configuration, logger: DownloadFixture.logger).close()
    }
    #expect(error?.description.contains("PurchaseLedgerPostgreSQL") == true)
  }

  @Test("a server whose ledger differs from the one of the content folder does not start")
  func otherLedger() async throws {
    let folder = try ScratchFolder()
    for _ in 0..<2 {
      try await ServerAssembly(try Self.configuration(folder), logger: DownloadFixture.logger).close()
    }
    let other = try Self.configuration(folder, database: ["sqlite": "other.sqlite"])
    await #expect(throws: ContentStoreError.self) {
      try await ServerAssembly(other, logger: DownloadFixture.logger).close()
    }
    try await ServerAssembly(try Self.configuration(folder), logger: DownloadFixture.logger).close()
  }
}

/// Opens ledgers on both databases.
private struct TestLedgerOpener: LedgerOpener {
  func open(_ database: ServerConfiguration.Database, logger: Logger) async throws -> any LedgerDatabase {
    guard case .postgreSQL(let connection, _, let acceptsServerWithoutFsync) = database else {
      return try await SQLiteLedgerOpener().open(database, logger: logger)
    }
    var configuration = try PostgreSQLConfiguration(connectionString: connection)
    configuration.acceptsServerWithoutFsync = acceptsServerWithoutFsync
    return try await PostgreSQLLedgerDatabase.open(configuration, logger: logger)
  }
}
