import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: transactions", .timeLimit(.minutes(30)))
struct TransactionTests {
  private struct NotEnough: Error, Equatable {}

  @Test("a write that throws is rolled back, and its own error is thrown")
  func rollback() async throws {
    try await LedgerFixture.with { fixture in
      await #expect(throws: NotEnough()) {
        try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
          try $0.execute("INSERT INTO note (id) VALUES (1)")
          throw NotEnough()
        }
      }
      _ = try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
        try $0.execute("INSERT INTO note (id) VALUES (2)")
      }
      #expect(try fixture.value("SELECT string_agg(id::text, ',') FROM note") == "2")
      #expect(fixture.retried.entries.isEmpty)
    }
  }

  @Test("a write that ignores a failed statement is not reported as done")
  func swallowedFailure() async throws {
    try await LedgerFixture.with { fixture in
      await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.write(locking: []) {
          try $0.execute("INSERT INTO note (id) VALUES (1)")
          _ = try? $0.execute("INSERT INTO nowhere (id) VALUES (1)")
        }
      }
      let count = try fixture.value("SELECT count(*) FROM note")
      #expect(count == "0")
    }
  }

  @Test("a read sees one snapshot, whatever others commit meanwhile")
  func snapshot() async throws {
    try await LedgerFixture.with { fixture in
      let counts = try await fixture.ledger.read { transaction in
        let count = { try transaction.row("SELECT count(*) AS count FROM note")?.integer("count") }
        let before = try count()
        try fixture.beside().run("INSERT INTO note (id) VALUES (1)")
        return [before, try count()]
      }
      #expect(counts == [0, 0])
      let later = try await fixture.ledger.read { try $0.row("SELECT count(*) AS count FROM note")?.integer("count") }
      #expect(later == 1)
    }
  }

  @Test("of statements that run later, each sees the earlier ones; one that fails undoes the write, whenever it runs")
  func later() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let insert = "INSERT INTO note (id) VALUES ($1)"
      let seen = try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
        for id in 1...20 { try transaction.executeLater(insert, id) }
        let count = try transaction.row("SELECT count(*) AS count FROM note")?.integer("count")
        try transaction.executeLater("UPDATE note SET number = id WHERE id <= $1", 3)
        return count
      }
      #expect(seen == 20)
      #expect(try fixture.value("SELECT sum(number) FROM note") == "6")
      // The first failure appears with the commit, the second with the statement that follows.
      for isFollowed in [false, true] {
        await #expect(throws: LedgerDatabaseError.self) {
          try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
            try transaction.executeLater(insert, 30)
            try transaction.executeLater(insert, 1)
            try transaction.executeLater(insert, 31)
            if isFollowed { _ = try transaction.row("SELECT 1 AS one") }
          }
        }
      }
      // Nothing that still waits when a write fails is sent by the next one.
      await #expect(throws: NotEnough()) {
        try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
          try $0.executeLater(insert, 32)
          throw NotEnough()
        }
      }
      #expect(try await fixture.ledger.write(locking: []) { try $0.execute(insert, 33) } == 1)
      // A statement's warning does not mean that no standby has confirmed the commit.
      try await fixture.ledger.write(locking: []) {
        try $0.execute("UPDATE note SET number = 1")
        try $0.executeLater("DO $$ BEGIN RAISE WARNING 'of a trigger'; END $$")
      }
      #expect(try fixture.value("SELECT string_agg(id::text, ',') FROM note WHERE id > 20") == "33")
      #expect(fixture.retried.entries.isEmpty)
    }
  }

  @Test("answers of statements that run later are read in any order, also of more than are sent together")
  func laterAnswers() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let numbers = try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
        let insert = "INSERT INTO note (id) VALUES ($1) RETURNING (SELECT count(*) FROM note) AS earlier"
        let answers = try (1...250).map { try transaction.later(insert, $0) }
        return try [249, 0, 120].map { try answers[$0].get().rows[0].integer("earlier") }
      }
      #expect(numbers == [249, 0, 120])
      // The failure of an earlier statement is thrown by the read of a later answer, and by all that follow.
      await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
          try transaction.executeLater("INSERT INTO note (id) VALUES ($1)", 1)
          let answers = try (1...2).map { try transaction.later("SELECT $1 AS number", $0) }
          for answer in answers { #expect(throws: LedgerDatabaseError.self) { try answer.get() } }
        }
      }
      let read = try await fixture.ledger.read { transaction in
        try transaction.later("SELECT count(*) AS count FROM note").get().rows[0].integer("count")
      }
      #expect(read == 250)
    }
  }

  @Test("a read cannot write")
  func readOnly() async throws {
    try await LedgerFixture.with { fixture in
      await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.read { try $0.execute("INSERT INTO note (id) VALUES (1)") }
      }
      await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.read { try $0.executeLater("INSERT INTO note (id) VALUES (1)") }
      }
      let count = try fixture.value("SELECT count(*) FROM note")
      #expect(count == "0")
    }
  }

  @Test("the write of a cancelled task ends, and its connection is free for others")
  func cancelledInside() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let inside = Event()
      let write = Task {
        try await fixture.ledger.write(locking: []) { transaction in
          try transaction.execute("INSERT INTO note (id) VALUES (1)")
          inside.happen()
          // The server is asked to end the statement.
          return try transaction.rows("SELECT pg_sleep(600)").count
        }
      }
      await inside.happened()
      try await until {
        try fixture.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "0"
      }
      write.cancel()
      await #expect(throws: CancellationError.self) { try await write.value }
      let written = try await fixture.ledger.write(locking: []) {
        try $0.execute("INSERT INTO note (id) VALUES (2)")
      }
      #expect(written == 1)
      #expect(try fixture.value("SELECT string_agg(id::text, ' ') FROM note") == "2")
    }
  }

  @Test("a cancelled task no longer waits for a lock")
  func cancelledForLock() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 2 }) { fixture in
      let (inside, goOn) = (Event(), Event())
      let first = Task {
        try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
          try transaction.execute("INSERT INTO note (id) VALUES (1)")
          inside.happen()
          goOn.wait()
        }
      }
      await inside.happened()
      let second = Task {
        try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
          try $0.execute("INSERT INTO note (id) VALUES (2)")
        }
      }
      try await until { try fixture.waitingForLocks() == 1 }
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
      goOn.happen()
      try await first.value
      #expect(try fixture.value("SELECT string_agg(id::text, ' ') FROM note") == "1")
    }
  }

  @Test("a full disk of the server is an error of its own", arguments: ["53100", "58000", "58030"])
  func full(state: String) {
    let failure = PostgreSQLFailure(state: state, reason: "no space left on device")
    #expect(failure.error == .full(reason: "no space left on device (SQLSTATE \(state))"))
    #expect(!failure.isTransient)
  }
}
