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
      // It was verified before it was stored.
      try DeviceTransactionTable.keep(DeviceTransaction(transaction, in: jws), in: database)
      try database.execute(
        sql: "UPDATE queueEntry SET signedTransactionID = ? WHERE sequence = ?",
        arguments: [transaction.transactionID.rawValue, row["sequence"] as Int64])
    }
  }
}
