import GRDB

extension StoreSchema {
  /// Gives customers an identity that outlasts their name: see ``CustomerNumber``.
  static func registerCustomerNumbers(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("6 customer numbers") { database in
      try database.alter(table: "customer") { table in
        table.add(column: "number", .integer).notNull().defaults(to: 0)
      }
      // Negative: quotes that the version before made name no number, and are of one of these customers.
      try database.execute(sql: "UPDATE customer SET number = -rowid")
      try database.alter(table: "store") { table in
        table.add(column: "nextCustomerNumber", .integer).notNull().defaults(to: 1)
      }
    }
  }
}
