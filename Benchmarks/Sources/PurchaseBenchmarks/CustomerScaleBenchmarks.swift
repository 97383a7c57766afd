import Foundation
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import SignedData
import StoreModel

/// Measures restores of a customer with many purchases of one non-renewing subscription, how long another customer waits
/// meanwhile, and the memory. The process also has all proofs of the run, which are verified before.
///
/// PostgreSQL is measured if `POSTGRESQL` has a connection string. Its tables are emptied before each size.
enum CustomerScaleBenchmarks {
  private static let pass: ProductID = "com.example.credits.pass"
  private static let date = StoreDate(millisecondsSince1970: 1_790_000_000_000)
  /// The maximum number of purchases in a receipt. A receipt with more is larger than the server accepts.
  private static let mostInReceipt = 5_000
  private static let otherPurchases = 20_000

  /// - Parameter sizes: the numbers of purchases; each should be twice the one before.
  static func run(_ sizes: [Int]) async throws {
    print("\nRestoring many passes of one customer, in receipts of at most \(mostInReceipt)")
    print("                  passes   restore s   to half   repeated s   to half   one more ms", terminator: "   ")
    print("another customer's p99 ms: alone, meanwhile   MiB: before, peak")
    try await measure("SQLite", sizes, onSQLite)
    if let connection = ProcessInfo.processInfo.environment["POSTGRESQL"] {
      try await measure("PostgreSQL", sizes) { size in
        try LedgerScaleBenchmarks.emptyPostgreSQL(connection)
        let configuration = try PostgreSQLConfiguration(connectionString: connection)
        return try await figures(size, PostgreSQLLedgerDatabase.open(configuration))
      }
    }
  }

  private struct Figures {
    let restore: Double
    let repeated: Double
    let oneMore: Double
    let alone: Double
    let meanwhile: Double
    /// The resident memory before the first restore, and its peak until the end of the second.
    let before: Double
    let peak: Double
  }

  private static func measure(_ name: String, _ sizes: [Int], _ figures: (Int) async throws -> Figures) async throws {
    var half: Figures?
    for size in sizes {
      let figures = try await figures(size)
      print(
        name.padding(toLength: 12, withPad: " ", startingAt: 0)
          + String(
            format: "%12ld%12.2f%8.2f ×%13.2f%8.2f ×%14.1f%34.1f%12.1f%14.0f%6.0f", size, figures.restore,
            figures.restore / (half?.restore ?? figures.restore), figures.repeated,
            figures.repeated / (half?.repeated ?? figures.repeated), figures.oneMore * 1e3, figures.alone * 1e3,
            figures.meanwhile * 1e3, figures.before, figures.peak))
      half = figures
    }
  }

  private static func onSQLite(_ size: Int) async throws -> Figures {
    let folder = FileManager.default.temporaryDirectory.appending(path: "customer-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await figures(size, SQLiteLedgerDatabase(at: folder.appending(path: "ledger.sqlite")))
  }

  private static func figures(_ size: Int, _ database: any LedgerDatabase) async throws -> Figures {
    let authority = IssuingAuthority()
    let anchors = try authority.anchors
    let app = LedgerBenchmarks.app
    let ledger = try await Ledger(database: database, anchors: anchors, apps: [app: LedgerSettings()])
    let verifier = try LedgerBenchmarks.verifier(anchors)
    try await ledger.publish(LedgerBenchmarks.credits, app: app, by: "benchmark")
    try await ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 1), app: app, by: "benchmark")
    let customer = try await ledger.identify(subject: "many")
    let other = Other(
      ledger: ledger, verifier: verifier, customer: try await ledger.identify(subject: "other"),
      proofs: try LedgerBenchmarks.proofs(otherPurchases, signedBy: authority))
    let receipts = try stride(from: 0, to: size, by: mostInReceipt).map { first in
      try receipt(first..<min(first + mostInReceipt, size), authority)
    }
    var proofs: [VerifiedProof] = []
    for receipt in receipts { proofs.append(try await verifier.verify(.appReceipt(receipt), for: app)) }
    let next = try await verifier.verify(.appReceipt(receipt(size..<size + 1, authority)), for: app)

    func restore() async throws {
      for proof in proofs { _ = try await ledger.redeem(proof, .everythingOwned, for: customer) }
    }
    let alone = try await other.percentile99(untilStopped: false)
    try Report.forgetPeak()
    let memory = Report.mebibytes("VmHWM")
    async let meanwhile = other.percentile99(untilStopped: true)
    let first = try await LedgerBenchmarks.secondsOf(restore)
    await other.stop()
    let beside = try await meanwhile
    let repeated = try await LedgerBenchmarks.secondsOf(restore)
    let peak = Report.mebibytes("VmHWM")
    let oneMore = try await LedgerBenchmarks.secondsOf {
      _ = try await ledger.redeem(next, .everythingOwned, for: customer)
    }
    try await database.close()
    return Figures(
      restore: first, repeated: repeated, oneMore: oneMore, alone: alone, meanwhile: beside, before: memory, peak: peak)
  }

  private static func receipt(_ numbers: Range<Int>, _ authority: IssuingAuthority) throws -> Data {
    let receipt = AppReceipt(
      receiptType: "Production", bundleID: LedgerBenchmarks.app, applicationVersion: "1.0",
      device: .vendorIdentifier(UUID()), opaqueValue: Array(repeating: 7, count: 16), creationDate: date,
      inAppPurchases: numbers.map { number in
        let id = TransactionID(8_000_000_000_000_000_000 + UInt64(number))
        let purchased = date.adding(seconds: Int64(number) - 1_000_000)
        return AppReceipt.InAppPurchase(
          record: TransactionRecord(
            environment: .production, bundleID: LedgerBenchmarks.app, transactionID: id, originalTransactionID: id,
            productID: pass, type: .nonRenewingSubscription, purchaseDate: purchased, originalPurchaseDate: purchased,
            quantity: 1, price: Milliunits(1990), currency: "USD", storefrontCountryCode: "USA",
            storefrontID: "143441", reason: .purchase, appTransactionID: "704000000000000001"))
      })
    return try authority.signAppReceipt(receipt, at: date)
  }

  /// Another customer, who redeems one purchase after the other.
  private actor Other {
    private let ledger: Ledger
    private let verifier: ProofVerifier
    private let customer: Claimant
    private var proofs: [(TransactionID, String)]
    private var isStopped = false

    init(ledger: Ledger, verifier: ProofVerifier, customer: Claimant, proofs: [(TransactionID, String)]) {
      self.ledger = ledger
      self.verifier = verifier
      self.customer = customer
      self.proofs = proofs
    }

    func stop() { isStopped = true }

    /// Redeems at least 500 purchases, if so many are left. Returns seconds.
    ///
    /// - Parameter untilStopped: whether to go on until ``stop()``.
    func percentile99(untilStopped: Bool) async throws -> Double {
      var samples: [Double] = []
      while samples.count < 500 || untilStopped && !isStopped, let (id, jws) = proofs.popLast() {
        let proof = try await verifier.verify(.signedTransaction(jws), for: LedgerBenchmarks.app)
        let start = ContinuousClock.now
        _ = try await ledger.redeem(proof, .purchases([.init(transactionID: id)]), for: customer)
        samples.append(LedgerBenchmarks.seconds(since: start))
      }
      samples.sort()
      return samples.isEmpty ? 0 : samples[min(samples.count - 1, samples.count * 99 / 100)]
    }
  }
}
