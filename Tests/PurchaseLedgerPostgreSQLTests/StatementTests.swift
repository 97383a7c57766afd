import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: statements", .timeLimit(.minutes(30)))
struct StatementTests {
  @Test("every value is returned as it was stored, also extreme and empty ones")
  func values() async throws {
    let numbers: [Int64] = [.min, -1, 0, 1, .max]
    let texts = ["", "it's \"quoted\" $1 \\ \n", "🐒 credits, ümläut, 日本語"]
    let data: [[UInt8]] = [[], [0], Array(0...255)]
    try await LedgerFixture.with { fixture in
      let rows = try await fixture.ledger.write(locking: []) { transaction in
        for (id, number) in numbers.enumerated() {
          try transaction.execute(
            "INSERT INTO note (id, text, number, data) VALUES ($1, $2, $3, $4)", id,
            id < 3 ? texts[id] : nil, number, id < 3 ? data[id] : nil)
        }
        return try transaction.rows("SELECT id, text, number, data FROM note ORDER BY id")
      }
      #expect(try rows.map { try $0.integer("number") } == numbers)
      #expect(try rows.map { try $0.optionalText("text") } == texts + [nil, nil])
      #expect(try rows.prefix(3).map { try $0.data("data") } == data)
    }
  }

  @Test("counts, booleans and small numbers are returned as integers")
  func otherTypes() async throws {
    try await LedgerFixture.with { fixture in
      let row = try await fixture.ledger.read {
        try $0.row(
          """
          SELECT count(*) AS count, count(*) = 0 AS yes, 1 = 2 AS no, -7 AS four, CAST(-8 AS SMALLINT) AS two,
            current_database() AS name, CAST('x' AS VARCHAR) AS short
          FROM note
          """)
      }
      let found = try #require(row)
      #expect(try found.integer("count") == 0)
      #expect(try (found.flag("yes"), found.flag("no")) == (true, false))
      #expect(try (found.integer("four"), found.integer("two")) == (-7, -8))
      #expect(try (found.text("name").isEmpty, found.text("short")) == (false, "x"))
    }
  }

  @Test("a type that no ledger uses is refused")
  func unknownType() async throws {
    try await LedgerFixture.with { fixture in
      let error = await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.read { try $0.row("SELECT 1.5 AS price").map { _ in true } }
      }
      #expect(error == .unexpectedRow("price is of the PostgreSQL type 1700, which no ledger has"))
    }
  }

  @Test("text with a NUL character is refused, and the connection stays usable")
  func nul() async throws {
    try await LedgerFixture.with { fixture in
      await #expect(
        throws: LedgerDatabaseError.failed(
          reason: "argument $2 has a NUL character, which PostgreSQL's text cannot hold")
      ) {
        try await fixture.ledger.write(locking: []) {
          try $0.execute("INSERT INTO note (id, text) VALUES ($1, $2)", 1, "a\0b")
        }
      }
      let count = try await fixture.ledger.write(locking: []) {
        try $0.execute("INSERT INTO note (id, text) VALUES ($1, $2)", 1, "ab")
      }
      #expect(count == 1)
    }
  }

  @Test("changed rows are counted, read ones are not")
  func changes() async throws {
    try await LedgerFixture.with { fixture in
      let changes = try await fixture.ledger.write(locking: []) { transaction in
        [
          try transaction.execute("INSERT INTO note (id) VALUES (1), (2), (3)"),
          try transaction.execute("INSERT INTO note (id) VALUES (4) RETURNING id"),
          try transaction.execute("INSERT INTO note (id) VALUES (4) ON CONFLICT DO NOTHING"),
          try transaction.execute("UPDATE note SET number = $1 WHERE id < $2", 5, 3),
          try transaction.execute("SELECT id FROM note"),
          try transaction.execute("DELETE FROM note"),
        ]
      }
      #expect(changes == [3, 1, 0, 2, 0, 4])
    }
  }

  @Test("a statement is prepared once for the types of its arguments")
  func preparedOnce() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let sql = "SELECT id FROM note WHERE number = $1"
      for argument in [SQLValue.integer(1), .integer(2), .null, .integer(3), .null] {
        _ = try await fixture.ledger.read { try $0.rows(sql, argument).count }
      }
      let row = try await fixture.ledger.read {
        try $0.row("SELECT count(*) AS count FROM pg_prepared_statements WHERE statement = $1", sql)
      }
      #expect(try row?.integer("count") == 2)
    }
  }

  @Test("the number of prepared statements on a server is limited")
  func statementLimit() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let row = try await fixture.ledger.read { transaction in
        for number in 0...PostgreSQLConnection.statementLimit { _ = try transaction.row("SELECT \(number) AS number") }
        return try transaction.row("SELECT count(*) AS count FROM pg_prepared_statements")
      }
      #expect(try #require(row).integer("count") < 100)
    }
  }

  @Test("statements that a schema change made stale are prepared again")
  func stalePlan() async throws {
    try await LedgerFixture.with { fixture in
      let sql = "SELECT * FROM note"
      _ = try await fixture.ledger.read { try $0.rows(sql).count }
      try fixture.beside().run("ALTER TABLE note ADD COLUMN later TEXT; INSERT INTO note (id, later) VALUES (1, 'new')")
      let rows = try await fixture.ledger.read { try $0.rows(sql) }
      #expect(try rows.map { try $0.text("later") } == ["new"])
      #expect(fixture.retried.entries.count == 1)
    }
  }

  @Test("a lock statement that the server has forgotten is prepared again")
  func forgottenLock() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let locks: Set = [LedgerFixture.alice]
      try await fixture.ledger.write(locking: locks) { _ = try $0.row("SELECT 1 AS one") }
      try await fixture.ledger.write(locking: []) { _ = try $0.execute("DEALLOCATE ALL") }
      try await fixture.ledger.write(locking: locks) { _ = try $0.row("SELECT 1 AS one") }
      #expect(fixture.retried.entries.count == 1)
    }
  }

  @Test("an error contains the statement's fault and no data of the tables")
  func failure() async throws {
    try await LedgerFixture.with { fixture in
      try fixture.beside().run("CREATE UNIQUE INDEX one ON note (text)")
      let error = await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.write(locking: []) {
          for id in 1...2 { try $0.execute("INSERT INTO note (id, text) VALUES ($1, $2)", id, "secret") }
        }
      }
      #expect(
        error == .failed(reason: #"duplicate key value violates unique constraint "one" (SQLSTATE 23505)"#))
    }
  }
}
