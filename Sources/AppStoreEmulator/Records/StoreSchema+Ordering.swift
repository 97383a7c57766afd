import GRDB

/// Adds the currency of the catalog, and the table of operators' purchases with a payment id.
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
}
