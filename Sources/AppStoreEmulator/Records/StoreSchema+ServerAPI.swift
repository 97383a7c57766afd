import GRDB
import StoreModel

extension StoreSchema {
  /// Adds what the App Store Server API needs. Documentation/server-api.md describes it.
  static func registerServerAPI(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("22 server API") { database in
      try database.alter(table: "store") { table in
        table.add(column: "rateLimits", .boolean).notNull().defaults(to: false)
      }
      try database.create(table: "apiKey") { table in
        table.primaryKey("keyID", .text)
        table.column("issuerID", .text).notNull()
        table.column("publicKey", .blob).notNull()
        table.column("date", .integer).notNull()
      }
      try database.create(indexOn: "app", columns: ["issuerID"])
      // Finds a customer by an appTransactionId.
      try database.create(indexOn: "transactionRecord", columns: ["appTransactionID"])
      // Orders are looked up in production only.
      try database.create(
        index: "chargeOrder", on: "charge", columns: ["orderID"],
        condition: Column("environment") == StoreEnvironment.production.rawValue)
      try database.create(table: "refundRequest") { table in
        table.autoIncrementedPrimaryKey("number")
        table.column("transactionID", .text).notNull().references("transactionRecord", column: "transactionID")
        table.column("reason", .text).notNull()
        table.column("date", .integer).notNull()
        table.column("outcome", .text)
        table.column("percentage", .integer)
        table.column("decisionDate", .integer)
      }
      try database.create(indexOn: "refundRequest", columns: ["transactionID"])
      try database.create(table: "consumptionInformation") { table in
        table.primaryKey("transactionID", .text).references("transactionRecord", column: "transactionID")
        table.column("version", .integer).notNull()
        table.column("content", .text).notNull()
        table.column("date", .integer).notNull()
      }
      try database.create(table: "massExtension") { table in
        table.autoIncrementedPrimaryKey("number")
        table.column("environment", .text).notNull()
        table.column("bundleID", .text).notNull().references("app")
        table.column("requestIdentifier", .text).notNull()
        table.column("productID", .text).notNull()
        table.column("days", .integer).notNull()
        table.column("reason", .integer).notNull()
        table.column("storefronts", .text)
        table.column("date", .integer).notNull()
        table.column("dueDate", .integer)
        table.column("cursor", .text).notNull()
        table.column("succeededCount", .integer).notNull()
        table.column("failedCount", .integer).notNull()
        table.column("completeDate", .integer)
        table.uniqueKey(["bundleID", "environment", "requestIdentifier"])
      }
      try database.create(
        index: "massExtensionDue", on: "massExtension", columns: ["dueDate"], condition: Column("dueDate") != nil)
    }
    migrator.registerMigration("23 subscribers of a product") { database in
      try database.execute(
        sql: """
          CREATE INDEX subscriptionOfProduct
          ON subscription (bundleID, environment, \(activeProduct), originalTransactionID)
          WHERE \(activeProduct) IS NOT NULL
          """)
      // Not unique: an earlier version compared identifiers with letter case.
      try database.execute(
        sql: """
          CREATE INDEX massExtensionIdentifier
          ON massExtension (bundleID, environment, requestIdentifier COLLATE NOCASE)
          """)
    }
  }

  /// The product of an active subscription, as an expression of the index `subscriptionOfProduct`; null for other subscriptions. A
  /// query uses the index only if it has the same expression, so a change needs a migration.
  static let activeProduct = """
    CASE WHEN json_valid(state) THEN CASE json_extract(state, '$.state') WHEN 'active' \
    THEN json_extract(state, '$.productID') END END
    """
}
