import Foundation
import GRDB
import HTTPTypes
import PrivatePostgreSQL
import SharedFixtures
import Testing

/// A purchase server whose ledger one customer fills. The server is restarted to add rows.
final class StoredRowsServer {
  enum Engine: CaseIterable, CustomTestStringConvertible {
    case sqlite, postgreSQL

    var testDescription: String { self == .sqlite ? "SQLite" : "PostgreSQL" }
  }

  private let folder: ScratchFolder
  private let engine: Engine
  private let postgreSQL: PrivatePostgreSQL?
  private let configuration: URL
  private let key: String
  private(set) var measured: MeasuredServer
  private var customers: [(customer: String, token: String)] = []
  private var next = 0
  private var fills = 0
  let endpoints: [Endpoint]

  private static let app = HostileServer.app
  private static let database = "rows"

  init(_ engine: Engine, _ folder: ScratchFolder, trusting emulator: MeasuredServer) async throws {
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
    try Data(
      """
      {\(database) "trust": {"emulator": "http://127.0.0.1:\(emulator.port)"},
       "apps": [{"bundleId": "\(Self.app)", "verification": "offline"}],
       "limits": {"burst": 1000000, "requestsPerSecond": 1000000, "requestSeconds": 600}}
      """.utf8
    ).write(to: configuration)
    key = try await MeasuredServer.output(of: ["server", "operator-key", "--config", configuration.path, "fuzz"])
    measured = try await MeasuredServer(
      ["server", "--config", configuration.path, "--port", "0"], postgreSQL: postgreSQL?.folder)
    let description = try HostileServer.object(at: "/openapi.json", of: measured)
    endpoints = try await HostileServer.routes(folder).map { Endpoint($0, described: description) }
    try publish()
    // One customer for all requests, and one for each of the two erasures.
    for _ in 0..<3 { customers.append(try newCustomer()) }
  }

  func stop() { measured.stop() }

  /// Gives each customer rows, while the server does not run.
  func add(_ range: Range<Int>) async throws {
    fills += 1
    measured.stop()
    while measured.isRunning { await Task.yield() }
    for (place, customer) in customers.enumerated() {
      // The customers' rows have different numbers.
      let shifted = range.lowerBound + place * 10_000_000..<range.upperBound + place * 10_000_000
      let statements = LedgerRows(customer: customer.customer).statements(
        adding: shifted, bytes: engine == .sqlite ? "BLOB" : "BYTEA")
      if let postgreSQL {
        for statement in statements { try postgreSQL.run(statement, database: Self.database) }
        try postgreSQL.run("ANALYZE", database: Self.database)
      } else {
        let queue = try DatabaseQueue(path: folder.url.appending(path: "ledger.sqlite").path)
        try await queue.write { for statement in statements { try $0.execute(sql: statement) } }
        try queue.close()
      }
    }
    measured = try await MeasuredServer(
      ["server", "--config", configuration.path, "--port", "0"], postgreSQL: postgreSQL?.folder)
  }

  // MARK: Requests

  /// Returns a request to an endpoint that succeeds, as far as one is known here.
  func request(to endpoint: Endpoint) throws -> HostileRequest {
    next += 1
    let (method, path) = (endpoint.route.method, endpoint.route.path)
    let customer =
      method != .delete
      ? customers[0] : path.hasSuffix("/customer") ? customers[fills] : try newCustomer()
    let values = [
      "bundleId": Self.app, "productId": "p1", "unit": "coins", "customer": customer.customer, "id": "k\(next)",
    ]
    let isOperators = path.hasPrefix("/v1/operator") || path == "/metrics"
    var address = endpoint.path(values)
    if path == "/v1/operator/customers" { address += Array("?transactionId=2000000000001".utf8) }
    return HostileRequest(
      method, address,
      fields: [("Authorization", Array("Bearer \(isOperators ? key : customer.token)".utf8))],
      body: endpoint.takesBody ? Array(body(for: path, customer.customer).utf8) : nil)
  }

  private func body(for path: String, _ customer: String) -> String {
    switch path.split(separator: "/").last.map(String.init) {
    case "grants": #"{"key":"g\#(next)","reason":"r","credits":{"unit":"coins","amount":1}}"#
    case "revocations": #"{"productId":"p0","source":"2000000000002","reason":"r"}"#
    case "moves": #"{"transactionId":"2000000000001","environment":"Sandbox","reason":"r"}"#
    case "lifts": #"{"unit":"coins","reason":"r"}"#
    case "reverify": #"{"bundleId":"\#(Self.app)","customer":"\#(customer)"}"#
    case "spends": #"{"key":"s\#(next)","amount":1}"#
    case "keys": #"{"name":"olga"}"#
    case "p1", "{productId}": #"{"type":"Non-Consumable","localisations":{}}"#
    default: "{}"
    }
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: String, _ token: String? = nil
  ) throws -> PlainAnswer {
    try measured.measure(
      HostileRequest(
        method, Array(path.utf8), fields: token.map { [("Authorization", Array("Bearer \($0)".utf8))] } ?? [],
        body: Array(body.utf8))
    ).answer
  }

  private func newCustomer() throws -> (customer: String, token: String) {
    let answer = try send(.post, "/v1/apps/\(Self.app)/installations", "{}")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String])
    return (try #require(object["customer"]), try #require(object["token"]))
  }

  /// Publishes the products of the rows, one of them with a file.
  private func publish() throws {
    for (product, type) in [("p0", "Auto-Renewable Subscription"), ("p1", "Non-Consumable")] {
      let path = "/v1/operator/apps/\(Self.app)/products/\(product)"
      try #require(try send(.put, path, #"{"type":"\#(type)","localisations":{}}"#, key).status == 200)
    }
    let stored = try send(.put, "/v1/operator/content", "a poem", key)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(stored.body)) as? [String: Any])
    let digest = try #require(object["sha256"] as? String)
    let files = #"{"files":[{"name":"poem","sha256":"\#(digest)","mediaType":"text/plain"}]}"#
    let path = "/v1/operator/apps/\(Self.app)/products/p1/content"
    try #require(try send(.put, path, files, key).status == 200)
  }
}
