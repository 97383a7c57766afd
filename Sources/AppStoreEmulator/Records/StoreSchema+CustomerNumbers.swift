import GRDB

extension StoreSchema {
  /// Adds customers' numbers: see ``CustomerNumber``.
  static func registerCustomerNumbers(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("6 customer numbers") { database in
      try database.alter(table: "customer") { table in
        table.add(column: "number", .integer).notNull().defaults(to: 0)
      }
      // Customers of the previous version get negative numbers. Quotes of that version contain no number, so they can
      // belong only to these customers.
      try database.execute(sql: "UPDATE customer SET number = -rowid")
      try database.alter(table: "store") { table in
        table.add(column: "nextCustomerNumber", .integer).notNull().defaults(to: 1)
      }
    }
  }
}
