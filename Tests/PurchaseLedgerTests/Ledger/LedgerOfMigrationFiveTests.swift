import Foundation
import GRDB
import PrivatePostgreSQL
import PurchaseLedgerPostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Opens ledgers with the schema of migration 5, which have rows in every table (`VersionBefore/README.md`). A server was killed
/// there before it had scheduled the pass that a previous owner keeps.
@Suite("A ledger of migration 5", .timeLimit(.minutes(30)))
struct LedgerOfMigrationFiveTests {
  private static let owner = CustomerID("00000000-0000-4000-8000-000000000001")!

  private static func makeDatabase(_ engine: LedgerEngine, _ folder: ScratchFolder) async throws -> any LedgerDatabase {
    switch engine {
    case .sqlite:
      let file = folder.url.appending(path: "ledger.sqlite")
      let queue = try DatabaseQueue(path: file.path)
      try await queue.write { try $0.execute(sql: sql(engine)) }
      try queue.close()
      return try SQLiteLedgerDatabase(at: file)
    case .postgreSQL:
      let server = try PrivatePostgreSQL.shared.get()
      let name = "five_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
      try server.run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
      try server.run(sql(engine), database: name)
      var configuration = try PostgreSQLConfiguration(connectionString: server.connectionString(database: name))
      configuration.acceptsServerWithoutFsync = true
      return try await PostgreSQLLedgerDatabase.open(configuration)
    }
  }

  private static func sql(_ engine: LedgerEngine) throws -> String {
    let name = engine == .sqlite ? "ledger-5-sqlite.sql" : "ledger-5-postgresql.sql"
    return try String(contentsOf: VersionBefore.file(name), encoding: .utf8)
  }

  @Test(
    "opens and keeps every row; the pass that a previous owner keeps is scheduled", arguments: LedgerEngine.allCases)
  func opens(_ engine: LedgerEngine) async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let database = try await Self.makeDatabase(engine, folder)
    // The insertions of the fixture, by table.
    let inserted = try Self.sql(engine).split(separator: "\n").reduce(into: [String: Int]()) { counts, line in
      guard line.hasPrefix("INSERT INTO "), line.contains(") VALUES (") else { return }
      counts[String(line.dropFirst("INSERT INTO ".count).prefix { $0 != " " }), default: 0] += 1
    }
    #expect(inserted.count == 18)
    for (table, count) in inserted {
      let found = try await database.read { try $0.rows("SELECT 1 AS found FROM \(table)").count }
      #expect(found == count, "\(table)")
    }
    // The previous owner lost the first pass, and kept the second one, which ended a period too late.
    let unscheduled = try await database.read { transaction in
      try transaction.rows("SELECT customer, source, new_owner FROM pass_change").map {
        [try $0.text("customer"), try $0.text("source"), try $0.text("new_owner")]
      }
    }
    #expect(
      unscheduled == [[Self.owner.description, "11", "00000000-0000-4000-8000-000000000002"]])

    try await database.write(locking: []) { transaction in
      _ = try transaction.execute("DELETE FROM ledger_fact WHERE name = 'anchors'")
    }
    let ledger = try await Ledger(database: database, anchors: .apple, apps: [TestLedger.app: LedgerSettings()])
    let ends = try await database.read { transaction in
      try transaction.rows("SELECT access_until FROM entitlement WHERE source = '12'").map {
        try $0.date("access_until").millisecondsSince1970
      }
    }
    #expect(ends == [1_800_000_001_000 + 30 * 86_400_000])
    let replay = try LedgerReplay(try await LedgerReplay.events(of: ledger))
    #expect(try await replay.differences(from: database) == [])
    let export = try await ledger.exported(Self.owner)
    #expect(export.purchases.count == 4 && export.movements.map(\.movement.balance) == [5, 4, 2])
    #expect(try await ledger.creditBalances(of: Self.owner, app: TestLedger.app).credits.map(\.balance) == [2])
    try await database.close()
  }
}
