import AppStoreEmulator
import Foundation
import HTTPTypes
import Logging
import PurchaseLedger
import SharedFixtures
import SignedData
import StoreModel
import Testing
import WebSupport

@testable import AppStoreEmulatorServer
@testable import PurchaseServer

/// A server under attack: the program itself, with the list of endpoints that its routers have.
struct HostileServer {
  static let app = "com.example.shop"

  let measured: MeasuredServer
  let endpoints: [Endpoint]
  /// The values of path parameters, by name.
  let values: [String: String]
  /// The header fields of an authorised client of an endpoint.
  let credentials: (Endpoint) throws -> [(name: String, value: [UInt8])]

  /// The emulator, with one product and one customer.
  static func emulator(_ folder: ScratchFolder) async throws -> HostileServer {
    let measured = try await runningEmulator(folder)
    let server = try EmulatorServer(
      store: EmulatedAppStore(.inMemory(wallClock: SystemClock(), seed: 1)), configuration: .init(port: 0),
      logger: Logger(label: "routes") { _ in SwiftLogNoOpLogHandler() })
    let description = try object(at: "/control/openapi.json", of: measured)
    let token = try ServerAPIEndpoints.credentials(measured, app: app)
    // The console answers these itself, so they are in none of the routers.
    let session = ["sign-in", "sign-out"].map { ServedRoute(method: .post, path: "/console/\($0)") }
    return HostileServer(
      measured: measured, endpoints: (server.routes + session).map { Endpoint($0, described: description) },
      values: ["bundleId": app, "productId": "a", "environment": "sandbox", "name": "tom", "transactionId": "1"],
      credentials: { ServerAPIEndpoints.contain($0) ? [token] : [] })
  }

  /// The purchase server, which trusts `emulator`.
  static func purchases(_ folder: ScratchFolder, trusting emulator: MeasuredServer) async throws -> HostileServer {
    let configuration = folder.url.appending(path: "server.json")
    try Data(
      """
      {"trust": {"emulator": "http://127.0.0.1:\(emulator.port)"}, "apps": [{"bundleId": "\(app)", "verification": "offline"}],
       "limits": {"burst": 1000000, "requestsPerSecond": 1000000, "requestSeconds": 600}}
      """.utf8
    ).write(to: configuration)
    let key = try await MeasuredServer.output(of: ["server", "operator-key", "--config", configuration.path, "fuzz"])
    let measured = try await MeasuredServer(["server", "--config", configuration.path, "--port", "0"])
    try publishProducts(at: measured, key: key)
    let description = try object(at: "/openapi.json", of: measured)
    return HostileServer(
      measured: measured, endpoints: try await routes(folder).map { Endpoint($0, described: description) },
      values: ["bundleId": app, "productId": "p1", "unit": "coins"],
      credentials: { endpoint in
        if endpoint.route.path.hasPrefix("/v1/operator") || endpoint.route.path == "/metrics" {
          return [("Authorization", Array("Bearer \(key)".utf8))]
        }
        guard endpoint.route.path.hasPrefix("/v1/apps") else { return [] }
        // Some endpoints erase the customer.
        return [("Authorization", Array("Bearer \(try newCustomer(at: measured))".utf8))]
      })
  }

  /// Starts an emulator.
  static func runningEmulator(_ folder: ScratchFolder) async throws -> MeasuredServer {
    let catalog = folder.url.appending(path: "shop.storekit")
    try Data(#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}"#.utf8).write(to: catalog)
    return try await MeasuredServer(["emulator", "--config", catalog.path, "--bundle-id", app, "--port", "0"])
  }

  /// Returns the response of the service in this process, which is the same as the program's.
  static func routes(_ folder: ScratchFolder) async throws -> [ServedRoute] {
    let ledger = try await Ledger(
      database: SQLiteLedgerDatabase(at: nil), anchors: .apple, apps: [BundleID(app): LedgerSettings()])
    let receipts = HTTPReceiptServer()
    let service = try await PurchaseService(
      ledger: ledger,
      verifier: ProofVerifier(
        anchors: .apple, policies: [VerificationPolicy(bundleID: BundleID(app), method: .offline)], server: receipts),
      content: FolderContentStore(folder: folder.url.appending(path: "routes")),
      links: DownloadLinkSigner(
        current: DownloadLinkKey(bytes: Array(repeating: 7, count: 32)), clock: SystemClock()),
      logger: Logger(label: "routes") { _ in SwiftLogNoOpLogHandler() })
    try await receipts.close()
    return service.routes
  }

  private static func publishProducts(at server: MeasuredServer, key: String) throws {
    let localisations = ["en", "de", "fr", "pt-BR", "zh-Hans"].map {
      "\"\($0)\":{\"name\":\"Tea\",\"description\":\"Hot\"}"
    }
    for number in 0..<50 {
      let request = HostileRequest(
        .put, Array("/v1/operator/apps/\(app)/products/p\(number)".utf8),
        fields: [("Authorization", Array("Bearer \(key)".utf8))],
        body: Array("{\"type\":\"Non-Consumable\",\"localisations\":{\(localisations.joined(separator: ","))}}".utf8))
      try #require(try server.measure(request).answer.status == 200)
    }
  }

  private static func newCustomer(at server: MeasuredServer) throws -> String {
    let request = HostileRequest(.post, Array("/v1/apps/\(app)/installations".utf8), body: Array("{}".utf8))
    let answer = try server.measure(request).answer
    let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    return try #require(object?["token"] as? String, "\(answer.status)")
  }

  static func object(at path: String, of server: MeasuredServer) throws -> [String: Any] {
    let answer = try server.measure(HostileRequest(.get, Array(path.utf8))).answer
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
  }
}
