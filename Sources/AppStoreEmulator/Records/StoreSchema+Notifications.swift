import GRDB

extension StoreSchema {
  /// Adds the outbox of server notifications, and the addresses to which they are sent. Documentation/server-notifications.md
  /// describes both. Earlier events cause no notifications.
  static func registerNotifications(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("21 notifications") { database in
      try database.alter(table: "app") { table in
        table.add(column: "productionNotificationURL", .text)
        table.add(column: "sandboxNotificationURL", .text)
      }
      try database.alter(table: "store") { table in
        table.add(column: "notificationURL", .text)
      }
      try database.create(table: "notificationHeader") { table in
        table.autoIncrementedPrimaryKey("number")
        table.column("header", .text).notNull().unique()
      }
      try database.create(table: "notification") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("uuid", .text).notNull().unique()
        table.column("environment", .text).notNull()
        table.column("bundleID", .text).notNull()
        table.column("account", .text)
        table.column("type", .text).notNull()
        table.column("subtype", .text)
        table.column("transactionID", .text)
        table.column("originalTransactionID", .text)
        table.column("date", .integer).notNull()
        table.column("signedDate", .integer).notNull()
        table.column("payload", .text).notNull()
        table.column("transactionInfo", .text)
        table.column("renewalInfo", .text)
        table.column("header", .integer)
        table.column("signatures", .text)
        table.column("dueDate", .integer)
        table.column("isDelivered", .boolean).notNull()
      }
      try database.create(table: "notificationAttempt") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("notification", .integer).notNull().references("notification", onDelete: .cascade)
        table.column("date", .integer).notNull()
        table.column("result", .text).notNull()
        table.column("url", .text).notNull()
        table.column("httpStatus", .integer)
        table.column("detail", .text)
        table.column("answer", .text)
      }
      try database.create(indexOn: "notificationAttempt", columns: ["notification"])
      // The worker reads the attempts that are due in this order.
      try database.execute(
        sql: """
          CREATE INDEX notificationDue ON notification (bundleID, environment, dueDate, sequence)
          WHERE dueDate IS NOT NULL
          """)
      // Ended notifications are removed and counted without reading their rows.
      try database.execute(
        sql: "CREATE INDEX notificationEnded ON notification (isDelivered, date) WHERE dueDate IS NULL")
      // The history of an app.
      try database.create(
        index: "notificationOfApp", on: "notification", columns: ["bundleID", "environment", "date", "sequence"])
      try database.create(
        index: "notificationOfCustomer", on: "notification",
        columns: ["account", "bundleID", "environment", "sequence"],
        condition: Column("account") != nil)
      try database.execute(
        sql: """
          INSERT INTO projection
          SELECT '\(Projection.notifications.rawValue)', coalesce(max(seq), 0), 0 FROM sqlite_sequence
          WHERE name = 'storeEvent'
          """)
    }
  }
}
