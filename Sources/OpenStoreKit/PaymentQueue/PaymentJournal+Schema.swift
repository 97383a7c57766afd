import GRDB
import SignedData

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
    migrator.registerMigration("4 transactions") { database in
      try database.alter(table: "installation") { table in
        table.add(column: "account", .text)
      }
      try database.alter(table: "queueEntry") { table in
        table.add(column: "signedTransactionID", .text)
      }
      try database.create(
        index: "queueEntrySignedTransaction", on: "queueEntry", columns: ["signedTransactionID"],
        condition: Column("signedTransactionID") != nil)
      try database.create(table: "signatureHeader") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("header", .text).notNull().unique()
      }
      try database.create(table: "deviceTransaction") { table in
        table.primaryKey("transactionID", .text)
        table.column("originalTransactionID", .text).notNull().indexed()
        table.column("productID", .text).notNull()
        table.column("type", .text)
        table.column("purchaseDate", .integer).notNull()
        table.column("revocationDate", .integer)
        table.column("signedDate", .integer).notNull()
        table.column("account", .text)
        table.column("headerID", .integer).notNull().indexed().references("signatureHeader")
        table.column("payload", .text).notNull()
        table.column("signature", .text).notNull()
      }
      try database.create(
        index: "deviceTransactionDate", on: "deviceTransaction", columns: ["purchaseDate", "transactionID"])
      try database.create(
        index: "deviceTransactionConsumable", on: "deviceTransaction", columns: ["purchaseDate", "transactionID"],
        condition: Column("type") == "Consumable")
      try keepTransactionsOfEntries(in: database)
    }
    migrator.registerMigration("5 changes of transactions") { database in
      try database.alter(table: "installation") { table in
        table.add(column: "transactionRevision", .text)
      }
      try database.alter(table: "deviceTransaction") { table in
        table.add(column: "revision", .integer)
        table.add(column: "isUndelivered", .boolean).notNull().defaults(to: false)
      }
      try database.drop(index: "deviceTransactionConsumable")
      try database.execute(
        sql: """
          CREATE INDEX deviceTransactionConsumable
          ON deviceTransaction (revocationDate IS NOT NULL, purchaseDate, transactionID) WHERE type = 'Consumable'
          """)
    }
    migrator.registerMigration("6 StoreKit 2") { database in
      try database.alter(table: "installation") { table in
        table.add(column: "usesStoreKit2", .boolean).notNull().defaults(to: false)
        table.add(column: "hasHistory", .boolean).notNull().defaults(to: false)
        table.add(column: "storeDate", .integer)
        table.add(column: "machineDate", .integer)
        table.add(column: "appTransaction", .text)
      }
      // All transactions come again, with a device proof.
      try database.execute(sql: "UPDATE installation SET transactionRevision = NULL")
      try database.alter(table: "queueEntry") { table in
        table.add(column: "interface", .integer)
      }
      try database.alter(table: "deviceTransaction") { table in
        table.add(column: "announcement", .integer)
        table.add(column: "subscriptionGroupID", .text)
        table.add(column: "expiresDate", .integer)
        table.add(column: "isUpgraded", .boolean).notNull().defaults(to: false)
        table.add(column: "isShared", .boolean).notNull().defaults(to: false)
        table.add(column: "offerType", .integer)
      }
      try database.create(
        index: "deviceTransactionAnnouncement", on: "deviceTransaction", columns: ["announcement"],
        condition: Column("announcement") != nil)
      try database.create(
        index: "deviceTransactionGroup", on: "deviceTransaction", columns: ["subscriptionGroupID"],
        condition: Column("subscriptionGroupID") != nil)
      try fillInSubscriptionColumns(in: database)
      try database.create(table: "subscriptionStatus") { table in
        table.primaryKey("originalTransactionID", .text)
        table.column("groupID", .text).notNull()
        table.column("transactionID", .text).notNull()
        table.column("state", .integer).notNull()
        table.column("headerID", .integer).notNull().indexed().references("signatureHeader")
        table.column("payload", .text).notNull()
        table.column("signature", .text).notNull()
        table.column("signedDate", .integer).notNull()
        table.column("account", .text).notNull()
      }
      try database.create(table: "pendingMessage") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("reason", .integer).notNull()
        table.column("originalTransactionID", .text).notNull()
        table.column("subject", .text).notNull()
        table.column("isDelivered", .boolean).notNull().defaults(to: false)
        table.uniqueKey(["reason", "originalTransactionID", "subject"])
      }
      try database.create(table: "pendingIntent") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("productID", .text).notNull()
        table.column("offerIdentifier", .text).notNull()
        table.column("offer", .text)
        table.uniqueKey(["productID", "offerIdentifier"])
      }
    }
    return migrator
  }

  /// Sets the columns of migration 6 from the signed payloads. A row whose payload cannot be read keeps the defaults.
  private static func fillInSubscriptionColumns(in database: Database) throws {
    let rows = try Row.fetchCursor(database, sql: "SELECT transactionID, payload FROM deviceTransaction")
    var columns: [(id: String, SignedTransaction)] = []
    while let row = try rows.next() {
      guard let payload = try? JWSPayload.bytes(row["payload"] as String),
        let transaction = try? SignedTransaction(payload: payload)
      else { continue }
      let hasDefaults =
        transaction.subscriptionGroupID == nil && transaction.expiresDate == nil && !transaction.isUpgraded
        && transaction.ownership != .familyShared && transaction.rawOfferType == nil
      if !hasDefaults { columns.append((row["transactionID"], transaction)) }
    }
    for (id, transaction) in columns {
      try database.execute(
        sql: """
          UPDATE deviceTransaction SET subscriptionGroupID = ?, expiresDate = ?, isUpgraded = ?, isShared = ?, offerType = ?
          WHERE transactionID = ?
          """,
        arguments: [
          transaction.subscriptionGroupID?.rawValue, transaction.expiresDate?.millisecondsSince1970,
          transaction.isUpgraded, transaction.ownership == .familyShared, transaction.rawOfferType, id,
        ])
    }
  }

  /// Stores the verified transactions that the entries contain. An entry that cannot be read stays as it is.
  private static func keepTransactionsOfEntries(in database: Database) throws {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT sequence, coalesce(
          json_extract(state, '$.purchased._0.signedTransaction'),
          json_extract(state, '$.restored._0.signedTransaction')) AS jws
        FROM queueEntry WHERE stage IN ('purchased', 'restored') AND json_valid(state)
        """)
    for row in rows {
      guard let jws = row["jws"] as String?, let transaction = try? UnverifiedJWS(jws).transaction() else { continue }
      let parts = jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3 else { continue }
      // It was verified before it was stored.
      try keep(transaction, parts, in: database)
      try database.execute(
        sql: "UPDATE queueEntry SET signedTransactionID = ? WHERE sequence = ?",
        arguments: [transaction.transactionID.rawValue, row["sequence"] as Int64])
    }
  }

  /// Stores a transaction in the tables of migration 4. Two entries may have the same one.
  private static func keep(_ transaction: SignedTransaction, _ parts: [String], in database: Database) throws {
    try database.execute(sql: "INSERT OR IGNORE INTO signatureHeader (header) VALUES (?)", arguments: [parts[0]])
    try database.execute(
      sql: """
        INSERT INTO deviceTransaction (transactionID, originalTransactionID, productID, type, purchaseDate,
          revocationDate, signedDate, headerID, payload, signature)
        VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM signatureHeader WHERE header = ?), ?, ?)
        ON CONFLICT (transactionID) DO UPDATE SET
          revocationDate = excluded.revocationDate, signedDate = excluded.signedDate, headerID = excluded.headerID,
          payload = excluded.payload, signature = excluded.signature
        WHERE excluded.signedDate >= signedDate
        """,
      arguments: [
        transaction.transactionID.rawValue, transaction.originalTransactionID.rawValue, transaction.productID.rawValue,
        transaction.type?.rawValue, transaction.purchaseDate.millisecondsSince1970,
        transaction.revocationDate?.millisecondsSince1970, transaction.signedDate.millisecondsSince1970,
        parts[0], parts[1], parts[2],
      ])
  }
}
