import DurableSQLite
import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Stores in memory whose database was used before", .timeLimit(.minutes(30)))
struct ReusedStoreTests {
  /// All rows of the store's tables, except those of its identity.
  private static func rows(_ database: DurableDatabase) throws -> [String] {
    try database.read { database in
      let tables = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'store' ORDER BY name")
      return try tables.flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\(table): \($0)" }
      }
    }
  }

  private static func copy(_ source: DurableDatabase, to target: DurableDatabase) throws {
    try target.write { target in
      try source.read { source in
        try StoreTables.copy(StoreTables.catalog + StoreTables.trade, from: source, to: target)
      }
    }
  }

  @Test("A database of the store's schema is empty again after it was closed")
  func empty() async throws {
    let kind = "ReusedStoreTests.empty"
    let new = try Self.rows(DurableSQLite.open(at: nil, migrator: StoreSchema.migrator))
    let store = try EmulatedAppStore(.inMemory())
    _ = try await store.serve(
      "com.example.shop",
      catalog: [
        StoreKitConfiguration(products: [
          ProductDefinition(productID: "filter", type: .nonConsumable, price: Milliunits(1_990)),
          ProductDefinition(
            productID: "club", type: .autoRenewableSubscription, price: Milliunits(4_990),
            subscription: SubscriptionTerms(
              groupID: "1", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month), offers: [])),
        ])
      ])
    let filter = try await store.purchase("filter", of: "com.example.shop", for: "customer", in: .sandbox)
    _ = try await store.purchase("club", of: "com.example.shop", for: "customer", in: .sandbox)
    _ = try await store.refund(filter.record.transactionID)
    let snapshot = try await store.snapshot()
    let used = try DurableSQLite.open(at: nil, migrator: StoreSchema.migrator, reusedAs: kind)
    let copy = try DurableSQLite.openCopy(of: snapshot, migrator: StoreSchema.migrator)
    try Self.copy(copy, to: used)
    #expect(try Self.rows(used) != new)
    try used.close()
    #expect(try Self.rows(DurableSQLite.open(at: nil, migrator: StoreSchema.migrator, reusedAs: kind)) == new)
  }
}
