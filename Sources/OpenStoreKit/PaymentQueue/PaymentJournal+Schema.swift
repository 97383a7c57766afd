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
    return migrator
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
