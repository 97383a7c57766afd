import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import FoundationNetworking
import GRDB
import Hummingbird
import Logging
import StoreModel

/// Measures subscriptions: a year of renewals for many customers, and one subscription with many periods. For comparison,
/// SQLite alone inserts a row per renewal, or reads the rows of the subscription.
enum SubscriptionBenchmarks {
  static let app: BundleID = "org.example.reader"
  static let monthly: ProductID = "org.example.reader.monthly"
  static let day: Int64 = 86_400_000

  static func run() async throws {
    print("\nA year of a monthly subscription, the clock advanced in one step, on disk")
    print("  customers   renewals   seconds   µs per renewal   beside bare inserts   MiB after (maximum)")
    for customers in [1_000, 10_000] { try await year(of: customers) }
  }

  static func store(_ folder: URL?) async throws -> EmulatedAppStore {
    let store = try EmulatedAppStore(.init(directory: folder))
    let catalog = """
      {"identifier": "1", "products": [], "nonRenewingSubscriptions": [], "settings": {}, "subscriptionGroups": [
        {"id": "G", "name": "Club", "localizations": [], "subscriptions": [
          {"productID": "\(monthly)", "type": "RecurringSubscription", "displayPrice": "4.99", "internalID": "S1",
           "groupNumber": 1, "subscriptionGroupID": "G", "recurringSubscriptionPeriod": "P1M", "referenceName": "Monthly",
           "localizations": [], "adHocOffers": [], "codeOffers": [], "introductoryOffer": null}
        ]}], "version": {"major": 4, "minor": 0}}
      """
    try await store.serve(
      app, catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "reader.storekit")])
    return store
  }

  private static func year(of customers: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "subscriptions-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (renewals, seconds) = try await renew(customers, in: folder)
    let bare = try bareInserts(renewals, in: folder)
    let numbers = [customers, renewals].map { String(repeating: " ", count: max(0, 11 - "\($0)".count)) + "\($0)" }
    print(
      numbers.joined()
        + String(
          format: "%10.2f%17.1f%20.1f ×%12.0f (%.0f)", seconds, seconds * 1e6 / Double(renewals), seconds / bare,
          Report.mebibytes("VmRSS"), Report.mebibytes("VmHWM")))
  }

  /// Advances the clock of a new store with subscriptions by a year.
  ///
  /// - Parameter url: the address for notifications; nil for none. They are not sent.
  /// - Returns: the number of renewals, and their duration.
  static func renew(
    _ customers: Int, in folder: URL, notifying url: URL? = nil
  ) async throws -> (renewals: Int, seconds: Double) {
    let store = try await store(folder)
    defer { try? store.close() }
    try await store.setNotificationURL(url)
    for number in 0..<customers {
      let name = AccountName("customer \(number)@example.org")
      try await store.addCustomer(Customer(environment: .sandbox, name: name))
      _ = try await store.purchase(monthly, of: app, for: name, in: .sandbox)
    }
    let before = try await store.transactionCount(RecordFilter())
    let start = ContinuousClock.now
    try await store.changeClock(.advance(milliseconds: 366 * day))
    // The next call waits until the store has made all renewals that are due.
    let renewals = try await store.transactionCount(RecordFilter()) - before
    return (renewals, (ContinuousClock.now - start).inSeconds)
  }

  /// Returns the seconds that SQLite alone needs to insert two rows with an index for each renewal, in commits of 100.
  private static func bareInserts(_ count: Int, in folder: URL) throws -> Double {
    let queue = try DatabaseQueue(path: folder.appending(path: "bare.sqlite").path)
    try queue.inDatabase { database in
      try database.execute(
        sql:
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT); CREATE TABLE b (id INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT)"
      )
    }
    let text = String(repeating: "x", count: 400)
    let start = ContinuousClock.now
    for first in stride(from: 0, to: count, by: 100) {
      try queue.write { database in
        for number in first..<min(first + 100, count) {
          for table in ["a", "b"] {
            try database.execute(
              sql: "INSERT INTO \(table) (name, text) VALUES (?, ?)", arguments: ["\(number)", text])
          }
        }
      }
    }
    let elapsed = ContinuousClock.now - start
    try queue.close()
    return elapsed.inSeconds
  }

  /// Measures `verifyReceipt`, the console and the control API for one subscription with many periods.
  static func manyPeriods(_ periods: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "subscriptions-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try await store(folder)
    defer { try? store.close() }
    try await store.setRenewalRules(RenewalRules(rate: .oneRenewalEveryTwoSeconds), of: app)
    let first = try await store.purchase(monthly, of: app, for: "customer", in: .sandbox).record.transactionID
    try await store.changeClock(.advance(milliseconds: Int64(periods) * 2_000))
    _ = try await store.transactionCount(RecordFilter())
    let copy = folder.appending(path: "bare.sqlite")
    try await store.snapshot().write(to: copy)
    let queue = try DatabaseQueue(path: copy.path)
    let bare = try await Measurement.of("bare SQLite: read its transactions", count: 20) {
      try queue.inDatabase { database in
        _ = try Row.fetchAll(
          database, sql: "SELECT * FROM transactionRecord WHERE originalTransactionID = ?", arguments: [first.rawValue])
      }
    }
    try queue.close()
    Report.title("One subscription with \(periods) periods, over HTTP")
    Report.line(bare)
    try await overHTTP(store, first, bare)
  }

  private static func overHTTP(_ store: EmulatedAppStore, _ first: TransactionID, _ bare: Measurement) async throws {
    let server = try EmulatorServer(
      store: store, configuration: .init(port: 0),
      logger: Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() }))
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = server.application { port.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      guard let number = await ports.first(where: { _ in true }),
        let base = URL(string: "http://127.0.0.1:\(number)")
      else { throw CancellationError() }
      func get(_ path: String) async throws -> Data {
        guard let url = URL(string: path, relativeTo: base) else { throw CancellationError() }
        return try await URLSession.shared.data(from: url).0
      }
      let proofs = try JSONDecoder().decode(
        [String: String?].self, from: try await get("/control/v1/transactions/\(first)/proofs"))
      let connection =
        try JSONSerialization.jsonObject(with: try await get("/control/v1/connection")) as? [String: Any]
      for excludes in [false, true] {
        var request = URLRequest(url: base.appending(path: "sandbox/verifyReceipt"))
        request.httpMethod = "POST"
        request.httpBody = try JSONSerialization.data(withJSONObject: [
          "receipt-data": (proofs["appReceipt"] ?? "") ?? "", "password": connection?["sharedSecret"] as? String ?? "",
          "exclude-old-transactions": excludes,
        ])
        let (sent, body) = (request, request.httpBody ?? Data())
        let size = try await URLSession.shared.data(for: sent).0.count
        let old = excludes ? ", old ones excluded" : ""
        Report.line(
          try await .of("verifyReceipt\(old), in process", count: 20) {
            _ = try await store.verifyReceipt(body, at: .sandbox).bytes
          }, bare: bare)
        let file = FileManager.default.temporaryDirectory.appending(path: "verifyReceipt-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        Report.line(
          try await .of("verifyReceipt\(old), curl (\(size / 1024) KiB)", count: 20) {
            try await curl(file, to: base.appending(path: "sandbox/verifyReceipt"))
          }, bare: bare)
      }
      for (name, path) in [
        ("control API: the subscription", "/control/v1/subscriptions/\(first)"),
        ("control API: a page of 50 transactions", "/control/v1/transactions?limit=50"),
        ("console: the customer", "/console/customer?environment=sandbox&name=customer"),
        ("console: the first transaction", "/console/transactions/\(first)"),
      ] {
        let size = try await get(path).count
        Report.line(
          try await .of("\(name) (\(size / 1024) KiB)", count: 20) { _ = try await get(path) }, bare: bare)
      }
      group.cancelAll()
      try? await group.waitForAll()
    }
  }

  /// Sends a request with `curl`, whose start takes a few milliseconds. URLSession would take longer to read the answer than
  /// the store takes to make it.
  ///
  /// - Parameter file: contains the body.
  private static func curl(_ file: URL, to url: URL) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = ["-sf", "-o", "/dev/null", "--data-binary", "@\(file.path)", url.absoluteString]
    // The call must not block its thread, because the store needs all threads of the pool.
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    guard status == 0 else { throw CocoaError(.fileReadUnknown) }
  }
}
