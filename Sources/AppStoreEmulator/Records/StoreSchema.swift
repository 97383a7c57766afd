import GRDB

/// The store's tables, as Documentation/storage.md describes them.
enum StoreSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 purchases") { database in
      try database.create(table: "store") { table in
        table.primaryKey("id", .integer).check { $0 == 1 }
        table.column("epoch", .text).notNull()
        table.column("seed", .integer).notNull()
        table.column("quoteKey", .blob).notNull()
        table.column("nextSequence", .integer).notNull()
        table.column("lastDate", .integer).notNull()
        table.column("lastSignedDate", .integer).notNull()
      }
      try database.create(table: "app") { table in
        table.primaryKey("bundleID", .text)
        table.column("appAppleID", .integer).notNull()
        table.column("sharedSecret", .text).notNull()
        table.column("issuerID", .text).notNull()
        table.column("catalogLocale", .text)
      }
      try database.create(table: "product") { table in
        table.column("bundleID", .text).notNull().references("app", onDelete: .cascade)
        table.column("productID", .text).notNull()
        table.column("position", .integer).notNull()
        table.column("definition", .text).notNull()
        table.primaryKey(["bundleID", "productID"])
      }
      try database.create(table: "customer") { table in
        table.column("environment", .text).notNull()
        table.column("name", .text).notNull()
        table.column("password", .text)
        table.column("storefrontCountryCode", .text).notNull()
        table.column("paymentMethod", .text).notNull()
        table.primaryKey(["environment", "name"])
      }
      try database.create(table: "installation") { table in
        table.primaryKey("installationID", .text)
        table.column("bundleID", .text).notNull().references("app")
        table.column("environment", .text).notNull()
        table.column("deviceID", .text).notNull()
        table.column("applicationVersion", .text).notNull()
        table.column("originalApplicationVersion", .text).notNull()
        table.column("account", .text)
        table.column("registrationDate", .integer).notNull()
      }
      try database.create(table: "payment") { table in
        table.column("installationID", .text).notNull().references("installation")
        table.column("paymentID", .text).notNull()
        table.column("request", .text).notNull()
        table.column("account", .text).notNull()
        table.column("decisionDate", .integer).notNull()
        table.column("transactionID", .text)
        table.column("refusal", .text)
        table.primaryKey(["installationID", "paymentID"])
        table.check(sql: "(transactionID IS NULL) <> (refusal IS NULL)")
      }
      try createTransactionRecord(in: database)
      try database.create(table: "charge") { table in
        table.primaryKey("transactionID", .text)
        table.column("environment", .text).notNull()
        table.column("account", .text).notNull()
        table.column("bundleID", .text).notNull()
        table.column("productID", .text).notNull()
        table.column("amount", .integer).notNull()
        table.column("currency", .text).notNull()
        table.column("date", .integer).notNull()
      }
      try database.create(indexOn: "charge", columns: ["environment", "account"])
    }
    migrator.registerMigration("2 approvals and changes") { database in
      try allowWaitingPayments(in: database)
      try database.create(table: "interruptedPurchase") { table in
        table.column("installationID", .text).notNull()
        table.column("paymentID", .text).notNull()
        table.primaryKey(["installationID", "paymentID"])
        table.foreignKey(["installationID", "paymentID"], references: "payment")
      }
      try database.create(table: "deviceChange") { table in
        // AUTOINCREMENT, so that a cursor is never used again for another change.
        table.autoIncrementedPrimaryKey("sequence")
        table.column("installationID", .text).notNull().references("installation")
        table.column("kind", .text).notNull()
        table.column("productIDs", .text).notNull()
      }
      try database.create(indexOn: "deviceChange", columns: ["installationID", "sequence"])
      try database.alter(table: "customer") { table in
        table.add(column: "needsApproval", .boolean).notNull().defaults(to: false)
      }
      try database.alter(table: "store") { table in
        table.add(column: "generation", .integer).notNull().defaults(to: 0)
        table.add(column: "firstChange", .integer).notNull().defaults(to: 0)
      }
    }
    migrator.registerMigration("3 lives and sales") { database in
      try database.alter(table: "store") { table in
        table.add(column: "isSeeded", .boolean).notNull().defaults(to: false)
        table.add(column: "storefrontCountryCode", .text).notNull().defaults(to: "USA")
      }
      try database.alter(table: "installation") { table in
        table.add(column: "isRegistered", .boolean).notNull().defaults(to: true)
      }
      try database.alter(table: "product") { table in
        table.add(column: "isOnSale", .boolean).notNull().defaults(to: true)
      }
    }
    migrator.registerMigration("4 ownership") { database in
      try database.create(table: "redelivery") { table in
        table.primaryKey("sequence", .integer)
        table.column("transactionID", .text).notNull().unique()
        table.column("recordID", .text).notNull().references("transactionRecord", column: "transactionID")
        table.column("installationID", .text).notNull().references("installation")
        table.column("paymentID", .text)
        table.column("applicationUsername", .text)
        table.column("date", .integer).notNull()
        table.column("finishedDate", .integer)
      }
      try database.create(
        index: "redeliveryUnfinished", on: "redelivery", columns: ["installationID", "sequence"],
        condition: Column("finishedDate") == nil)
      try database.create(table: "refund") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("transactionID", .text).notNull().references("transactionRecord", column: "transactionID")
        table.column("environment", .text).notNull()
        table.column("account", .text).notNull()
        table.column("bundleID", .text).notNull()
        table.column("productID", .text).notNull()
        table.column("amount", .integer).notNull()
        table.column("currency", .text).notNull()
        table.column("date", .integer).notNull()
      }
      try database.create(indexOn: "refund", columns: ["transactionID"])
      try database.alter(table: "transactionRecord") { table in
        table.add(column: "sharedTransactionID", .text)
      }
      try database.create(
        index: "transactionRecordShared", on: "transactionRecord", columns: ["sharedTransactionID"],
        condition: Column("sharedTransactionID") != nil)
      // Finds an account's transactions of one product without scanning its subscription history.
      try database.execute(
        sql: """
          CREATE INDEX transactionRecordHeld ON transactionRecord (account, bundleID, environment, productID, sequence)
          WHERE type <> 'Consumable'
          """)
      try database.create(
        index: "transactionRecordOriginal", on: "transactionRecord", columns: ["originalTransactionID"])
      try database.alter(table: "customer") { table in
        table.add(column: "family", .text)
      }
      try database.alter(table: "store") { table in
        table.add(column: "receiptFloor", .integer).notNull().defaults(to: 0)
      }
      try database.create(
        index: "customerFamily", on: "customer", columns: ["environment", "family"],
        condition: Column("family") != nil)
    }
    registerListing(in: &migrator)
    registerCustomerNumbers(in: &migrator)
    registerOrdering(in: &migrator)
    registerDueDates(in: &migrator)
    registerSubscriptions(in: &migrator)
    registerCustomerRecords(in: &migrator)
    registerSettings(in: &migrator)
    registerReferences(in: &migrator)
    registerEvents(in: &migrator)
    registerOrderIDs(in: &migrator)
    registerFinishes(in: &migrator)
    registerNotifications(in: &migrator)
    registerServerAPI(in: &migrator)
    registerWaitingPayments(in: &migrator)
    registerStoreKit2(in: &migrator)
    return migrator
  }

  /// Allows payments without an outcome. SQLite cannot change a `CHECK` constraint, so the table is rebuilt.
  private static func allowWaitingPayments(in database: Database) throws {
    try database.rename(table: "payment", to: "oldPayment")
    try database.create(table: "payment") { table in
      table.column("installationID", .text).notNull().references("installation")
      table.column("paymentID", .text).notNull()
      table.column("request", .text).notNull()
      table.column("account", .text).notNull()
      table.column("quote", .text)
      table.column("decisionDate", .integer).notNull()
      table.column("transactionID", .text)
      table.column("refusal", .text)
      table.primaryKey(["installationID", "paymentID"])
      table.check(sql: "transactionID IS NULL OR refusal IS NULL")
    }
    try database.execute(
      sql: """
        INSERT INTO payment (installationID, paymentID, request, account, decisionDate, transactionID, refusal)
        SELECT installationID, paymentID, request, account, decisionDate, transactionID, refusal FROM oldPayment
        ORDER BY rowid
        """)
    try database.drop(table: "oldPayment")
    try database.create(
      index: "paymentWaiting", on: "payment", columns: ["decisionDate"],
      condition: Column("transactionID") == nil && Column("refusal") == nil)
  }

  private static func createTransactionRecord(in database: Database) throws {
    try database.create(table: "transactionRecord") { table in
      table.primaryKey("sequence", .integer)
      table.column("environment", .text).notNull()
      table.column("bundleID", .text).notNull()
      table.column("transactionID", .text).notNull().unique()
      table.column("originalTransactionID", .text).notNull()
      table.column("webOrderLineItemID", .text)
      table.column("productID", .text).notNull()
      table.column("type", .text).notNull()
      table.column("itemID", .integer).notNull()
      table.column("subscriptionGroupID", .text)
      table.column("purchaseDate", .integer).notNull()
      table.column("originalPurchaseDate", .integer).notNull()
      table.column("expiresDate", .integer)
      table.column("quantity", .integer).notNull()
      table.column("price", .integer).notNull()
      table.column("currency", .text).notNull()
      table.column("storefrontCountryCode", .text).notNull()
      table.column("storefrontID", .text).notNull()
      table.column("reason", .text).notNull()
      table.column("appTransactionID", .text).notNull()
      table.column("appAccountToken", .text)
      table.column("applicationUsername", .text)
      table.column("ownership", .text).notNull()
      table.column("revocationDate", .integer)
      table.column("revocationReason", .integer)
      table.column("revocationType", .text)
      table.column("revocationPercentage", .integer)
      table.column("isUpgraded", .boolean).notNull()
      table.column("offerType", .integer)
      table.column("offerIdentifier", .text)
      table.column("offerDiscountType", .text)
      table.column("offerPeriod", .text)
      table.column("billingPlanType", .text)
      table.column("commitment", .text)
      table.column("previousOriginalTransactionID", .text)
      table.column("revokedSeatQuantity", .integer)
      table.column("invitationManagement", .text)
      table.column("advancedCommerceInfo", .text)

      table.column("account", .text).notNull()
      table.column("installationID", .text)
      table.column("paymentID", .text)
      table.column("finishedDate", .integer)
    }
    try database.create(
      index: "transactionRecordOnOwner", on: "transactionRecord", columns: ["account", "bundleID", "environment"])
    // Contains only unfinished transactions, because a device requests these at every launch.
    try database.execute(
      sql: """
        CREATE INDEX transactionRecordUnfinished ON transactionRecord (installationID, sequence) WHERE finishedDate IS NULL
        """)
    try database.execute(
      sql: """
        CREATE INDEX transactionRecordLasting ON transactionRecord (account, bundleID, environment, sequence)
        WHERE type <> 'Consumable'
        """)
  }
}
