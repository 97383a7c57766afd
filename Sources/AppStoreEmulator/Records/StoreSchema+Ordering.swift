import GRDB

/// What the prices of a catalog are in, and which purchases on a customer's behalf can be asked for again.
extension StoreSchema {
  static func registerOrdering(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("7 currency of the catalog") { database in
      try database.alter(table: "app") { table in
        table.add(column: "catalogStorefront", .text).notNull().defaults(to: "USA")
      }
      // The storefront that the first catalog's file named.
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
