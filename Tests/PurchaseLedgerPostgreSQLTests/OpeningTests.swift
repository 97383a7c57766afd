import PrivatePostgreSQL
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: opening a database", .timeLimit(.minutes(30)))
struct OpeningTests {
  @Test("the ledger's schema is created once, and found when the database is opened again")
  func ownSchema() async throws {
    try await LedgerFixture.with(migrations: LedgerSchema.migrations(.postgreSQL)) { fixture in
      let again = try await PostgreSQLLedgerDatabase.open(.forTests(fixture.connectionString))
      let row = try await again.read {
        try $0.row("SELECT count(*) AS count FROM ledger_check, ledger_balance, customer_claim, customer_entitlement")
      }
      #expect(try row?.integer("count") == 0)
      #expect(
        try fixture.beside().run("SELECT name FROM ledger_migration")
          == LedgerSchema.migrations(.postgreSQL).map { [$0.name] })
      try await again.close()
    }
  }

  @Test("of several servers that open a new database at once, one creates the schema")
  func race() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    try await server.withDatabase { connectionString in
      let configuration = try PostgreSQLConfiguration.forTests(connectionString)
      let holder = try PlainConnection(connectionString)
      try holder.run("SELECT pg_advisory_lock(\(AdvisoryLock.migrations.number))")
      let opening = (0..<5).map { number in
        Task {
          try await PostgreSQLLedgerDatabase.open(
            configuration, retries: .withoutPauses(), migrations: LedgerSchema.migrations(.postgreSQL),
            clock: ManualClock(StoreDate(millisecondsSince1970: Int64(number))))
        }
      }
      let waiting = """
        SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()
        """
      let begun = "SELECT to_regclass('ledger_migration') IS NOT NULL"
      try await until { try holder.run(waiting) == [["5"]] || holder.run(begun) == [["t"]] }
      try holder.run("SELECT pg_advisory_unlock_all()")
      for task in opening { try await task.value.close() }
      #expect(
        try holder.run("SELECT count(*) FROM ledger_migration") == [["\(LedgerSchema.migrations(.postgreSQL).count)"]])
    }
  }

  @Test("while the upgrade that fills in events waits for a write, reads go on")
  func readsDuringUpgrade() async throws {
    let all = LedgerSchema.migrations(.postgreSQL)
    let earlier = Array(all.prefix { $0.name != "17 events" })
    #expect(earlier.count < all.count)
    try await LedgerFixture.with(migrations: earlier) { fixture in
      let (writer, reader) = (try fixture.beside(), try fixture.beside())
      try writer.run("BEGIN; UPDATE customer SET created = created")
      let configuration = try PostgreSQLConfiguration.forTests(fixture.connectionString)
      let upgrade = Task { try await PostgreSQLLedgerDatabase.open(configuration) }
      let waiting = """
        SELECT 1 FROM pg_locks
        WHERE relation = 'customer'::regclass AND mode = 'ShareRowExclusiveLock' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
      try await until { try !reader.run(waiting).isEmpty }
      // The tables before it are locked.
      try reader.run("SET lock_timeout = '20s'")
      #expect(try reader.run("SELECT count(*) FROM claim") == [["0"]])
      try writer.run("COMMIT")
      try await upgrade.value.close()
    }
  }

  @Test("a failed migration leaves nothing, and those before it stay")
  func failedMigration() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    let bad = LedgerSchema.Migration(
      name: "2 bad", statements: ["CREATE TABLE half (id BIGINT)", "CREATE TABLE half (id BIGINT)"])
    try await server.withDatabase { connectionString in
      await #expect(throws: LedgerDatabaseError.failed(reason: #"relation "half" already exists (SQLSTATE 42P07)"#)) {
        _ = try await PostgreSQLLedgerDatabase.open(
          .forTests(connectionString), retries: .withoutPauses(), migrations: LedgerFixture.migrations + [bad])
      }
      let names = try PlainConnection(connectionString).run(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname")
      #expect(names == [["ledger_migration"], ["note"]])
    }
  }

  @Test("a database that a newer version has migrated is refused and left unchanged")
  func newer() async throws {
    let later = LedgerSchema.Migration(name: "2 later", statements: ["CREATE TABLE later (id BIGINT)"])
    try await LedgerFixture.with(migrations: LedgerFixture.migrations + [later]) { fixture in
      await #expect(throws: LedgerDatabaseError.newerSchema("2 later")) {
        _ = try await PostgreSQLLedgerDatabase.open(
          .forTests(fixture.connectionString), retries: .withoutPauses(),
          migrations: LedgerFixture.migrations + [
            .init(name: "2 other", statements: ["CREATE TABLE other (id BIGINT)"])
          ])
      }
      let isAbsent = try fixture.value("SELECT to_regclass('other') IS NULL")
      #expect(isAbsent == "t")
    }
  }

  @Test("a server that may lose commits is refused, on every connection")
  func notDurable() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    try await server.withDatabase { connectionString in
      await #expect(
        throws: LedgerDatabaseError.notDurable(setting: "fsync is off. Set it to on in postgresql.conf.")
      ) {
        _ = try await PostgreSQLLedgerDatabase.open(PostgreSQLConfiguration(connectionString: connectionString))
      }
    }
    try await LedgerFixture.with(configure: { $0.poolSize = 2 }) { fixture in
      let database = try #require(try fixture.value("SELECT current_database()"))
      try server.run("ALTER DATABASE \(database) SET synchronous_commit = off")
      let (inside, goOn) = (Event(), Event())
      async let old = fixture.ledger.write(locking: []) { _ in
        inside.happen()
        goOn.wait()
        return 1
      }
      await inside.happened()
      await #expect(
        throws: LedgerDatabaseError.notDurable(
          setting: "synchronous_commit is off. Set it to on for the ledger's user.")
      ) {
        try await fixture.ledger.write(locking: []) { _ in }
      }
      goOn.happen()
      #expect(try await old == 1)
    }
  }

  @Test(
    "B9 an open connection commits durably as at its opening, also after an operator has set synchronous_commit to off")
  func pinned() async throws {
    let server = try PrivatePostgreSQL()
    func set(_ value: String) throws {
      try server.run("ALTER SYSTEM SET synchronous_commit = \(value)")
      try server.run("SELECT pg_reload_conf()")
    }
    for (opened, pinned) in [
      ("on", "on"), ("local", "on"), ("remote_write", "remote_write"), ("remote_apply", "remote_apply"),
    ] {
      try set(opened)
      try await until { try server.run("SHOW synchronous_commit") == [[opened]] }
      try await LedgerFixture.with(server: server, configure: { $0.poolSize = 1 }) { fixture in
        // `reset_val` is the configured value that the session has read, and would use without a value of its own.
        @Sendable func values() async throws -> [String] {
          try await fixture.ledger.write(locking: []) { transaction in
            let row = try transaction.row(
              "SELECT setting, reset_val FROM pg_settings WHERE name = 'synchronous_commit'")
            return [try row?.text("setting") ?? "", try row?.text("reset_val") ?? ""]
          }
        }
        try set("off")
        while try await values().last != "off" { await Task.yield() }
        #expect(try await values() == [pinned, "off"])
      }
    }
  }

  @Test("several hosts without a synchronous standby: the possible loss after a failover is reported")
  func failover() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    try await server.withDatabase { connectionString in
      for (hosts, isReported) in [(server.folder, false), ("\(server.folder),\(server.folder)", true)] {
        let text = connectionString.replacing("host=\(server.folder)", with: "host=\(hosts)")
        let database = try await PostgreSQLLedgerDatabase.open(.forTests(text))
        #expect(try await (database.failoverWarning() != nil) == isReported)
        try await database.close()
      }
    }
  }

  @Test(
    "the required settings of a server",
    arguments: [
      ("on", "", "on", "UTF8", true), ("remote_apply", "a", "on", "UTF8", true), ("local", "", "on", "UTF8", true),
      ("local", "a", "on", "UTF8", false), ("off", "", "on", "UTF8", false), ("on", "", "off", "UTF8", false),
      ("on", "", "on", "LATIN1", false), ("", "", "", "", false),
    ])
  func settings(commit: String, standbys: String, fsync: String, encoding: String, isGood: Bool) throws {
    let settings = ServerSettings([commit, standbys, fsync, encoding])
    #expect((settings.flaw(in: try PostgreSQLConfiguration(connectionString: "")) == nil) == isGood)
  }
}
