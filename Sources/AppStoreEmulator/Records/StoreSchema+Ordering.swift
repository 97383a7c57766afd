import GRDB
import StoreModel

/// Adds the currency of the catalog, the table of operators' purchases with a payment id, and the orders of charges.
extension StoreSchema {
  static func registerOrdering(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("7 currency of the catalog") { database in
      try database.alter(table: "app") { table in
        table.add(column: "catalogStorefront", .text).notNull().defaults(to: "USA")
      }
      // Earlier versions stored only one storefront, that of the first catalog.
      try database.execute(
        sql: "UPDATE app SET catalogStorefront = coalesce((SELECT storefrontCountryCode FROM store), 'USA')")
    }
    migrator.registerMigration("8 purchases asked for again") { database in
      try database.create(table: "orderedPurchase") { table in
        table.primaryKey("paymentID", .text)
        table.column("request", .text).notNull()
        table.column("transactionID", .text).notNull().references("transactionRecord", column: "transactionID")
      }
    }
  }

  static func registerOrderIDs(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("19 orders of charges") { database in
      try database.alter(table: "charge") { table in
        table.add(column: "orderID", .text).notNull().defaults(to: "")
      }
      // The rows of a snapshot may contain invalid values. They are checked after the migration.
      guard let store = try Row.fetchOne(database, sql: "SELECT seed FROM store"),
        let seed = Int64.fromDatabaseValue(store["seed"])
      else { return }
      let identity = InventedIdentity(seed: seed)
      let update = try database.makeStatement(sql: "UPDATE charge SET orderID = ? WHERE transactionID = ?")
      // Fetches all rows first, because SQLite does not define which rows a cursor returns when the table changes
      // meanwhile.
      for row in try Row.fetchAll(database, sql: "SELECT transactionID FROM charge") {
        guard let id = String.fromDatabaseValue(row["transactionID"]).flatMap(TransactionID.init(rawValue:)) else {
          continue
        }
        try update.execute(arguments: [identity.orderID(of: id), id.rawValue])
      }
    }
  }
}
