import DurableSQLite
import Foundation
import GRDB
import PrivatePostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

/// Tests Documentation/running-the-server.md, "Backup and restoring". After every kind of operation a backup is made,
/// checked and restored.
@Suite("Backup and restore drill", .timeLimit(.minutes(30)))
struct BackupDrillTests {
  /// All kinds of operations that write, in an order in which each one changes something.
  private static let operations: [(name: String, run: @Sendable (Drill) async throws -> Void)] = [
    ("register", { drill in drill.remember("installation", try await drill.fixture.installation(on: drill.device)) }),
    (
      "identify",
      { drill in for name in ["ada", "ben"] { drill.remember(name, try await drill.fixture.identified(name)) } }
    ),
    ("redeem credits", { try await $0.redeem(TestLedger.purchase(TestLedger.coins, 1), for: "ada") }),
    ("redeem a product", { try await $0.redeem(TestLedger.purchase(TestLedger.book, 2), for: "ada") }),
    (
      "redeem a subscription",
      { drill in
        var period = TestLedger.purchase(TestLedger.club, 3)
        period.expiresDate = TestLedger.start.adding(seconds: 86_400)
        try await drill.redeem(period, for: "ben")
      }
    ),
    ("redeem on a device", { try await $0.redeem(TestLedger.purchase(TestLedger.magazine, 4), for: "installation") }),
    (
      "transfer",
      { drill in
        drill.remember("newcomer", try await drill.fixture.installation(on: drill.device))
        try await drill.redeem(TestLedger.purchase(TestLedger.magazine, 4), for: "newcomer", stated: -60)
      }
    ),
    (
      "join",
      { drill in
        drill.fixture.clock.advance(seconds: 60)
        drill.remember("next", try await drill.fixture.installation(on: drill.device))
        try await drill.redeem(TestLedger.purchase(TestLedger.magazine, 4), for: "next", stated: 120)
      }
    ),
    (
      "spend",
      { drill in
        _ = try await drill.fixture.ledger.spend(
          2, of: TestLedger.coin, key: "a", customer: try drill.id("ada"), app: TestLedger.app)
      }
    ),
    (
      "record a refund",
      { drill in
        try await drill.fixture.ledger.recordStatuses(
          from: TestLedger.proof([TestLedger.purchase(TestLedger.coins, 1, refunded: 100_000)], stated: 300))
      }
    ),
    (
      "record a renewal",
      { drill in
        var period = TestLedger.purchase(TestLedger.club, 3)
        period.expiresDate = TestLedger.start.adding(seconds: 86_400)
        let renewal = ProvenRenewal(
          originalTransactionID: TransactionID(3), lastPeriod: TransactionID(3), productID: TestLedger.club,
          isAutoRenewOn: true, isInBillingRetry: true, gracePeriodEnd: TestLedger.start.adding(seconds: 90_000))
        try await drill.fixture.ledger.recordStatuses(
          from: TestLedger.proof([period], stated: 300, renewals: [renewal]))
      }
    ),
    (
      "lift a block",
      { drill in
        _ = try await drill.fixture.ledger.liftBlock(
          of: TestLedger.coin, customer: try drill.id("ada"), app: TestLedger.app, reason: "a gift", by: "olga")
      }
    ),
    (
      "grant",
      { drill in
        for grant in [OperatorGrant.credits(TestLedger.coin, 3), .product(TestLedger.magazine, accessUntil: nil)] {
          try await drill.fixture.ledger.grant(
            grant, to: try drill.id("ben"), app: TestLedger.app, key: "\(grant)", reason: "a prize", by: "olga")
        }
      }
    ),
    (
      "revoke a grant",
      { drill in
        let key = "\(OperatorGrant.product(TestLedger.magazine, accessUntil: nil))"
        _ = try await drill.fixture.ledger.revoke(
          TestLedger.magazine, source: "grant:\(key)", from: try drill.id("ben"), app: TestLedger.app,
          reason: "a mistake", by: "olga")
      }
    ),
    (
      "move",
      { drill in
        _ = try await drill.fixture.ledger.move(
          TransactionID(2), in: .production, app: TestLedger.app, to: try drill.id("ben"), reason: "an exchange",
          by: "olga")
      }
    ),
    (
      "take due proofs",
      { drill in
        drill.fixture.clock.advance(seconds: 3_600)
        for proof in try await drill.fixture.ledger.takeDueProofs() {
          try await drill.fixture.ledger.postpone(proof, seconds: 10)
        }
      }
    ),
    (
      "publish",
      { drill in
        let file = ContentFile(
          name: "map", size: 4, sha256: String(repeating: "b", count: 64), mediaType: "text/plain")
        _ = try await drill.fixture.ledger.publish(files: [file], of: TestLedger.book, app: TestLedger.app, by: "olga")
      }
    ),
    (
      "publish a name and an offering",
      { drill in
        let ledger = drill.fixture.ledger
        guard let name = EntitlementName(rawValue: "library"), let offering = OfferingID(rawValue: "summer") else {
          throw CancellationError()
        }
        try await ledger.publish(
          LedgerProduct(id: TestLedger.magazine, type: .nonConsumable, entitlements: [name]), app: TestLedger.app,
          by: "olga")
        _ = try await ledger.publish(
          Offering(id: offering, products: [TestLedger.magazine], isCurrent: true), app: TestLedger.app, by: "olga")
      }
    ),
    (
      "operator keys",
      { drill in
        let ledger = drill.fixture.ledger
        _ = try await ledger.beginOperatorSession(
          try await ledger.createOperatorKey(name: "otto", role: .support, by: .commandLine).token)
        let key = try await ledger.createOperatorKey(name: "olaf", role: .read, by: .commandLine)
        try await ledger.revokeOperatorKey(id: key.identity.id, by: "olga")
      }
    ),
    (
      "receive a notification",
      { drill in
        let proof = TestLedger.proof(
          [TestLedger.purchase(TestLedger.book, 2)], stated: 400, as: .signedTransaction("jws"))
        _ = try await drill.fixture.ledger.receive(
          StoreNotification(
            app: TestLedger.app, environment: .production, uuid: "n", type: "REFUND_DECLINED", subtype: nil,
            originalTransactionID: TransactionID(2), signed: TestLedger.start.adding(seconds: 400),
            content: .purchase(proof), payload: "jws"), from: .sent)
      }
    ),
    (
      "consent",
      { drill in
        _ = try await drill.fixture.ledger.setConsent(
          toConsumptionInformation: true, of: try drill.id("ben"), app: TestLedger.app)
      }
    ),
    (
      "receive and answer a consumption request",
      { drill in
        var book = TestLedger.purchase(TestLedger.book, 2)
        book.type = .nonConsumable
        let proof = TestLedger.proof([book], stated: 450, as: .signedTransaction("jws"))
        let ledger = drill.fixture.ledger
        _ = try await ledger.receive(
          StoreNotification(
            app: TestLedger.app, environment: .production, uuid: "c", type: "CONSUMPTION_REQUEST", subtype: nil,
            originalTransactionID: TransactionID(2), signed: drill.fixture.clock.now, content: .purchase(proof),
            payload: "jws"), from: .sent)
        guard let lease = try await ledger.takeConsumptionRequest(),
          case .send(let values, let date) = try await ledger.step(for: lease)
        else { throw CancellationError() }
        _ = try await ledger.settle(lease, .accepted(values, consented: date))
        _ = try await ledger.receive(
          StoreNotification(
            app: TestLedger.app, environment: .production, uuid: "d", type: "REFUND_DECLINED", subtype: nil,
            originalTransactionID: TransactionID(2), signed: drill.fixture.clock.now, content: .purchase(proof),
            payload: "jws"), from: .sent)
      }
    ),
    (
      "read the store's history",
      { drill in
        let lease = try await drill.fixture.ledger.takeCursor(
          .notificationHistory, of: TestLedger.app, in: .production)
        guard case .taken(let cursor) = lease else { throw CancellationError() }
        try await drill.fixture.ledger.advance(cursor, to: TestLedger.start.adding(seconds: 500))
      }
    ),
    (
      "import a file",
      { drill in
        try await drill.fixture.ledger.beginImport(
          of: String(repeating: "c", count: 64), app: TestLedger.app, at: 1, by: "olga", reason: "moved here")
      }
    ),
    (
      "send the messages of a webhook",
      { drill in
        let ledger = drill.fixture.ledger
        let start = try await ledger.events(limit: 1).next
        _ = try await ledger.createWebhook(
          WebhookSettings(name: "backend", url: "https://backend.example/hook"), after: start, by: "olga")
        // In PostgreSQL, transactions of other tests hold events back.
        while try await ledger.takeMessages() == 0 { await Task.yield() }
        guard let lease = try await ledger.takeWebhookDelivery() else { throw CancellationError() }
        _ = try await ledger.settle(lease, .delivered(status: 200))
      }
    ),
    ("begin an incarnation", { try await $0.fixture.ledger.beginIncarnation(by: "olga") }),
    ("revoke a token", { try await $0.fixture.ledger.revoke(try await $0.fixture.token()) }),
    (
      "remove unused installations",
      { drill in
        _ = try await drill.fixture.token()
        drill.fixture.clock.advance(seconds: 2 * 86_400)
        _ = try await drill.fixture.ledger.removeUnusedInstallations(olderThanDays: 1)
      }
    ),
    ("erase", { try await $0.fixture.ledger.erase(try $0.id("ada")) }),
    (
      "stop before passes are scheduled",
      { drill in
        let owner = try drill.id("ada")
        try await drill.fixture.database.write(locking: [.customer(owner)]) { transaction in
          var schedule = PassSchedule()
          schedule.note(
            PassSchedule.Place(purchased: TestLedger.start, source: "5"),
            of: PassSchedule.Passes(customer: owner, app: TestLedger.app, product: TestLedger.club))
          try transaction.noteUnscheduled(schedule, for: owner)
        }
      }
    ),
  ]

  @Test("F3 SQLite: POST backups, PRAGMA integrity_check, restore")
  func sqlite() async throws {
    let folder = try ScratchFolder()
    let database = try SQLiteLedgerDatabase(at: folder.url.appending(path: "ledger.sqlite"))
    try await drill(on: database) { number in
      let copy = folder.url.appending(path: "ledger.sqlite.backup-\(number)")
      try await database.backUp(to: copy)
      let restored = folder.url.appending(path: "restored-\(number).sqlite")
      try FileManager.default.copyItem(at: copy, to: restored)
      let queue = try DatabaseQueue(path: restored.path)
      let answers = try await queue.read { database in
        try String.fetchAll(database, sql: "PRAGMA integrity_check")
          + Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map(\.description)
      }
      #expect(answers == ["ok"])
      try queue.close()
      return try SQLiteLedgerDatabase(at: restored)
    }
    try await database.close()
  }

  @Test("F3 PostgreSQL: pg_dump, pg_restore")
  func postgreSQL() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    let name = "drill_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    func open(_ name: String) async throws -> PostgreSQLLedgerDatabase {
      var configuration = try PostgreSQLConfiguration(connectionString: server.connectionString(database: name))
      configuration.poolSize = 2
      configuration.acceptsServerWithoutFsync = true
      configuration.statementTimeoutMilliseconds = 0
      return try await PostgreSQLLedgerDatabase.open(configuration)
    }
    try server.run("CREATE DATABASE \(name)")
    let database = try await open(name)
    try await drill(on: database) { number in
      let copy = "\(name)_\(number)"
      try server.run("CREATE DATABASE \(copy)")
      try server.restoreDump(of: name, into: copy)
      return try await open(copy)
    }
    try await database.close()
  }

  /// Runs each operation. After each, a restored backup must have the same rows, correct balances, and a new incarnation.
  private func drill(
    on database: any LedgerDatabase, restore: (_ number: Int) async throws -> any LedgerDatabase
  ) async throws {
    let drill = Drill(
      fixture: try await TestLedger.open(
        on: database,
        LedgerSettings(
          refundPolicy: .block, reverificationSeconds: 3_600, consumption: ConsumptionSettings(policy: .automatic))))
    let identity = try await drill.fixture.ledger.identity()
    var written: Set = ["ledger_copy"]
    for (number, operation) in Self.operations.enumerated() {
      try await operation.run(drill)
      let rows = try await drill.rows(of: database)
      written.formUnion(rows.filter { !$0.value.isEmpty }.keys)
      let copy = try await restore(number)
      #expect(try await drill.rows(of: copy) == rows, "\(operation.name)")
      let restored = try await TestLedger.open(on: copy)
      #expect(try await restored.ledger.identity() == identity, "\(operation.name)")
      #expect(try await restored.ledger.incarnation() != drill.fixture.ledger.incarnation(), "\(operation.name)")
      try await restored.checkBalances()
      try await copy.close()
    }
    #expect(try await drill.tables(of: database).filter { !written.contains($0) } == [])
  }
}

/// A ledger and its customers.
private final class Drill: Sendable {
  let fixture: TestLedger
  let device = UUID()
  /// The customers by the names that the operations use.
  private let customers = LockedValue<[String: Claimant]>([:])

  init(fixture: TestLedger) { self.fixture = fixture }

  func remember(_ name: String, _ customer: Claimant) { customers.withLock { $0[name] = customer } }

  func id(_ name: String) throws -> CustomerID { try #require(customers.value[name]).customer }

  func redeem(_ purchase: ProvenPurchase, for name: String, stated seconds: Int64 = 0) async throws {
    let proof = TestLedger.proof([purchase], stated: seconds, issuedFor: device)
    let result = try await fixture.ledger.redeem(
      proof, .purchases([.init(transactionID: purchase.transactionID)]), for: try #require(customers.value[name]))
    #expect(result.purchases.map(\.outcome.refusal) == [nil], "\(purchase.productID) for \(name)")
  }

  func tables(of database: any LedgerDatabase) async throws -> [String] {
    let sql =
      database is SQLiteLedgerDatabase
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
    return try await database.read { try $0.rows(sql).map { try $0.text("name") } }
  }

  /// Returns the rows of each table as texts, without the table of the copy's incarnation.
  func rows(of database: any LedgerDatabase) async throws -> [String: Set<String>] {
    let isSQLite = database is SQLiteLedgerDatabase
    var found: [String: Set<String>] = [:]
    for table in try await tables(of: database) where table != "ledger_copy" {
      found[table] = try await database.read { transaction in
        let columns = try transaction.rows(
          isSQLite
            ? "SELECT name FROM pragma_table_info('\(table)') ORDER BY name"
            : "SELECT column_name AS name FROM information_schema.columns WHERE table_name = '\(table)' ORDER BY name")
        let values = try columns.map { column in
          let name = try column.text("name")
          return isSQLite ? "quote(\(name))" : "quote_nullable(CAST(\(name) AS TEXT))"
        }
        let row = values.joined(separator: " || ' ' || ")
        return Set(try transaction.rows("SELECT \(row) AS row_text FROM \(table)").map { try $0.text("row_text") })
          .filter { !$0.contains("'incarnation'") }
      }
    }
    return found
  }
}
