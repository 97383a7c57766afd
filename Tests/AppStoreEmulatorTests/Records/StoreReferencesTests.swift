import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

/// The indexes by which SQLite finds the rows that refer to a changed row.
@Suite("Indexes of the store's references", .timeLimit(.minutes(30)))
struct StoreReferencesTests {
  /// The database of the version before these indexes.
  private func databaseBefore() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try StoreSchema.migrator.migrate(database, upTo: "15 settings of the store")
    return database
  }

  /// The references whose columns are not the first ones of an index of all rows.
  private func unindexed(_ database: Database) throws -> [String] {
    let tables = try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    return try tables.flatMap { table in
      let key = try database.primaryKey(table).columns
      let indexes =
        try database.indexes(on: table)
        .filter { index in
          try Bool.fetchOne(
            database, sql: "SELECT partial FROM pragma_index_list(?) WHERE name = ?", arguments: [table, index.name])
            != true
        }.map(\.columns)
      return try database.foreignKeys(on: table)
        .filter { reference in !([key] + indexes).contains { $0.starts(with: reference.originColumns) } }
        .map { "\(table): \($0.originColumns)" }
    }
  }

  @Test("C6 a changed row is compared with no other rows than those that refer to it")
  func indexed() throws {
    let database = try databaseBefore()
    #expect(try database.read(unindexed).count == 4)
    try StoreSchema.migrator.migrate(database)
    #expect(try database.read(unindexed) == [])
  }

  @Test("C6 the installations of a customer are found without reading those of others")
  func installations() throws {
    let database = try DatabaseQueue()
    try StoreSchema.migrator.migrate(database)
    let plan = try database.read {
      try Row.fetchAll(
        $0,
        sql: """
          EXPLAIN QUERY PLAN SELECT installationID FROM installation
          WHERE account = ?1 AND environment = ?2 AND (?3 IS NULL OR bundleID = ?3)
          """, arguments: ["tom", "Sandbox", "app"]
      ).map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.contains("installationOfCustomer (account=? AND environment=?)") }, "\(plan)")
  }

  @Test("a store of the version before keeps its rows")
  func kept() throws {
    let database = try databaseBefore()
    try database.write {
      try $0.execute(
        sql: "INSERT INTO app (bundleID, appAppleID, sharedSecret, issuerID) VALUES ('app', 1, 'secret', 'issuer')")
    }
    try StoreSchema.migrator.migrate(database)
    #expect(try database.read { try String.fetchAll($0, sql: "SELECT bundleID FROM app") } == ["app"])
  }
}
