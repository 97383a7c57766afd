import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import FoundationNetworking
import GRDB
import Hummingbird
import Logging
import StoreModel

/// Measures queries of a store with 100,000 transactions on disk: pages, searches and counts. For comparison, SQLite alone
/// selects one row and scans the whole table, in a copy of the same file.
enum ListingBenchmarks {
  private static let customers = 2_000
  private static let products = 40

  static func run(transactions size: Int = 100_000) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "listing-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EmulatedAppStore(.init(directory: folder))
    defer { try? store.close() }
    let rare = try await fill(store, with: size)
    let (point, scan) = try await bare(of: try await store.snapshot(), in: folder, id: rare)

    print("\nLooking into a store with \(size) transactions, on disk, in milliseconds")
    func column(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    print("\(column("", 58))   median      p99   beside the bare scan")
    func line(_ measurement: Measurement) {
      print(
        column(measurement.name, 58)
          + String(
            format: "%9.2f%9.2f%12.2f ×", measurement.median / 1_000, measurement.percentile99 / 1_000,
            measurement.median / scan.median))
    }
    line(point)
    line(scan)
    for (name, filter) in filters(rare: rare, size: size) {
      line(try await .of(name, count: 50) { _ = try await store.transactionPage(filter) })
    }
    for (name, filter) in [
      ("count all of them", RecordFilter()),
      ("count those with a common text", .init(search: "example")),
    ] {
      line(try await .of(name, count: 50) { _ = try await store.transactionCount(filter) })
    }
    guard let id = TransactionID(rawValue: rare) else { throw CancellationError() }
    line(
      try await .of("one transaction with its charge and refunds", count: 50) { _ = try await store.transaction(id) })
    line(try await .of("the story of one", count: 50) { _ = try await store.timeline(of: id) })
    try await overHTTP(store) { line($0) }
    try await ConsoleBenchmarks.run(on: store, copy: folder.appending(path: "bare.sqlite"), transaction: rare)
  }

  private static func filters(rare: String, size: Int) -> [(String, RecordFilter)] {
    [
      ("the first page of 50", .init(limit: 50)),
      ("a page in the middle", .init(before: Int64(size / 2), limit: 50)),
      ("the first page of 1,000", .init()),
      ("search a common text", .init(search: "example", limit: 50)),
      ("search the whole id of an old transaction", .init(search: rare, limit: 50)),
      ("search a rare text", .init(search: "customer 1999@", limit: 50)),
      ("search what is nowhere", .init(search: "nowhere to be found", limit: 50)),
      ("search what is nowhere, beyond ASCII", .init(search: "Žluťoučký kůň", limit: 50)),
      ("those that were refunded: 10 of them", .init(state: .refunded, limit: 50)),
      ("one product of one customer", .init(account: "customer 7@example.org", productID: product(7), limit: 50)),
      ("a product and a text that never meet", .init(productID: product(1), search: "customer 2@", limit: 50)),
    ]
  }

  private static func product(_ number: Int) -> ProductID { ProductID("org.example.reader.book.\(number)") }

  /// Makes `size` purchases, with ten refunds.
  ///
  /// - Returns: the id of an early transaction.
  static func fill(_ store: EmulatedAppStore, with size: Int) async throws -> String {
    let entries = (0..<products).map {
      #"{"productID": "\#(product($0))", "type": "Consumable", "displayPrice": "1.99"}"#
    }
    let catalog = #"{"products": [\#(entries.joined(separator: ","))]}"#
    try await store.serve(
      "org.example.reader", catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "reader.storekit")])
    for number in 0..<customers {
      try await store.addCustomer(
        Customer(environment: .sandbox, name: AccountName("customer \(number)@example.org")))
    }
    var rare = ""
    for number in 0..<size {
      let bought = try await store.purchase(
        product(number % products), of: "org.example.reader",
        for: AccountName("customer \(number % customers)@example.org"), in: .sandbox,
        applicationUsername: UUID().uuidString)
      if number == size / 100 { rare = bought.record.transactionID.rawValue }
      if number % (size / 10) == 0 { try await store.refund(bought.record.transactionID) }
    }
    return rare
  }

  /// Measures SQLite alone on a copy of the file: the selection of one transaction, and a scan of all transactions.
  private static func bare(
    of snapshot: Data, in folder: URL, id: String
  ) async throws -> (point: Measurement, scan: Measurement) {
    let file = folder.appending(path: "bare.sqlite")
    try snapshot.write(to: file)
    let queue = try DatabaseQueue(path: file.path)
    let point = try await Measurement.of("bare SQLite: select one by its id", count: 500) {
      try queue.inDatabase { database in
        _ = try Row.fetchOne(database, sql: "SELECT * FROM transactionRecord WHERE transactionID = ?", arguments: [id])
      }
    }
    let scan = try await Measurement.of("bare SQLite: look at every one", count: 50) {
      try queue.inDatabase { database in
        _ = try Int.fetchOne(
          database, sql: "SELECT count(*) FROM transactionRecord NOT INDEXED WHERE storefrontID = 'none'")
      }
    }
    try queue.close()
    return (point, scan)
  }

  private static func overHTTP(_ store: EmulatedAppStore, _ line: (Measurement) -> Void) async throws {
    let server = try EmulatorServer(
      store: store, configuration: .init(port: 0),
      logger: Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() }))
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = server.application { port.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      for (name, query) in [
        ("over HTTP: the first page of 50", "limit=50"), ("over HTTP: search what is nowhere", "search=nowhere-at-all"),
        ("over HTTP: a page of 1,000", "limit=1000"),
      ] {
        guard let url = URL(string: "http://127.0.0.1:\(number)/control/v1/transactions?\(query)") else { continue }
        line(try await .of(name, count: 50) { _ = try await URLSession.shared.data(from: url) })
      }
      group.cancelAll()
      try? await group.waitForAll()
    }
  }
}
