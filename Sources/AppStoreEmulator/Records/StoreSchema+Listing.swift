import Foundation
import GRDB

/// Adds the search text and the indexes of the transaction list.
extension StoreSchema {
  static func registerListing(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("5 listing") { database in
      try database.alter(table: "transactionRecord") { table in
        table.add(column: "searchText", .text).notNull().defaults(to: "")
      }
      try fillSearchText(in: database)
      // Contains all columns of the list's filter, in the order of the list. The search text is last, so that rows
      // excluded by other columns are skipped without reading it. New transactions are added at the end of the index.
      try database.create(
        index: "transactionRecordListed", on: "transactionRecord",
        columns: [
          "sequence", "environment", "bundleID", "account", "productID", "finishedDate", "revocationDate", "searchText",
        ])
      try database.create(index: "redeliveryOfRecord", on: "redelivery", columns: ["recordID"])
      try database.alter(table: "payment") { table in
        table.add(column: "approvalDate", .integer)
      }
    }
  }

  private static func fillSearchText(in database: Database) throws {
    let update = try database.makeStatement(sql: "UPDATE transactionRecord SET searchText = ? WHERE sequence = ?")
    // Fetches all rows first, because SQLite does not define which rows a cursor returns when the table changes
    // meanwhile.
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT sequence, transactionID, originalTransactionID, productID, account, applicationUsername, appAccountToken
        FROM transactionRecord
        """)
    for row in rows {
      // A row of a snapshot may contain invalid values. They are checked after the migration.
      func text(_ column: String) -> String? { String.fromDatabaseValue(row[column]) }
      let searchText = SearchText.of(
        transactionID: text("transactionID") ?? "", originalTransactionID: text("originalTransactionID") ?? "",
        productID: text("productID") ?? "", account: text("account") ?? "",
        applicationUsername: text("applicationUsername"),
        appAccountToken: UUID.fromDatabaseValue(row["appAccountToken"]))
      try update.execute(arguments: [searchText, row["sequence"] as DatabaseValue])
    }
  }
}
