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

extension StoreSchema {
  /// Adds the dates at which rows are due: see ``DueRows``. Rows of earlier versions have no such date.
  static func registerDueDates(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("9 due dates") { database in
      try database.alter(table: "payment") { table in
        table.add(column: "approvalDeadline", .integer)
      }
      try database.create(
        index: "paymentDeadline", on: "payment", columns: ["approvalDeadline"],
        condition: Column("approvalDeadline") != nil)
      try database.alter(table: "interruptedPurchase") { table in
        table.add(column: "dueDate", .integer)
      }
      try database.create(
        index: "interruptedPurchaseDue", on: "interruptedPurchase", columns: ["dueDate"],
        condition: Column("dueDate") != nil)
    }
  }
}

extension StoreSchema {
  /// Adds the settings that the control API changes: see ``InstallationSettings`` and ``StoreSettings``.
  static func registerSettings(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("14 settings of installations") { database in
      // Null leaves a setting to the device.
      try database.alter(table: "installation") { table in
        table.add(column: "isRestricted", .boolean)
        table.add(column: "isOffline", .boolean)
      }
    }
    migrator.registerMigration("15 settings of the store") { database in
      try database.alter(table: "store") { table in
        table.add(column: "locale", .text)
        table.add(column: "documented21003", .boolean).notNull().defaults(to: false)
        table.add(column: "lenientBase64", .boolean).notNull().defaults(to: false)
      }
    }
  }
}

extension StoreSchema {
  /// Adds what devices with StoreKit 2 need: the win-back offers that customers choose in the App Store
  /// (``StoreChange/offer``), and an index of the subscription periods that relatives share with a customer.
  static func registerStoreKit2(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("25 StoreKit 2") { database in
      try database.alter(table: "deviceChange") { table in
        table.add(column: "offer", .text)
      }
      // Partial, so that it costs no purchase.
      try database.execute(
        sql: """
          CREATE INDEX transactionRecordSharedPeriod
          ON transactionRecord (account, bundleID, environment, originalTransactionID, sequence)
          WHERE \(sharedPeriod)
          """)
    }
  }

  /// The condition of the index `transactionRecordSharedPeriod`. A query uses the index only if it has the same condition, so a
  /// change needs a migration.
  static let sharedPeriod = "sharedTransactionID IS NOT NULL AND type = 'Auto-Renewable Subscription'"
}
