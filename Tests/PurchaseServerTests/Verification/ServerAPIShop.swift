import AppStoreEmulator
import AppStoreServerAPI
import Crypto
import Foundation
import HummingbirdTesting
import Logging
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

/// A purchase server, put together from its configuration, that verifies by the Server API of an emulator; both over HTTP.
struct ServerAPIShop: Sendable {
  let bookStore: BookStore
  let server: ServerAssembly
  let client: any TestClientProtocol
  private let identity: P256.Signing.PrivateKey

  var store: EmulatedAppStore { bookStore.store }
  var ledger: Ledger { server.ledger }

  /// - Parameter app: further settings of the app.
  static func running(
    on kind: LedgerDatabaseKind = .sqlite, app: [String: any Sendable] = [:],
    _ body: @escaping @Sendable (ServerAPIShop) async throws -> Void
  ) async throws {
    let (bookStore, folder, identity) = (try await BookStore(), try ScratchFolder(), P256.Signing.PrivateKey())
    let point = identity.publicKey.rawRepresentation
    let jwk = [
      "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "one", "x": text(point.prefix(32)),
      "y": text(point.suffix(32)),
    ]
    try folder.write("jwks.json", json(["keys": [jwk]]))
    try await bookStore.listening { emulator in
      try await kind.with { database in
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let settings = ["bundleId": BookStore.app.rawValue, "verification": "serverAPI"] as [String: any Sendable]
        let configuration = try ServerConfiguration(
          file: JSONSerialization.data(withJSONObject: [
            "database": database, "trust": ["emulator": emulator], "content": ["linkKeys": [key]],
            "identity": ["issuer": "https://id.example", "audience": "purchases", "keySet": "jwks.json"],
            "apps": [settings.merging(app) { $1 }],
          ]), folder: folder.url, environment: [:], port: 0)
        let server = try await ServerAssembly(
          configuration, opener: EitherLedgerOpener(), clock: bookStore.clock, logger: DownloadFixture.logger)
        let result: Result<Void, any Error>
        do {
          result = .success(
            try await server.service.application().test(.live) { client in
              let shop = ServerAPIShop(bookStore: bookStore, server: server, client: client, identity: identity)
              try await shop.publish()
              try await body(shop)
            })
        } catch {
          result = .failure(error)
        }
        try await server.close()
        try result.get()
      }
    }
  }

  private func publish() async throws {
    let coins = LedgerProduct.Credits(unit: try #require(CreditUnit(rawValue: "coins")), amount: 5)
    for product in [
      LedgerProduct(id: BookStore.coins, type: .consumable, credits: coins),
      LedgerProduct(id: BookStore.book, type: .nonConsumable),
      LedgerProduct(id: BookStore.club, type: .autoRenewableSubscription),
    ] { try await ledger.publish(product, app: BookStore.app, by: "olga") }
  }

  /// A key of an operator with the role `admin`.
  func adminKey() async throws -> String {
    try await ledger.createOperatorKey(name: "olga", role: .admin, by: .commandLine).token.text
  }

  // MARK: Customers

  /// Registers an installation.
  func anonymous() async throws -> String {
    let installation = try await client.post("\(ServerFixture.path)/installations", "{}")
    return try #require(installation.object["token"] as? String, "\(installation.text)")
  }

  /// Returns the token and the id of an identified customer.
  func identified(_ name: String) async throws -> (token: String, id: String) {
    let claims: [String: Any] = [
      "iss": "https://id.example", "aud": "purchases", "sub": name, "exp": Int(Date.now.timeIntervalSince1970) + 3_600,
    ]
    var token = Self.text(Data(try json(["alg": "ES256", "kid": "one", "typ": "JWT"]).utf8))
    token += "." + Self.text(Data(try json(claims).utf8))
    token += "." + Self.text(try identity.signature(for: Data(token.utf8)).rawRepresentation)
    let reply = try await client.get("\(ServerFixture.path)/customer", token: token)
    return (token, try #require(reply.object["customer"] as? String, "\(reply.text)"))
  }

  private static func text(_ data: some DataProtocol) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  // MARK: Requests

  func redeem(_ proof: [String: String], _ purchases: [TransactionID], token: String) async throws -> Reply {
    try await client.post("\(ServerFixture.path)/redemptions", redemptionBody(proof, purchases), token: token)
  }

  func coins(of token: String) async throws -> Int {
    let credits = try await client.get("\(ServerFixture.path)/credits", token: token)
    return credits.list("credits").first?["balance"] as? Int ?? 0
  }

  /// Asks the store about the proofs that are due, as the server does at intervals.
  ///
  /// - Returns: the number of proofs.
  @discardableResult
  func reverify() async throws -> Int {
    let reverifier = try #require(server.companions.compactMap { $0 as? Reverifier }.first)
    return try await reverifier.verifyDue()
  }

  /// The number of calls of the Server API that the emulator has answered.
  var serverAPICalls: Int {
    ServerAPI.calls.reduce(0) { $0 + store.requests(RequestFilter(.serverAPI($1))).count }
  }
}

/// Opens ledgers on both databases.
private struct EitherLedgerOpener: LedgerOpener {
  func open(_ database: ServerConfiguration.Database, logger: Logger) async throws -> any LedgerDatabase {
    guard case .postgreSQL(let connection, _, let acceptsServerWithoutFsync) = database else {
      return try await SQLiteLedgerOpener().open(database, logger: logger)
    }
    var configuration = try PostgreSQLConfiguration(connectionString: connection)
    configuration.acceptsServerWithoutFsync = acceptsServerWithoutFsync
    return try await PostgreSQLLedgerDatabase.open(configuration, logger: logger)
  }
}
