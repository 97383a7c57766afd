import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import FoundationNetworking
import GRDB
import Hummingbird
import Logging

/// Measures the console's pages over HTTP. For comparison, SQLite alone runs the statements of each page's list on a copy of
/// the database.
enum ConsoleBenchmarks {
  /// - Parameters:
  ///   - copy: a copy of the store's database file.
  ///   - id: the id of a transaction.
  static func run(on store: EmulatedAppStore, copy: URL, transaction id: String) async throws {
    let queue = try DatabaseQueue(path: copy.path)
    let server = try EmulatorServer(
      store: store, configuration: .init(port: 0),
      logger: Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() }))
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = server.application { port.yield($0) }
    print(
      "\nThe console's pages, in milliseconds\(String(repeating: " ", count: 22))  median      p99   bare SQL     ratio"
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      for (name, address, statements) in pages(id: id) {
        guard let url = URL(string: "http://127.0.0.1:\(number)\(address)") else { continue }
        let page = try await Measurement.of(name, count: 50) { _ = try await URLSession.shared.data(from: url) }
        let bare = try await Measurement.of("", count: 50) {
          try queue.inDatabase { database in
            for statement in statements { _ = try Row.fetchAll(database, sql: statement) }
          }
        }
        let padding = String(repeating: " ", count: max(0, 58 - name.count))
        print(
          name + padding
            + String(
              format: "%9.2f%9.2f%11.2f%9.1f ×", page.median / 1_000, page.percentile99 / 1_000, bare.median / 1_000,
              page.median / bare.median))
      }
      group.cancelAll()
      try? await group.waitForAll()
    }
    try queue.close()
  }

  private static func pages(id: String) -> [(name: String, address: String, statements: [String])] {
    let table = "transactionRecord"
    let count = "SELECT count(*) FROM \(table)"
    func newest(_ limit: Int, where condition: String = "TRUE") -> String {
      "SELECT * FROM \(table) WHERE \(condition) ORDER BY sequence DESC LIMIT \(limit)"
    }
    let nowhere = "instr(searchText, 'nowhere to be found') > 0"
    let customer = "account = 'customer 7@example.org' AND environment = 'Sandbox'"
    let ofCustomer = "\(count) WHERE \(customer)"
    return [
      ("the first page", "/", [newest(101), count]), ("grown to 500 rows", "/?rows=500", [newest(501), count]),
      ("a page in the middle", "/?before=50000", [newest(101, where: "sequence < 50000"), count]),
      (
        "search what is nowhere", "/?q=nowhere%20to%20be%20found",
        [newest(101, where: nowhere), "\(count) WHERE \(nowhere)"]
      ),
      (
        "those of one customer", "/?customer=customer%207%40example.org&environment=sandbox",
        [newest(101, where: customer), ofCustomer]
      ),
      ("a transaction", "/console/transactions/\(id)", ["SELECT * FROM \(table) WHERE transactionID = '\(id)'"]),
      ("customers", "/console/customers", ["SELECT * FROM customer ORDER BY environment, name LIMIT 201"]),
      (
        "a customer", "/console/customer?environment=sandbox&name=customer%207%40example.org",
        [newest(21, where: customer), ofCustomer]
      ),
      ("the catalog", "/console/catalog", ["SELECT * FROM product ORDER BY position"]),
      ("requests", "/console/requests", ["SELECT 1"]),
    ]
  }
}
