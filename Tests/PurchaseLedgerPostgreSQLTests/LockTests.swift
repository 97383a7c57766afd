import PrivatePostgreSQL
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: locks", .timeLimit(.minutes(30)))
struct LockTests {
  @Test("two writes about the same customer: the second waits, and sees what the first wrote")
  func excludes() async throws {
    try await LedgerFixture.with { fixture in
      let (first, second, goOn, log) = (Event(), Event(), Event(), Log<String>())
      async let one: Void = fixture.ledger.write(locking: [LedgerFixture.alice]) {
        // The locks are taken with the first statement.
        try $0.execute("INSERT INTO note (id) VALUES (1)")
        first.happen()
        goOn.wait()
        log.append("first")
      }
      await first.happened()
      async let two = fixture.ledger.write(locking: [LedgerFixture.bob, LedgerFixture.alice]) {
        let count = try $0.row("SELECT count(*) AS count FROM note")?.integer("count")
        second.happen()
        log.append("second")
        return count
      }
      try await until { try second.hasHappened || fixture.waitingForLocks() == 1 }
      goOn.happen()
      try await one
      #expect(try await two == 1)
      #expect(log.entries == ["first", "second"])
    }
  }

  @Test("writes about different customers do not wait for each other")
  func lets() async throws {
    try await LedgerFixture.with { fixture in
      let (first, goOn) = (Event(), Event())
      async let one = fixture.ledger.write(locking: [LedgerFixture.alice]) {
        try $0.execute("INSERT INTO note (id) VALUES (1)")
        first.happen()
        goOn.wait()
        return 1
      }
      await first.happened()
      let two = try await fixture.ledger.write(locking: [LedgerFixture.bob]) {
        try $0.execute("INSERT INTO note (id) VALUES (2)")
        return 2
      }
      goOn.happen()
      #expect(try await (one, two) == (1, 2))
    }
  }

  @Test("a write that needs further locks starts again with all of its locks")
  func missing() async throws {
    try await LedgerFixture.with { fixture in
      let runs = Log<Int64>()
      let value = try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
        let held = try transaction.row(
          "SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        runs.append(try #require(held).integer("count"))
        try transaction.execute("INSERT INTO note (id) VALUES (1)")
        try transaction.require(LedgerFixture.alice, LedgerFixture.bob)
        try transaction.require(.catalog(BundleID(rawValue: "com.example.app")))
        return "done"
      }
      #expect(value == "done")
      #expect(runs.entries == [1, 2, 3])
      #expect(try fixture.value("SELECT count(*) FROM note") == "1")
      #expect(fixture.retried.entries.isEmpty)
    }
  }

  @Test("a write that never has all of its locks ends with an error")
  func insatiable() async throws {
    try await LedgerFixture.with { fixture in
      let runs = Log<Int>()
      await #expect(throws: LedgerDatabaseError.overloaded) {
        try await fixture.ledger.write(locking: []) { transaction in
          let run = runs.append(1)
          try transaction.require(.catalog(BundleID(rawValue: "com.example.app\(run)")))
        }
      }
      #expect(runs.entries.count == PostgreSQLLedgerDatabase.beginningsLimit)
    }
  }

  @Test("lock numbers are the same on every server, and are taken in ascending order")
  func order() throws {
    let locks: Set = [LedgerFixture.alice, LedgerFixture.bob, .catalog(BundleID(rawValue: "com.example.app"))]
    let numbers = AdvisoryLock.sorted(locks).map(\.number)
    #expect(numbers == numbers.sorted())
    #expect(Set(numbers) == Set(locks.map { AdvisoryLock($0.name).number }))
    // printf 'openstorekit migrations' | sha256sum
    #expect(AdvisoryLock.migrations.number == Int64(bitPattern: 0xF654_06A4_094E_876D))
  }

  @Test("the server takes locks in the given order")
  func taken() async throws {
    try await LedgerFixture.with { fixture in
      let numbers = (0..<200).map { AdvisoryLock("number \($0)") }
      let argument = AdvisoryLock.argument(numbers)
      let taken = try await fixture.ledger.write(locking: []) { transaction in
        try transaction.rows(AdvisoryLock.statement.replacing("SELECT ", with: "SELECT number, "), argument)
          .map { try $0.integer("number") }
      }
      #expect(taken == numbers.map(\.number))
      guard case .text(let list) = argument else { throw LedgerDatabaseError.failed(reason: "the argument is no text") }
      let literal = AdvisoryLock.statement.replacing("$1", with: "'\(list)'")
      let plan = try fixture.beside().run("EXPLAIN (COSTS OFF) " + literal)
      #expect(plan == [["Function Scan on unnest number"]])
    }
  }

  @Test("a wait for a lock that exceeds the timeout ends with a retryable error")
  func timeout() async throws {
    try await LedgerFixture.with(configure: { $0.statementTimeoutMilliseconds = 123_000 }) { fixture in
      let row = try await fixture.ledger.read { try $0.row("SELECT current_setting('statement_timeout') AS time") }
      #expect(try row?.text("time") == "123s")
      let other = try fixture.beside()
      try other.run("SELECT pg_advisory_lock(\(AdvisoryLock(LedgerFixture.alice.name).number))")
      let write = Task { try await fixture.ledger.write(locking: [LedgerFixture.alice]) { _ in } }
      try await until { try fixture.waitingForLocks() == 1 }
      // Ends the wait as the server does after the timeout.
      try other.run(
        """
        SELECT pg_cancel_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()
        """)
      await #expect(throws: LedgerDatabaseError.overloaded) { try await write.value }
      #expect(fixture.retried.entries.isEmpty)
      try other.run("SELECT pg_advisory_unlock_all()")
      try await fixture.ledger.write(locking: [LedgerFixture.alice]) { _ in }
    }
  }
}
