import GRDB

extension StoreSchema {
  /// Adds subscriptions that renew, and their history. Periods sold by earlier versions have no subscription: they
  /// expire.
  static func registerSubscriptions(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("10 subscriptions") { database in
      try database.create(table: "subscription") { table in
        table.primaryKey("originalTransactionID", .text)
          .references("transactionRecord", column: "transactionID")
        table.column("environment", .text).notNull()
        table.column("bundleID", .text).notNull()
        table.column("account", .text).notNull()
        table.column("groupID", .text).notNull()
        table.column("currentTransactionID", .text).notNull()
          .references("transactionRecord", column: "transactionID")
        table.column("state", .text).notNull()
        table.column("dueDate", .integer)
        table.uniqueKey(["account", "bundleID", "environment", "groupID"])
      }
      try database.create(
        index: "subscriptionDue", on: "subscription", columns: ["dueDate"], condition: Column("dueDate") != nil)
      try database.create(table: "subscriptionStep") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("originalTransactionID", .text).notNull()
          .references("subscription", column: "originalTransactionID")
        table.column("step", .text).notNull()
        table.column("date", .integer).notNull()
      }
      try database.create(indexOn: "subscriptionStep", columns: ["originalTransactionID", "sequence"])
      try database.alter(table: "app") { table in
        table.add(column: "renewalRules", .text)
      }
    }
    migrator.registerMigration("11 upgrades") { database in
      try database.alter(table: "transactionRecord") { table in
        table.add(column: "upgradeDate", .integer)
      }
    }
    migrator.registerMigration("12 offers") { database in
      try database.alter(table: "app") { table in
        table.add(column: "offerKey", .text)
      }
      // An index for the offers that a customer has used, so that SQLite need not scan the customer's periods.
      try database.create(
        index: "transactionRecordOffer", on: "transactionRecord",
        columns: ["account", "bundleID", "environment", "offerType"], condition: Column("offerType") != nil)
      // The nonces of promotional offers that were bought. Each is accepted once.
      try database.create(table: "offerNonce") { table in
        table.column("bundleID", .text).notNull()
        table.column("nonce", .text).notNull()
        table.primaryKey(["bundleID", "nonce"])
      }
    }
  }
}
