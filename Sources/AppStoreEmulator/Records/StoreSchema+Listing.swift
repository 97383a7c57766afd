import Foundation
import GRDB

/// What the list of transactions is made from.
extension StoreSchema {
  static func registerListing(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("5 listing") { database in
      try database.alter(table: "transactionRecord") { table in
        table.add(column: "searchText", .text).notNull().defaults(to: "")
      }
      try fillSearchText(in: database)
      // Everything the list is asked by, in the list's order. The text comes last, so that what is not admitted for another
      // reason is passed over without reading it. New transactions are added at its end.
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
    // All at once: SQLite does not say what a walk through a table meets that is changed meanwhile.
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT sequence, transactionID, originalTransactionID, productID, account, applicationUsername, appAccountToken
        FROM transactionRecord
        """)
    for row in rows {
      // A snapshot's row may hold anything. Whether it can be read is looked at once it is up to date.
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
