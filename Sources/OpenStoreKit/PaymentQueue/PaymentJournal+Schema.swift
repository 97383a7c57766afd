import GRDB

extension PaymentJournal {
  /// The tables, as Documentation/storage.md describes them.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 payments") { database in
      try database.create(table: "installation") { table in
        table.primaryKey("id", .integer).check { $0 == 1 }
        table.column("installationID", .text).notNull()
        table.column("bundleID", .text).notNull()
        table.column("environment", .text).notNull()
        table.column("deviceID", .text).notNull()
        table.column("epoch", .text)
        table.column("rootFingerprint", .text)
        table.column("receipt", .blob)
      }
      try database.create(table: "queueEntry") { table in
        // AUTOINCREMENT: numbers are never used again, so a late finish cannot affect another payment.
        table.autoIncrementedPrimaryKey("sequence")
        table.column("paymentID", .text).unique()
        table.column("transactionID", .text).unique()
        table.column("stage", .text).notNull().indexed()
        table.column("payment", .text).notNull()
        table.column("state", .text).notNull()
      }
    }
    migrator.registerMigration("2 changes and promotions") { database in
      try database.alter(table: "installation") { table in
        table.add(column: "changeCursor", .integer)
        table.add(column: "receiptDate", .integer)
      }
      try database.create(table: "promotedProduct") { table in
        table.primaryKey("productID", .text)
        table.column("visibility", .integer)
        table.column("position", .integer)
      }
    }
    migrator.registerMigration("3 waiting and settings") { database in
      try database.alter(table: "queueEntry") { table in
        table.add(column: "addedDate", .integer)
      }
      try database.alter(table: "installation") { table in
        table.add(column: "isRestricted", .boolean)
        table.add(column: "isOffline", .boolean)
      }
    }
    return migrator
  }
}
