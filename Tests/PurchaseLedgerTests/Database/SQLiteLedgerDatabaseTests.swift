import DurableSQLite
import Foundation
import GRDB
import SharedFixtures
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct SQLiteLedgerDatabaseTests {
  private func insert(_ name: String, _ database: SQLiteLedgerDatabase) async throws {
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute("INSERT INTO ledger_fact (name, value) VALUES ($1, 'x')", name)
    }
  }

  private func names(_ database: SQLiteLedgerDatabase) async throws -> [String] {
    try await database.read { transaction in
      try transaction.rows("SELECT name FROM ledger_fact ORDER BY name").map { try $0.text("name") }
    }
  }

  @Test("A failed write does not affect others in the same commit")
  func savepoints() async throws {
    let database = try SQLiteLedgerDatabase(at: nil)

    let failures = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            try await insert("\(number / 2)", database)
            return false
          } catch { return true }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(failures == 100)
    #expect(try await names(database).count == 100)
  }

  @Test("F3 a ledger whose file was removed or replaced while it is open takes no writes", arguments: [false, true])
  func withoutFile(isReplaced: Bool) async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "ledger.sqlite")
    let database = try SQLiteLedgerDatabase(at: file)
    try await insert("before", database)
    let aside = folder.url.appending(path: "aside.sqlite")
    try FileManager.default.moveItem(at: file, to: aside)
    if isReplaced { try Data().write(to: file) }
    do {
      try await insert("lost", database)
      Issue.record("the write was accepted")
    } catch LedgerDatabaseError.notUsable {}
    if isReplaced { try FileManager.default.removeItem(at: file) }
    try FileManager.default.moveItem(at: aside, to: file)
    try await insert("after", database)
    #expect(try await names(database).filter { ["before", "lost", "after"].contains($0) } == ["after", "before"])
    try await database.close()
  }

  @Test("Every value is returned as it was stored; a failed statement can be used again")
  func values() async throws {
    let database = try SQLiteLedgerDatabase(at: nil)
    let insert = "INSERT INTO ledger_fact (name, value) VALUES ($1, $2)"
    let texts = ["", "it's \"quoted\" $1", "a\u{0}b", "🐒 日本語"]
    try await database.write(locking: []) { transaction in
      for text in texts {
        let row = try transaction.row(
          "SELECT $1 AS text, $2 AS number, $3 AS data, $4 AS empty, $5 AS missing", text, Int64.min,
          Array(UInt8.min...UInt8.max), [UInt8](), String?.none)
        let answer = try #require(row)
        #expect(try answer.text("text") == text && answer.integer("number") == .min)
        #expect(try answer.data("data") == Array(0...255) && answer.data("empty") == [])
        #expect(try answer.optionalText("missing") == nil)
      }
      #expect(throws: LedgerDatabaseError.self) { try transaction.row("SELECT 1.5 AS half") }
      #expect(throws: (any Error).self) { try transaction.execute(insert, "one argument") }
      try transaction.execute(insert, "a", "1")
      #expect(throws: (any Error).self) { try transaction.execute(insert, "a", "2") }
      try transaction.execute(insert, "b", "3")
    }
    #expect(try await names(database) == ["a", "b"])
  }

  @Test("Everything that a failed write had done is rolled back")
  func rollsBack() async throws {
    let database = try SQLiteLedgerDatabase(at: nil)

    await #expect(throws: LedgerError.spendingBlocked) {
      try await database.write(locking: []) { transaction in
        try transaction.execute("INSERT INTO ledger_fact (name, value) VALUES ('a', 'x')")
        throw LedgerError.spendingBlocked
      }
    }
    #expect(try await names(database) == [])
  }

  @Test("A valid row of every table passes the check of a backup: PRAGMA integrity_check")
  func integrity() async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "ledger.sqlite")
    let database = try SQLiteLedgerDatabase(at: file)
    try await database.close()
    let queue = try DatabaseQueue(path: file.path, configuration: Self.withoutForeignKeys)
    try await queue.write { database in
      let tables = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      #expect(tables.count > 15)
      for table in tables {
        let columns = try database.columns(in: table)
        // 2 satisfies every lower bound of the columns, and is a valid percentage.
        let valuesOfTypes = ["BIGINT": "2", "INTEGER": "2", "BLOB": "x'00'"]
        let values = columns.map { valuesOfTypes[$0.type, default: "'x'"] }
        try database.execute(
          sql: """
            INSERT OR REPLACE INTO "\(table)" (\(columns.map(\.name).joined(separator: ", ")))
            VALUES (\(values.joined(separator: ", ")))
            """)
      }
      #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
    }
  }

  private static var withoutForeignKeys: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    return configuration
  }

  @Test("Writes beyond the limit are refused, not queued")
  func overloaded() async throws {
    let database = try SQLiteLedgerDatabase(at: nil, waitingWrites: 0)

    await #expect(throws: LedgerDatabaseError.overloaded) { try await insert("a", database) }
  }

  @Test("A closed database refuses all reads and writes")
  func closed() async throws {
    let database = try SQLiteLedgerDatabase(at: nil)
    try await insert("a", database)
    try await database.close()

    await #expect(throws: LedgerDatabaseError.closed) { try await insert("b", database) }
    await #expect(throws: LedgerDatabaseError.closed) { try await names(database) }
  }

  @Test("A backup made while the ledger is in use contains all commits, and can be opened")
  func backup() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try SQLiteLedgerDatabase(at: folder.appending(path: "ledger.sqlite"))
    try await insert("a", database)
    let copy = folder.appending(path: "backup.sqlite")

    try await database.backUp(to: copy)
    try await insert("b", database)
    try await database.close()

    let restored = try SQLiteLedgerDatabase(at: copy)
    #expect(try await names(restored) == ["a"])
    await #expect(throws: (any Error).self) { try await restored.backUp(to: copy) }
    try await restored.close()
  }

  @Test("A later version's migration is applied; the earlier version then refuses the file")
  func upgrade() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "ledger.sqlite")
    let earlier = try SQLiteLedgerDatabase(at: file)
    try await insert("a", earlier)
    try await earlier.close()
    let next = LedgerSchema.Migration(
      name: "2 later", statements: ["ALTER TABLE ledger_fact ADD COLUMN remark TEXT NOT NULL DEFAULT 'none'"])

    let later = try SQLiteLedgerDatabase(at: file, migrations: LedgerSchema.migrations(.sqlite) + [next])
    let remarks = try await later.read { transaction in
      try transaction.rows("SELECT remark FROM ledger_fact WHERE name = 'a'").map { try $0.text("remark") }
    }
    try await later.close()

    #expect(remarks == ["none"])
    #expect(throws: DurableSQLiteError.newerVersion(path: file.path)) { try SQLiteLedgerDatabase(at: file) }
  }
}
