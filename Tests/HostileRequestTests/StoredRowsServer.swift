import Foundation
import GRDB
import HTTPTypes
import PrivatePostgreSQL
import SharedFixtures
import Testing

/// A purchase server whose ledger one customer fills. The server is restarted to add rows.
final class StoredRowsServer: StoredRowsTarget {
  enum Engine: CaseIterable, CustomTestStringConvertible {
    case sqlite, postgreSQL

    var testDescription: String { self == .sqlite ? "SQLite" : "PostgreSQL" }
  }

  private struct Customer {
    let id: String
    let token: String
  }

  private let folder: ScratchFolder
  private let engine: Engine
  private let postgreSQL: PrivatePostgreSQL?
  private let shop: StoredRowsShop
  private let configuration: URL
  private let key: String
  private(set) var measured: MeasuredServer
  private var customers: [Customer] = []
  private var next = 0
  private var fills = 0
  let endpoints: [Endpoint]

  private static let app = HostileServer.app
  private static let database = "rows"
  private static let erasure = "DELETE /v1/apps/{bundleId}/customer"

  /// Only a ledger in SQLite is backed up by the server.
  var refusals: [String: Int] {
    // The notification of the request is recorded, so its contents are not kept.
    var refusals = ["GET /v1/operator/apps/{bundleId}/notifications/{uuid}/contents": 404]
    if engine == .postgreSQL { refusals["POST /v1/operator/backups"] = 409 }
    return refusals
  }
  let once: Set<String> = [erasure]

  init(_ engine: Engine, _ folder: ScratchFolder) async throws {
    (self.engine, self.folder) = (engine, folder)
    configuration = folder.url.appending(path: "server.json")
    // A server of its own, because its processor time is measured.
    postgreSQL = try engine == .postgreSQL ? PrivatePostgreSQL() : nil
    try postgreSQL?.run("CREATE DATABASE \(Self.database)")
    let database =
      postgreSQL.map { server in
        """
        "database": {"postgresql": "\(server.connectionString(database: Self.database))", "connections": 4, "withoutFsync": true},
        "content": {"linkKeys": ["\(Data(repeating: 7, count: 32).base64EncodedString())"]},
        """
      } ?? ""
    shop = try await StoredRowsShop(folder)
    try Data(
      """
      {\(database) "trust": {"emulator": "http://127.0.0.1:\(shop.measured.port)"},
       "apps": [{"bundleId": "\(Self.app)", "verification": "offline"}],
       "limits": {"burst": 1000000, "requestsPerSecond": 1000000, "requestSeconds": 600, "installationsPerHour": 1000000}}
      """.utf8
    ).write(to: configuration)
    key = try await MeasuredServer.output(of: ["server", "operator-key", "--config", configuration.path, "fuzz"])
    measured = try await MeasuredServer(
      ["server", "--config", configuration.path, "--port", "0"], postgreSQL: postgreSQL?.folder)
    let description = try HostileServer.object(at: "/openapi.json", of: measured)
    // The endpoints that remove something are last.
    endpoints = try await HostileServer.routes(folder).map { Endpoint($0, described: description) }
      .sorted { $0.route.method != .delete && $1.route.method == .delete }
    try publish()
    // One customer for all requests, one for each of the two erasures, and one whose purchases are moved.
    for _ in 0..<4 { customers.append(try newCustomer()) }
  }

  func stop() {
    measured.stop()
    shop.measured.stop()
  }

  /// Gives each customer rows, while the server does not run.
  func add(_ range: Range<Int>) async throws {
    fills += 1
    try shop.buy(range.count / 50)
    measured.stop()
    while measured.isRunning { await Task.yield() }
    for (place, customer) in customers.enumerated() where place == 0 || place == 3 || place == fills {
      // The customers' rows have different numbers. A customer who is erased gets all at once.
      let first = place == fills ? 1 : range.lowerBound
      let shifted = first + place * 10_000_000..<range.upperBound + place * 10_000_000
      let statements = LedgerRows(customer: customer.id, hasOperators: place == 0).statements(
        adding: shifted, bytes: engine == .sqlite ? "BLOB" : "BYTEA")
      if let postgreSQL {
        for statement in statements { try postgreSQL.run(statement, database: Self.database) }
      } else {
        let queue = try DatabaseQueue(path: folder.url.appending(path: "ledger.sqlite").path)
        try await queue.write { for statement in statements { try $0.execute(sql: statement) } }
        try queue.close()
      }
    }
    // Otherwise PostgreSQL would do this later by itself, during a measurement.
    try postgreSQL?.run("VACUUM (ANALYZE)", database: Self.database)
    measured = try await MeasuredServer(
      ["server", "--config", configuration.path, "--port", "0"], postgreSQL: postgreSQL?.folder)
  }

  // MARK: Requests

  func request(to endpoint: Endpoint) throws -> HostileRequest {
    next += 1
    let (method, path) = (endpoint.route.method, endpoint.route.path)
    let removes = method == .delete || path.hasSuffix("/erasure")
    let customer =
      endpoint.description == Self.erasure ? customers[fills] : removes ? try newCustomer() : customers[0]
    let values = [
      "bundleId": Self.app, "uuid": path.contains("/consumption-requests") ? "c\(next)" : "n1",
      "productId": "p1", "unit": "coins", "customer": customer.id,
      "offeringId": path.contains("/offerings") && removes ? try newOffering() : "o",
      "id": !path.contains("/webhooks") ? "k\(next)" : removes ? try newWebhook() : "w", "number": "\(next)",
      "digest": "d1", "name": "activeSubscriptions",
      "token": path.hasPrefix("/v1/downloads") ? try link(of: customer) : "",
    ]
    let isOperators = path.hasPrefix("/v1/operator") || path == "/metrics"
    var address = endpoint.path(values)
    if path == "/v1/operator/customers" { address += Array("?transactionId=2000000000001".utf8) }
    if path == "/v1/operator/charts/{name}" { address += Array("?app=\(Self.app)&environment=Sandbox".utf8) }
    if path.hasSuffix("/summary") { address += Array("?order=newest".utf8) }
    return HostileRequest(
      method, address,
      fields: [("Authorization", Array("Bearer \(isOperators ? key : customer.token)".utf8))],
      body: endpoint.takesBody ? Array(try body(for: path, customer.id).utf8) : nil)
  }

  private func body(for path: String, _ customer: String) throws -> String {
    // The claims of the customer whose purchases are moved.
    let moved = 2_000_000_000_000 + 3 * 10_000_000 + next
    return switch path.split(separator: "/").last.map(String.init) {
    case "grants": #"{"key":"g\#(next)","reason":"r","credits":{"unit":"coins","amount":1}}"#
    case "revocations": #"{"productId":"p0","source":"\#(2_000_000_000_000 + 2 * next)","reason":"r"}"#
    case "moves": #"{"transactionId":"\#(moved)","environment":"Sandbox","reason":"r"}"#
    case "lifts": #"{"unit":"coins","reason":"r"}"#
    case "answer": #"{"refundPreference":"decline","reason":"r"}"#
    case "consent": #"{"consumptionInformation":\#(next % 2 == 0)}"#
    case "exports", "erasure": #"{"reason":"r"}"#
    case "reverify": #"{"bundleId":"\#(Self.app)","customer":"\#(customer)"}"#
    case "notifications": #"{"signedPayload":"\#(try shop.signedNotification())"}"#
    case "imports":
      #"{"digest":"\#(String(repeating: "a", count: 64))","apply":true,"rows":[{"row":\#(next),"customer":"\#(customer)","#
        + #""signedTransaction":"\#(try shop.signedPurchase())"}],"nextRow":\#(next + 1),"isLast":false}"#
    case "spends": #"{"key":"s\#(next)","amount":1}"#
    case "keys": #"{"name":"olga"}"#
    case "webhooks": newWebhookBody
    case "{productId}": #"{"type":"Non-Consumable","localisations":{},"entitlements":["club"]}"#
    case "{offeringId}": #"{"products":["p1","p0"],"isCurrent":true}"#
    case "content" where path.contains("products"): files
    case "redemptions":
      #"{"proof":{"signedTransaction":"\#(try shop.signedPurchase())"},"purchases":[{"transactionId":"\#(shop.lastPurchase)"}]}"#
    case "restores": #"{"proof":{"appReceipt":"\#(shop.receipt)"}}"#
    default: "{}"
    }
  }

  /// The token of a link to a file.
  private func link(of customer: Customer) throws -> String {
    let path = "/v1/apps/\(Self.app)/deliveries?limit=1"
    let list = try measured.send(.get, path, token: customer.token)["deliveries"] as? [[String: Any]]
    let file = try #require((list?.first?["files"] as? [[String: Any]])?.first)
    return try #require((file["link"] as? String)?.split(separator: "/").last.map(String.init), "\(file)")
  }

  private func newCustomer() throws -> Customer {
    let object = try measured.send(.post, "/v1/apps/\(Self.app)/installations", "{}")
    return Customer(id: try #require(object["customer"] as? String), token: try #require(object["token"] as? String))
  }

  /// No row makes a message of this type, so that the server sends nothing.
  private let newWebhookBody =
    #"{"name":"new","url":"https://hooks.example/","types":["PRICE_INCREASE_CONSENT_REQUIRED"]}"#

  private func newOffering() throws -> String {
    let id = "o\(next)"
    try measured.send(
      .put, "/v1/operator/apps/\(Self.app)/offerings/\(id)", #"{"products":["p1"]}"#, token: key)
    return id
  }

  private func newWebhook() throws -> String {
    let object = try measured.send(.post, "/v1/operator/webhooks", newWebhookBody, token: key)
    return try #require((object["webhook"] as? [String: Any])?["id"] as? String)
  }

  // MARK: Products

  private var files = ""

  /// Publishes the products of the rows and of the shop, one of them with a file.
  private func publish() throws {
    for (product, members) in [
      ("p0", #""type":"Auto-Renewable Subscription""#), ("p1", #""type":"Non-Consumable""#),
      ("a", #""type":"Consumable","credits":{"unit":"coins","amount":5}"#),
      ("pass", #""type":"Non-Renewing Subscription","accessDays":30"#),
    ] {
      let path = "/v1/operator/apps/\(Self.app)/products/\(product)"
      try measured.send(.put, path, #"{\#(members),"localisations":{}}"#, token: key)
    }
    // Larger than what is sent inline.
    let poem = String(repeating: "a poem ", count: 100_000)
    let digest = try #require(try measured.send(.put, "/v1/operator/content", poem, token: key)["sha256"] as? String)
    files = #"{"files":[{"name":"poem","sha256":"\#(digest)","mediaType":"text/plain"}]}"#
    try measured.send(.put, "/v1/operator/apps/\(Self.app)/products/p1/content", files, token: key)
  }
}
