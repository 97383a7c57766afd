import Foundation
import PrivatePostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

/// Documentation/postgresql.md, "A synchronous standby".
@Suite("PostgreSQL: synchronous standbys", .serialized, .timeLimit(.minutes(30)))
struct SynchronousStandbyTests {
  private static let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

  /// Makes every commit of a server wait for a standby, or none.
  private func wait(forStandbys isWaiting: Bool, _ server: PrivatePostgreSQL) async throws {
    let names = isWaiting ? "*" : ""
    try server.run("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
    try server.run("SELECT pg_reload_conf()")
    // The setting is in effect when the checkpointer has read it. It reads it before it makes a checkpoint.
    try await until { try server.run("SHOW synchronous_standby_names") == [[names]] }
    try server.run("CHECKPOINT")
  }

  @Test("B9 a commit whose wait for the standby is cancelled is not reported as done, and is retried")
  func cancelledWait() async throws {
    let server = try PrivatePostgreSQL(isReplicated: true)
    try await LedgerFixture.with(server: server) { fixture in
      try await wait(forStandbys: true, server)
      let answers = Log<Int>()
      let write = Task {
        let changes = try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
          try $0.execute("INSERT INTO note (id) VALUES (1) ON CONFLICT DO NOTHING")
        }
        answers.append(changes)
      }
      try await until { try server.run(Self.waiting).count == 1 }
      try server.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      // Committed on the primary, and not on a standby. The second attempt finds the row, changes nothing, and waits as well.
      try await until { !fixture.retried.entries.isEmpty || !answers.entries.isEmpty }
      try await until { try server.run(Self.waiting).count == 1 || !answers.entries.isEmpty }
      #expect(answers.entries == [])
      try await wait(forStandbys: false, server)

      try await write.value
      #expect(answers.entries == [0])
      #expect(try fixture.value("SELECT count(*) FROM note") == "1")
    }
  }

  @Test("B9 the result of an earlier commit is returned only when the standby has that commit")
  func alreadyKnown() async throws {
    let server = try PrivatePostgreSQL(isReplicated: true)
    try await LedgerFixture.with(server: server) { fixture in
      try await fixture.ledger.write(locking: []) { _ = try $0.execute("INSERT INTO note (id) VALUES (1)") }
      try await wait(forStandbys: true, server)

      let answers = Log<Bool>()
      let known = Task {
        answers.append(try await fixture.ledger.write(locking: []) { try $0.row("SELECT id FROM note") != nil })
      }

      try await until { try server.run(Self.waiting).count == 1 || !answers.entries.isEmpty }
      #expect(answers.entries == [])
      try await wait(forStandbys: false, server)
      _ = try await known.value
      #expect(answers.entries == [true])
    }
  }

  @Test("B9 all answered spends are on the standby that takes over, and each is made once")
  func failover() async throws {
    let server = try PrivatePostgreSQL(isReplicated: true)
    try server.run("CREATE DATABASE ledger TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    try server.addStandby()
    var configuration = try PostgreSQLConfiguration.forTests(server.failoverConnectionString(database: "ledger"))
    configuration.poolSize = 16
    let retried = Log<LedgerDatabaseError>()
    let database = try await PostgreSQLLedgerDatabase.open(
      configuration,
      retries: Retries(
        policy: RetryPolicy(attempts: 100_000), report: { retried.append($0) }, clock: ScriptedClock(sleep: { _ in })))
    let app = BundleID("com.example.reader")
    let ledger = try await Ledger(database: database, anchors: .apple, apps: [app: LedgerSettings()])
    let coins = CreditUnit(rawValue: "coins")!
    let customer = try await ledger.identify(subject: "ada").customer
    try await ledger.grant(.credits(coins, 100), to: customer, app: app, key: "g", reason: "r", by: "olga")
    let before = try await ledger.incarnation()
    @Sendable func spend(_ number: Int) async throws -> Int64 {
      try await ledger.spend(1, of: coins, key: "\(number)", customer: customer, app: app).movement.amount
    }
    try await wait(forStandbys: true, server)
    for number in 1...10 { #expect(try await spend(number) == -1) }

    // The standby stops. Of the next spends, one waits for it and the others wait for that one.
    try server.stopStandby()
    let (answered, late) = (Log<Int>(), 11...20)
    let spends = late.map { number in
      Task {
        _ = try await spend(number)
        answered.append(number)
      }
    }
    try await until { try server.run(Self.waiting).count >= 1 }
    // All others must wait already: a spend that is cancelled twice fails, so each cancellation must meet another one.
    try await until { database.sharedWrites.waiting == late.count - 1 }
    let waiting = Self.waiting
    for _ in 0..<5 {
      // An operator cancels the waiting commit: it is committed on the primary only.
      let count = retried.entries.count
      try server.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      try await until {
        try !answered.entries.isEmpty || (retried.entries.count > count && server.run(waiting).count >= 1)
      }
    }
    #expect(answered.entries == [])
    try server.failOver()
    for spend in spends { try await spend.value }

    let after = try PlainConnection(server.standbyConnectionString(database: "ledger"))
    #expect(
      try after.run("SELECT count(*), count(DISTINCT cause_key) FROM credit_movement WHERE cause = 'spend'")
        == [["20", "20"]])
    #expect(try after.run("SELECT count(*) FROM ledger_check") == [["0"]])
    #expect(try await ledger.creditBalances(of: customer, app: app).credits.map(\.balance) == [80])
    // The standby may have lacked commits, so apps are asked to send their purchases and spends again.
    #expect(try await ledger.incarnation() != before)
    try await database.close()
  }

  @Test("F3 a database that was dumped and restored begins a new incarnation")
  func dumped() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    try await server.withDatabase { connectionString in
      let app = BundleID("com.example.reader")
      func incarnation(_ change: () throws -> Void = {}) async throws -> LedgerIncarnation {
        let database = try await PostgreSQLLedgerDatabase.open(.forTests(connectionString))
        let ledger = try await Ledger(database: database, anchors: .apple, apps: [app: LedgerSettings()])
        let incarnation = try await ledger.incarnation()
        try await database.close()
        return incarnation
      }
      let first = try await incarnation()
      #expect(try await incarnation() == first)

      // The statements of pg_restore --clean for the table.
      try PlainConnection(connectionString).run(
        """
        BEGIN; CREATE TABLE copy AS TABLE ledger_fact; DROP TABLE ledger_fact CASCADE;
        CREATE TABLE ledger_fact (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        INSERT INTO ledger_fact SELECT * FROM copy; DROP TABLE copy; COMMIT
        """)

      #expect(try await incarnation() != first)
    }
  }
}
