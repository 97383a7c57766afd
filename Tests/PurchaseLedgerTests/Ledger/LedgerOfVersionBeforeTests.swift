import Foundation
import GRDB
import PrivatePostgreSQL
import PurchaseLedgerPostgreSQL
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

/// Opens ledgers that previous versions wrote: a SQLite file, and a dump of a PostgreSQL database by `pg_dump`, of each version.
@Suite("A ledger of the previous version", .timeLimit(.minutes(30)))
struct LedgerOfVersionBeforeTests {
  private static let app: BundleID = "com.xamarin.storekit.testing"
  private static let other: BundleID = "com.example.other"

  /// What follows the names of a version's fixtures. The first is of migration 1, the second of migration 11.
  private static let versions = ["", "-25e4deb1"]

  /// A copy of a ledger.
  private struct Before {
    let database: any LedgerDatabase
    let ledger: Ledger
    let anchors: TrustAnchors
    let facts: VersionBefore.Facts
    let customers: [String: CustomerID]
    private let folder: VersionBefore?
    private let postgreSQL: String?

    private let version: String

    init(_ engine: LedgerEngine, _ version: String) async throws {
      self.version = version
      let connection = try VersionBefore.metadata("store\(version)")["connection"]
      let roots = try ["rootCertificate", "receiptRootCertificate"].map { Array(try connection.data($0)) }
      let intermediates = try connection["intermediateCertificates"].read(as: [String].self)
        .compactMap { Data(base64Encoded: $0) }.map(Array.init)
      anchors = TrustAnchors(certificates: roots, legacyIntermediates: intermediates)
      switch engine {
      case .sqlite:
        facts = try VersionBefore.metadata("ledger\(version)")
        let copy = try VersionBefore("ledger\(version)")
        (folder, postgreSQL) = (copy, nil)
        database = try SQLiteLedgerDatabase(at: copy.folder.appending(path: "ledger.sqlite"))
      case .postgreSQL:
        facts = try VersionBefore.metadata("ledger-postgresql\(version)")
        let server = try PrivatePostgreSQL.shared.get()
        let name = "before_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try server.run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
        let dump = try String(contentsOf: VersionBefore.file("ledger\(version).sql"), encoding: .utf8)
        try server.run(dump, database: name)
        (folder, postgreSQL) = (nil, name)
        var configuration = try PostgreSQLConfiguration(connectionString: server.connectionString(database: name))
        configuration.acceptsServerWithoutFsync = true
        database = try await PostgreSQLLedgerDatabase.open(configuration)
      }
      var block = LedgerSettings()
      block.refundPolicy = .block
      ledger = try await Ledger(
        database: database, anchors: anchors,
        apps: [LedgerOfVersionBeforeTests.app: LedgerSettings(), LedgerOfVersionBeforeTests.other: block])
      customers = try facts["customers"].read(as: [String: String].self).compactMapValues(CustomerID.init)
    }

    /// Closes the ledger and returns the rows that it has lost. The ledger cannot be used afterwards.
    func lostRows() async throws -> [String] {
      try await database.close()
      if let folder {
        defer { folder.remove() }
        return try VersionBefore.lostRows(
          of: "ledger\(version)/ledger.sqlite", in: folder.folder.appending(path: "ledger.sqlite"))
      }
      let (server, name) = (try PrivatePostgreSQL.shared.get(), try #require(postgreSQL))
      return try VersionBefore.lostRows(of: "ledger\(version).sql") { table, columns in
        let cells = columns.map {
          (table, $0) == ("stored_proof", "data") ? "'sha256 ' || encode(sha256(data), 'hex')" : "\"\($0)\"::text"
        }
        return try server.run("SELECT \(cells.joined(separator: ", ")) FROM \(table)", database: name)
      }
    }

    func close() async throws {
      try await database.close()
      folder?.remove()
    }

    func customer(_ name: String) throws -> CustomerID { try #require(customers[name]) }
  }

  @Test("opens, migrates and keeps every row", arguments: LedgerEngine.allCases, versions)
  func rows(_ engine: LedgerEngine, _ version: String) async throws {
    let lost = try await Before(engine, version).lostRows()
    // The passes of a previous owner that were not scheduled when the server was killed are scheduled now.
    let isScheduled = { (row: String) in row.hasPrefix("pass_change: ") }
    #expect(lost.filter { !isScheduled($0) } == [])
    #expect(lost.count(where: isScheduled) == (version.isEmpty ? 0 : 1))
  }

  @Test("has events for everything, which the upgrade has filled in", arguments: LedgerEngine.allCases, versions)
  func events(_ engine: LedgerEngine, _ version: String) async throws {
    let before = try await Before(engine, version)
    let events = try await LedgerReplay.events(of: before.ledger)
    // The opening schedules passes that a killed server has left.
    #expect(events.filter(\.isFilledIn).count > 20)
    #expect(events.allSatisfy { $0.isFilledIn || $0.kind == .entitlementChanged })
    let replay = try LedgerReplay(events)
    #expect(try await replay.differences(from: before.database) == [])
    // Transfers, joined and erased customers are among them.
    for kind in ["purchase.moved", "purchase.refunded", "customer.joined", "customer.erased", "credits.blocked"] {
      #expect(replay.counts[kind, default: 0] > 0, "\(kind): \(replay.counts)")
    }
    // What happens from now on is not filled in.
    try await before.ledger.erase(before.customer("owner"))
    let new = try await LedgerReplay.events(of: before.ledger).dropFirst(events.count)
    #expect(!new.isEmpty && new.allSatisfy { !$0.isFilledIn })
    try await before.close()
  }

  @Test(
    "has products without names; a name then counts for the purchases of before", arguments: LedgerEngine.allCases,
    versions)
  func names(_ engine: LedgerEngine, _ version: String) async throws {
    let before = try await Before(engine, version)
    let ledger = before.ledger
    let products = try await ledger.products(of: Self.app, limit: 1000).elements.map(\.product)
    #expect(!products.isEmpty && products.allSatisfy { $0.entitlements.isEmpty })
    #expect(try await ledger.offerings(of: Self.app).isEmpty)
    let name = try #require(EntitlementName(rawValue: "everything"))
    for product in products {
      try await ledger.publish(
        LedgerProduct(
          id: product.id, type: product.type, credits: product.credits, accessDays: product.accessDays,
          localisations: product.localisations, isListed: product.isListed, entitlements: [name]),
        app: Self.app, by: "olga")
    }
    var owners = 0
    for customer in before.customers.values {
      let owned = try await ledger.entitlements(of: customer, app: Self.app)
      let named = try await ledger.namedEntitlements(of: customer, app: Self.app)
      #expect(named.map(\.name) == (owned.isEmpty ? [] : [name]))
      let isActive = owned.contains { $0.isActive(at: ledger.now) }
      #expect(named.allSatisfy { $0.isActive == isActive })
      if isActive { owners += 1 }
    }
    #expect(owners > 0)
    try await before.close()
  }

  @Test("returns the same for every customer, and the same audit log", arguments: LedgerEngine.allCases, versions)
  func exports(_ engine: LedgerEngine, _ version: String) async throws {
    let before = try await Before(engine, version)
    for (name, expected) in try before.facts["exports"].members {
      let export = try await before.ledger.exported(before.customer(name))
      let actual = try version.isEmpty ? Self.inShapeOfVersionBefore(export) : Self.object(export)
      #expect(VersionBefore.missing(expected.value, in: actual) == [], "\(name)")
    }
    let entries = try JSONSerialization.jsonObject(
      with: JSONEncoder().encode(try await before.ledger.auditLog(limit: 1000)))
    #expect(VersionBefore.missing(try before.facts["audit"].value, in: entries) == [])
    #expect(try await before.ledger.catalog(of: Self.app).products.count == 5)
    try await before.close()
  }

  private static func object(_ value: some Encodable) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any])
  }

  /// The first version had the movements inside of their accounts, and the purchases of all apps by date.
  private static func inShapeOfVersionBefore(_ export: CustomerExport) throws -> [String: Any] {
    var actual = try object(export)
    actual["accounts"] = try export.accounts.map { account in
      let movements = export.movements.filter { ($0.app, $0.unit) == (account.app, account.unit) }
      #expect(account.movements == movements.count)
      return try object(account).merging(["movements": movements.map { try object($0.movement) }]) { $1 }
    }
    actual["purchases"] = try export.purchases.sorted {
      ($0.claimed, $0.claim.rawValue) < ($1.claimed, $1.claim.rawValue)
    }.map { try object($0) }
    return actual
  }

  @Test(
    "accepts its tokens and operators' keys, and knows subjects and joined customers", arguments: LedgerEngine.allCases,
    versions)
  func tokens(_ engine: LedgerEngine, _ version: String) async throws {
    let before = try await Before(engine, version)
    for (name, token) in try before.facts["tokens"].members {
      let bearer = BearerToken(text: try token.text("token"))
      if ["erased", "signed out"].contains(name) {
        await #expect(throws: LedgerError.tokenRefused) { try await before.ledger.authenticate(bearer) }
      } else {
        let claimant = try await before.ledger.authenticate(bearer)
        #expect(claimant.customer == (try before.customer(name)), "\(name)")
        // The first version stored only the date by the server's clock.
        if version.isEmpty { #expect(claimant.registered == claimant.issued, "\(name)") }
      }
    }
    let joining = try await before.ledger.authenticate(BearerToken(text: before.facts["joined"].text("token")))
    #expect(joining.customer == (try before.customer("owner")))

    let keys = try before.facts["operator keys"]
    for name in ["first", "olaf"] {
      #expect(try await before.ledger.authenticateOperator(BearerToken(text: keys.text(name))).name == name)
    }
    let revoked = BearerToken(text: try keys.text("revoked"))
    await #expect(throws: LedgerError.unknownOperatorKey) { try await before.ledger.authenticateOperator(revoked) }
    // Keys had no roles, and could do everything.
    #expect(try await before.ledger.operatorKeys().allSatisfy { $0.role == .admin })
    let subject = try before.facts.text("subject")
    #expect(try await before.ledger.identify(subject: subject).customer == (try before.customer("identified")))
    try await before.close()
  }

  @Test(
    "returns the earlier answer for a repeated spend and a repeated redemption",
    arguments: LedgerEngine.allCases, versions)
  func again(_ engine: LedgerEngine, _ version: String) async throws {
    let before = try await Before(engine, version)
    let ledger = before.ledger
    for spend in try before.facts["spends"].elements {
      let unit = try #require(CreditUnit(rawValue: spend.text("unit")))
      let movement = try await ledger.spend(
        Int64(try spend.number("amount")), of: unit, key: try spend.text("key"),
        customer: before.customer(try spend.text("of")), app: BundleID(try spend.text("app"))
      ).movement
      let actual = try JSONSerialization.jsonObject(with: JSONEncoder().encode(movement))
      var expected = try spend["movement"].read(as: [String: Any].self)
      // Of the answer, not of the movement.
      expected["incarnation"] = nil
      #expect(VersionBefore.missing(expected, in: actual) == [])
    }
    let balances = try await ledger.creditBalances(of: before.customer("owner"), app: Self.app)
    let verifier = try ProofVerifier(
      anchors: before.anchors, policies: [VerificationPolicy(bundleID: Self.app, method: .offline)],
      server: NoReceiptServer())
    for redemption in try before.facts["redemptions"].elements {
      let receipt = try redemption.data("appReceipt")
      let ids = try redemption["transactions"].read(as: [String].self).compactMap { TransactionID(rawValue: $0) }
      let token = try before.facts["tokens"]["owner"].text("token")
      let result = try await ledger.redeem(
        try await verifier.verify(.appReceipt(receipt), for: Self.app),
        .purchases(ids.map { RedemptionRequest.Item(transactionID: $0) }),
        for: try await ledger.authenticate(BearerToken(text: token)))
      guard case .given(let pages) = result.purchases[0].outcome else {
        Issue.record("the consumable was given: \(result.purchases[0].outcome)")
        return
      }
      #expect(!pages.isNew)
    }
    #expect(try await ledger.creditBalances(of: before.customer("owner"), app: Self.app) == balances)
    try await before.close()
  }

  /// A receipt server that is never asked, because these tests verify receipts offline.
  private struct NoReceiptServer: ReceiptServer {
    func post(
      _ body: Data, to url: URL, timeoutMilliseconds: Int64
    ) async throws(ReceiptServerFailure) -> ReceiptServerReply { throw .timeout }
  }
}
