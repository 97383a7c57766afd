import DurableSQLite
import Foundation
import GRDB
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import SignedData
import StoreModel

/// Measures redemptions per second. Each is verified and durable. For comparison: bare inserts with the same
/// durability.
///
/// PostgreSQL is measured if `POSTGRESQL` has a connection string (`Benchmarks/with-postgresql.sh` starts a server and
/// sets it). Its bare operation is measured by pgbench.
enum LedgerBenchmarks {
  static let app: BundleID = "com.example.credits"
  static let product: ProductID = "com.example.credits.ten"
  private static let date = StoreDate(millisecondsSince1970: 1_790_000_000_000)

  static func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    print("\nRedeeming signed transactions: verify, claim, credit, commit")
    print("                                             clients    per second    median µs      p99 µs      ratio")
    let bare = try bareInserts(in: folder)
    line("bare insert and commit, SQLite", clients: 1, bare, nil)
    let file = folder.appending(path: "ledger.sqlite")
    try await redemptions("SQLite", on: SQLiteLedgerDatabase(at: file), bare: bare)
    if let connection = ProcessInfo.processInfo.environment["POSTGRESQL"] {
      let bare = try pgbench(connection, in: folder)
      line("bare insert and commit, PostgreSQL (pgbench)", clients: 10, bare, nil)
      let configuration = try PostgreSQLConfiguration(connectionString: connection)
      try await redemptions("PostgreSQL", on: PostgreSQLLedgerDatabase.open(configuration), bare: bare)
    }
  }

  // MARK: Redeeming

  struct Run {
    let perSecond: Double
    /// The duration of each redemption in microseconds, sorted.
    let samples: [Double]

    var median: Double { samples[samples.count / 2] }
    var percentile99: Double { samples[min(samples.count - 1, samples.count * 99 / 100)] }
  }

  private static func redemptions(_ name: String, on database: any LedgerDatabase, bare: Run) async throws {
    let desk = try await Desk(database, count: 15_000)
    for clients in [1, 64] {
      line("redemption, \(name)", clients: clients, try await desk.redeem(clients: clients), bare)
    }
    let full = try await desk.redeem(clients: 64).perSecond
    line("at half of that, \(name)", clients: 64, try await desk.redeem(perSecond: full / 2), bare)
    try await database.close()
  }

  private static func line(_ name: String, clients: Int, _ run: Run, _ bare: Run?) {
    let ratio = bare.map { String(format: "%11.2f", run.perSecond / $0.perSecond) } ?? ""
    print(
      name.padding(toLength: 44, withPad: " ", startingAt: 0)
        + String(format: "%8ld%14.0f%13.0f%12.0f", clients, run.perSecond, run.median, run.percentile99) + ratio)
  }

  /// A ledger with customers, and proofs that have not been redeemed yet.
  final class Desk: @unchecked Sendable {
    private let ledger: Ledger
    private let verifier: ProofVerifier
    private let customers: [Claimant]
    private let lock = NSLock()
    private var proofs: [(TransactionID, String)]

    init(_ database: any LedgerDatabase, count: Int) async throws {
      let authority = IssuingAuthority()
      let anchors = try authority.anchors
      ledger = try await Ledger(database: database, anchors: anchors, apps: [app: LedgerSettings()])
      verifier = try LedgerBenchmarks.verifier(anchors)
      try await ledger.publish(LedgerBenchmarks.credits, app: app, by: "benchmark")
      var customers: [Claimant] = []
      for number in 0..<256 { customers.append(try await ledger.identify(subject: "customer \(number)")) }
      self.customers = customers
      proofs = try LedgerBenchmarks.proofs(count, signedBy: authority)
      // Verifies the certificate chain, which is cached from then on.
      try await redeemNext()
    }

    func redeemNext() async throws {
      let (number, proof) = lock.withLock { (proofs.count, proofs.removeLast()) }
      let verified = try await verifier.verify(.signedTransaction(proof.1), for: app)
      let redemption = try await ledger.redeem(
        verified, .purchases([.init(transactionID: proof.0)]), for: customers[number % customers.count])
      guard case .given = redemption.purchases.first?.outcome else { throw CancellationError() }
    }

    /// Redeems `count` proofs at the same time.
    func redeemTogether(_ count: Int) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask { try await self.redeemNext() } }
        try await group.waitForAll()
      }
    }

    /// Redeems with `clients` concurrent clients, each as fast as it can.
    func redeem(clients: Int) async throws -> Run {
      let count = min(clients == 1 ? 1_000 : 6_000, lock.withLock { proofs.count })
      let start = ContinuousClock.now
      let samples = try await withThrowingTaskGroup(of: [Double].self) { group in
        for _ in 0..<clients {
          group.addTask {
            var samples: [Double] = []
            for _ in 0..<(count / clients) { samples.append(try await timed { try await self.redeemNext() }) }
            return samples
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      return Run(perSecond: Double(samples.count) / seconds(since: start), samples: samples.sorted())
    }

    /// Redeems at a fixed rate, even if earlier redemptions are not complete.
    func redeem(perSecond rate: Double) async throws -> Run {
      let count = min(Int(rate * 2), lock.withLock { proofs.count })
      let start = ContinuousClock.now
      let samples = try await withThrowingTaskGroup(of: Double.self) { group in
        for number in 0..<count {
          let due = start + .seconds(Double(number) / rate)
          try await Task.sleep(until: due)
          // The duration is measured from the due time, so that a delay caused by earlier redemptions is included.
          group.addTask {
            try await self.redeemNext()
            return seconds(since: due) * 1e6
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      return Run(perSecond: Double(count) / seconds(since: start), samples: samples.sorted())
    }
  }

  // MARK: Proofs

  static let credits = LedgerProduct(
    id: product, type: .consumable,
    credits: LedgerProduct.Credits(unit: CreditUnit(rawValue: "credits")!, amount: 10))

  static func verifier(_ anchors: TrustAnchors) throws -> ProofVerifier {
    try ProofVerifier(
      anchors: anchors, policies: [VerificationPolicy(bundleID: app, method: .offline)], server: NoStore())
  }

  /// Returns signed transactions of different purchases, with their ids.
  static func proofs(_ count: Int, signedBy authority: IssuingAuthority) throws -> [(TransactionID, String)] {
    try (0..<count).map { number in
      let id = TransactionID(9_000_000_000_000_000_000 + UInt64(number))
      let record = TransactionRecord(
        environment: .production, bundleID: app, transactionID: id, originalTransactionID: id, productID: product,
        type: .consumable, purchaseDate: date, originalPurchaseDate: date, quantity: 1, price: Milliunits(1990),
        currency: "USD", storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase,
        appTransactionID: "704000000000000001")
      return (id, try authority.signTransaction(SignedTransaction(record: record, signedDate: date)))
    }
  }

  private struct NoStore: ReceiptServer {
    func post(
      _ body: Data, to url: URL, timeoutMilliseconds: Int64
    ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
      throw .noConnection(detail: "there is none")
    }
  }

  static func seconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start).inSeconds
  }

  static func secondsOf(_ work: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await work()
    return seconds(since: start)
  }

  private static func timed(_ work: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await work()
    return seconds(since: start) * 1e6
  }

  // MARK: The bare operations

  static func bareDatabase(in folder: URL) throws -> DurableDatabase {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("bare") {
      try $0.execute(sql: "CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    }
    return try DurableSQLite.open(at: folder.appending(path: "bare.sqlite"), migrator: migrator)
  }

  static func insertBare(into database: DurableDatabase) throws {
    try database.write { database in
      try database.cachedStatement(sql: "INSERT INTO bare (text) VALUES (?)").execute(
        arguments: [String(repeating: "x", count: 200)])
    }
  }

  private static func bareInserts(in folder: URL) throws -> Run {
    let database = try bareDatabase(in: folder)
    var samples: [Double] = []
    let start = ContinuousClock.now
    for _ in 0..<2_000 {
      let one = ContinuousClock.now
      try insertBare(into: database)
      samples.append(seconds(since: one) * 1e6)
    }
    let run = Run(perSecond: Double(samples.count) / seconds(since: start), samples: samples.sorted())
    try database.close()
    return run
  }

  private static func pgbench(_ connection: String, in folder: URL) throws -> Run {
    let script = folder.appending(path: "insert.sql")
    try Data("INSERT INTO bare (text) VALUES (repeat('x', 200));\n".utf8).write(to: script)
    _ = try output(
      "psql", ["-qc", "CREATE TABLE IF NOT EXISTS bare (id BIGSERIAL PRIMARY KEY, text TEXT)", connection])
    let log = folder.appending(path: "pgbench").path
    // pgbench gets a number of transactions (`-t`) instead of a duration (`-T`). It measures a duration with SIGALRM,
    // which is blocked in children of this process.
    let arguments = [
      "-n", "-M", "prepared", "-c", "10", "-j", "2", "-t", "5000", "-f", script.path, "-l", "--log-prefix", log,
      connection,
    ]
    let said = try output("pgbench", arguments)
    let perSecond = said.split(separator: "\n").first { $0.hasPrefix("tps = ") }
      .flatMap { Double($0.dropFirst(6).prefix { $0 != " " }) }
    var samples: [Double] = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasPrefix("pgbench") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      samples += text.split(separator: "\n").compactMap {
        $0.split(separator: " ").dropFirst(2).first.flatMap { Double($0) }
      }
    }
    return Run(perSecond: perSecond ?? 0, samples: samples.isEmpty ? [0] : samples.sorted())
  }

  @discardableResult
  static func output(_ command: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CancellationError() }
    return String(decoding: data, as: UTF8.self)
  }
}
