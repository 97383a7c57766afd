import Foundation
import PrivatePostgreSQL
import PurchaseLedgerPostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Documentation/ledger-events.md, "Upgrade".
@Suite("Events that an upgrade fills in", .timeLimit(.minutes(30)))
struct LedgerEventUpgradeTests {
  /// Three customers, of whom the alphabetical order is the other one than that in which they get the purchases.
  private static let first = "00000000-0000-4000-8000-000000000009"
  private static let second = "00000000-0000-4000-8000-000000000008"
  private static let third = "00000000-0000-4000-8000-000000000007"

  /// Opens a ledger that has rows with the schema before events.
  private static func open(_ engine: LedgerEngine, _ folder: ScratchFolder, _ rows: [String]) async throws -> TestLedger
  {
    let all = LedgerSchema.migrations(engine == .sqlite ? .sqlite : .postgreSQL)
    let earlier = Array(all.prefix { !$0.name.hasPrefix("16 ") })
    switch engine {
    case .sqlite:
      let file = folder.url.appending(path: "ledger.sqlite")
      let before = try SQLiteLedgerDatabase(at: file, migrations: earlier)
      try await before.write(locking: []) { transaction in
        for row in rows { try transaction.execute(row) }
      }
      try await before.close()
      return try await TestLedger.open(on: SQLiteLedgerDatabase(at: file))
    case .postgreSQL:
      let server = try PrivatePostgreSQL.shared.get()
      let name = "upgrade_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
      try server.run("CREATE DATABASE \(name)")
      let applied = earlier.map {
        "INSERT INTO ledger_migration (name, applied) VALUES ('\($0.name.replacing("'", with: "''"))', 0)"
      }
      let statements =
        earlier.flatMap(\.statements) + [
          "CREATE TABLE ledger_migration (name TEXT NOT NULL PRIMARY KEY, applied BIGINT NOT NULL)"
        ] + applied + rows
      try server.run(statements.joined(separator: ";\n"), database: name)
      var configuration = try PostgreSQLConfiguration(connectionString: server.connectionString(database: name))
      configuration.acceptsServerWithoutFsync = true
      configuration.statementTimeoutMilliseconds = 0
      return try await TestLedger.open(on: PostgreSQLLedgerDatabase.open(configuration))
    }
  }

  private static func customer(_ id: String) -> String {
    "INSERT INTO customer (id, created) VALUES ('\(id)', 0)"
  }

  private static func claim(_ id: Int, of customer: String) -> String {
    """
    INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
    VALUES
      ('\(TestLedger.app)', 'Production', '\(id)', '\(customer)', '\(TestLedger.book)', 'Non-Consumable', 1, 'PURCHASED', 1, 1)
    """
  }

  private static func transfer(of id: Int, at date: Int, from: String, to: String) -> String {
    """
    INSERT INTO claim_transfer (app, environment, id, date, from_customer, to_customer)
    VALUES ('\(TestLedger.app)', 'Production', '\(id)', \(date), '\(from)', '\(to)')
    """
  }

  @Test(
    "the first owner of a purchase is known, also if it moved several times in a millisecond",
    arguments: LedgerEngine.allCases)
  func transfers(_ engine: LedgerEngine) async throws {
    let folder = try ScratchFolder()
    let (first, second, third) = (Self.first, Self.second, Self.third)
    let fixture = try await Self.open(
      engine, folder,
      [first, second, third].map(Self.customer) + [
        Self.claim(1, of: third), Self.transfer(of: 1, at: 5, from: first, to: second),
        Self.transfer(of: 1, at: 5, from: second, to: third),
        // There and back.
        Self.claim(2, of: first), Self.transfer(of: 2, at: 5, from: first, to: second),
        Self.transfer(of: 2, at: 5, from: second, to: first),
        // On after that.
        Self.claim(3, of: first), Self.transfer(of: 3, at: 5, from: first, to: second),
        Self.transfer(of: 3, at: 5, from: second, to: third), Self.transfer(of: 3, at: 6, from: third, to: first),
        Self.claim(4, of: second),
      ])
    let events = try await LedgerReplay.events(of: fixture.ledger)
    func owners(_ id: String) -> [String] {
      events.filter { $0.claim?.rawValue == id }.map { $0.customer.map { "\($0)" } ?? "" }
    }
    #expect(owners("1") == [first, second, third])
    #expect(owners("2") == [first, second, first])
    #expect(owners("3") == [first, second, third, first])
    #expect(owners("4") == [second])
    #expect(try await LedgerReplay(events).differences(from: fixture.database) == [])
    try await fixture.database.close()
  }

  @Test(
    "deliveries have ended if they had; filled-in events are before all others, and are read in pages",
    arguments: LedgerEngine.allCases)
  func deliveries(_ engine: LedgerEngine) async throws {
    let folder = try ScratchFolder()
    func delivery(_ number: Int, ended: String) -> String {
      """
      INSERT INTO delivery (id, customer, app, product, source, begun, ended)
      VALUES (
        '10000000-0000-4000-8000-00000000000\(number)', '\(Self.first)', '\(TestLedger.app)', '\(TestLedger.book)', '1', 2,
        \(ended))
      """
    }
    let fixture = try await Self.open(
      engine, folder,
      [
        Self.customer(Self.first), Self.claim(1, of: Self.first), delivery(1, ended: "7"), delivery(2, ended: "NULL"),
      ])
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 5), for: fixture.identified("ada"))
    let events = try await LedgerReplay.events(of: fixture.ledger)
    #expect(
      events.map(\.kind) == [.purchaseClaimed, .deliveryBegun, .deliveryBegun, .deliveryEnded, .purchaseClaimed])
    #expect(events.map(\.isFilledIn) == [true, true, true, true, false])
    #expect(events.first { $0.kind == .deliveryEnded }?.date == StoreDate(millisecondsSince1970: 7))
    #expect(events.prefix(4).allSatisfy { $0.cursor.place.writer == 0 })
    let pages = try await LedgerReplay.events(of: fixture.ledger, limit: 1)
    #expect(pages.map(\.cursor) == events.map(\.cursor))
    #expect(try await LedgerReplay(events).differences(from: fixture.database) == [])
    try await fixture.database.close()
  }

  /// In PostgreSQL, `ALTER TABLE` makes reads wait until the commit, and two locked tables can cause a deadlock.
  @Test("a migration that changes a table of an earlier one does nothing else; the tables with triggers are locked")
  func locks() throws {
    let all = LedgerSchema.migrations(.postgreSQL)
    for migration in all.drop(while: { !$0.name.hasPrefix("16 ") }) {
      guard migration.statements.contains(where: { $0.hasPrefix("ALTER TABLE") }) else { continue }
      #expect(migration.statements.count == 1, "\(migration.name)")
    }
    #expect(Set(LedgerSchema.eventTriggers(.postgreSQL).map(\.table)) == Set(LedgerSchema.tablesWithEvents))
    #expect(LedgerSchema.events(.postgreSQL).first?.hasPrefix("LOCK TABLE") == true)
  }
}
