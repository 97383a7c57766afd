import AppStoreEmulator
import Foundation
import GRDB
import HTTPTypes
import Logging
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

/// An emulator in which one customer has rows in every table.
///
/// Its purchases are made by a device and by the control API. Then ``EmulatorRows`` copies their rows, while it does not run.
final class StoredRowsEmulator: StoredRowsTarget {
  static let app = HostileServer.app
  static let customer = "tom"
  static let phone = InstallationID("phone of tom")
  /// An installation for requests that sign the customer out.
  static let otherPhone = InstallationID("other phone of tom")

  private(set) var measured: MeasuredServer
  private(set) var endpoints: [Endpoint] = []
  private(set) var fixture = Fixture()
  /// The number of requests so far, for ids that are used once.
  var next = 0

  /// What the requests need of the purchases that were made first.
  struct Fixture {
    var consumable = ""
    var subscription = ""
    var appReceipt = ""
    var fault = ""
  }

  /// The header with a token for the Server API.
  private(set) var token = (name: "", value: [UInt8]())
  /// A snapshot that is larger than the limit is refused.
  var refusals: [String: Int] = [:]
  let once: Set<String> = [
    "POST /control/v1/reset", "POST /control/v1/restore", "POST /console/store/restore", "DELETE /control/v1/requests",
  ]

  /// - Parameter rows: the number of rows in each table.
  init(rows: Int, _ folder: ScratchFolder) async throws {
    let catalog = folder.url.appending(path: "rows.storekit")
    try Data(Self.catalog.utf8).write(to: catalog)
    let data = folder.url.appending(path: "rows")
    let arguments = [
      "emulator", "--config", catalog.path, "--bundle-id", Self.app, "--port", "0", "--data", data.path, "--seed", "1",
    ]
    measured = try await MeasuredServer(arguments)
    let description = try HostileServer.object(at: "/control/openapi.json", of: measured)
    endpoints = try Self.routes().map { Endpoint($0, described: description) }.sorted { Self.rank($0) < Self.rank($1) }
    // Nothing listens there. In the sandbox, a notification is sent once.
    try measured.send(.put, "/control/v1/apps/\(Self.app)/notificationURLs", Self.notificationURLs)
    try buy()
    measured.stop()
    while measured.isRunning { await Task.yield() }
    let queue = try DatabaseQueue(path: data.appending(path: "store.sqlite").path)
    try await queue.write { try EmulatorRows(database: $0, rows: rows).fill(customer: Self.customer) }
    try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
    measured = try await MeasuredServer(arguments)
    fixture.fault = try newFault()
    token = try ServerAPIEndpoints.credentials(measured, app: Self.app)
    for endpoint in endpoints {
      refusals[endpoint.description] = Self.refusal(by: endpoint)
    }
    // The journal keeps 10,000 requests. These take the same time with all rows.
    for _ in 0..<min(rows / 10, 10_000) {
      try measured.send(.post, "/device/v1/products", deviceBody(ProductsCall(productIDs: ["coins"])))
    }
  }

  func stop() { measured.stop() }

  /// Sets a fault that applies to no request here, and returns its id.
  func newFault() throws -> String {
    let fault = try measured.send(.post, "/control/v1/faults", #"{"kind":"outage","scope":{"customer":"nobody"}}"#)
    return try #require(fault["id"] as? String)
  }

  static let notificationURLs = #"{"sandbox":"http://127.0.0.1:9/","production":null}"#

  static let catalog = """
    {"products": [
       {"productID": "coins", "type": "Consumable", "displayPrice": "1"},
       {"productID": "refunded", "type": "Consumable", "displayPrice": "1"},
       {"productID": "book", "type": "NonConsumable", "displayPrice": "1", "familyShareable": true},
       {"productID": "film", "type": "NonConsumable", "displayPrice": "1"}],
     "subscriptionGroups": [{"id": "G", "name": "Club", "subscriptions": [
       {"productID": "club", "type": "RecurringSubscription", "displayPrice": "1", "groupNumber": 1,
        "subscriptionGroupID": "G", "recurringSubscriptionPeriod": "P1Y", "familyShareable": true}]}]}
    """

  /// All endpoints that a client can measure: the live stream of the console does not end.
  private static func routes() throws -> [ServedRoute] {
    let server = try EmulatorServer(
      store: EmulatedAppStore(.inMemory(wallClock: SystemClock(), seed: 1)), configuration: .init(port: 0),
      logger: Logger(label: "routes") { _ in SwiftLogNoOpLogHandler() })
    return server.routes.filter { $0.path != "/console/live" }
  }

  /// Requests that remove what others need are later.
  private static func rank(_ endpoint: Endpoint) -> Int {
    switch endpoint.description {
    case "POST /control/v1/reset": 4
    case "POST /control/v1/restore", "POST /console/store/restore": 3
    case let text where text.hasPrefix("DELETE /control/v1/requests") || text.hasPrefix("DELETE /control/v1/faults"): 2
    case let text where text.hasPrefix("DELETE"): 1
    default: 0
    }
  }

  // MARK: The rows that are copied

  private func buy() throws {
    for name in [Self.customer, "ann"] {
      try measured.send(.post, "/control/v1/customers", #"{"environment":"Sandbox","name":"\#(name)","family":"f"}"#)
    }
    for phone in [Self.phone, Self.otherPhone] {
      try answer(RegisterCall(registration: Self.registration(phone)), on: phone)
      try answer(SignInCall(credentials: SignInCredentials(account: AccountName(Self.customer))), on: phone)
    }
    for (number, product) in ["coins", "refunded", "book", "club", "book"].enumerated() {
      try answer(ConfirmCall(quote: try quote(product, payment: "payment \(number)")))
    }
    let found = try measured.send(.get, "/control/v1/transactions?customer=\(Self.customer)&environment=sandbox")
    for case let transaction as [String: Any] in try #require(found["transactions"] as? [Any]) {
      let id = try #require(transaction["transactionId"] as? String)
      switch transaction["productId"] as? String {
      case "coins": fixture.consumable = id
      case "club": fixture.subscription = id
      case "refunded": try measured.send(.post, "/control/v1/transactions/\(id)/refund", "{}")
      default: break
      }
      if transaction["productId"] as? String != "coins" {
        try answer(FinishCall(transactionID: TransactionID(rawValue: id)!))
      }
    }
    try measured.send(.post, "/control/v1/purchases", purchase("coins", payment: "ordered"))
    for isOn in [false, true] {
      try measured.send(.patch, "/control/v1/subscriptions/\(fixture.subscription)", #"{"isAutoRenewOn":\#(isOn)}"#)
    }
    try change(#"{"needsApproval":true}"#)
    try answer(ConfirmCall(quote: try quote("film", payment: "waiting")))
    try change(#"{"needsApproval":false}"#)
    try measured.send(
      .post, "/control/v1/promotedPurchases", #"{"installationId":"\#(Self.phone)","productId":"film"}"#)
    let proofs = try measured.send(.get, "/control/v1/transactions/\(fixture.subscription)/proofs")
    fixture.appReceipt = try #require(proofs["appReceipt"] as? String)
  }

  private func change(_ body: String) throws {
    try measured.send(.patch, "/control/v1/customers/sandbox/\(Self.customer)", body)
  }

  // MARK: Calls

  static func registration(_ phone: InstallationID) -> InstallationRegistration {
    InstallationRegistration(
      installationID: phone, bundleID: BundleID(app), environment: .sandbox,
      deviceID: UUID(uuidString: "00000000-0000-4000-8000-00000000000\(phone == Self.phone ? 1 : 2)")!,
      applicationVersion: "1")
  }

  func quote(_ product: String, payment: String) throws -> PaymentQuote {
    try answer(QuoteCall(payment: PaymentRequest(paymentID: PaymentID(payment), productID: ProductID(product))))
  }

  func purchase(_ product: String, payment: String) -> String {
    """
    {"bundleId":"\(Self.app)","environment":"Sandbox","customer":"\(Self.customer)","productId":"\(product)","paymentId":"\(payment)"}
    """
  }

  func deviceBody(_ call: some StoreCall, on phone: InstallationID = phone) throws -> String {
    String(decoding: try Self.encoded(call, phone), as: UTF8.self)
  }

  private static func encoded<Call: StoreCall>(_ call: Call, _ phone: InstallationID) throws -> Data {
    try DeviceAPI.encoder().encode(DeviceAPI.Request(installationID: phone, call: call))
  }

  /// Makes a call, and returns its answer.
  @discardableResult
  func answer<Call: StoreCall>(_ call: Call, on phone: InstallationID = phone) throws -> Call.Answer {
    let answer = try measured.measure(
      HostileRequest(
        .post, Array("/device/v1/\(Call.verb.rawValue)".utf8), body: Array(try deviceBody(call, on: phone).utf8))
    ).answer
    try #require(answer.status == 200, "\(Call.verb): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
    return try JSONDecoder().decode(Call.Answer.self, from: Data(answer.body))
  }
}
