import GRDB

/// The tables of a store, except the table `store`.
enum StoreTables {
  /// The tables that a reset keeps: apps, products and the keys of the Server API.
  static let catalog = ["app", "product", "apiKey"]
  /// The tables that a reset empties. Each table comes after the tables that it references.
  static let trade = [
    "customer", "installation", "payment", "interruptedPurchase", "transactionRecord", "charge", "refund",
    "redelivery", "deviceChange", "orderedPurchase", "subscription", "subscriptionStep", "offerNonce",
    "storeEvent", "refundRequest", "consumptionInformation", "massExtension",
  ]

  /// The tables that ``Deletions/deleteAll()`` empties. Each table comes after the tables that it references.
  static let purchases = trade.filter { !["customer", "installation", "deviceChange"].contains($0) }

  /// The tables that a reset and a restored snapshot empty, and that no snapshot contains: what was made from events for
  /// others.
  static let outbox = ["notification", "notificationAttempt", "notificationHeader"]

  static func empty(_ tables: [String], in database: Database) throws {
    for table in tables.reversed() { try database.execute(sql: "DELETE FROM \(table.quotedDatabaseIdentifier)") }
  }

  /// Copies all rows of `tables` from `source` to `target`, in order.
  ///
  /// It copies rows instead of pages, so that other contents of the source file are not copied.
  static func copy(_ tables: [String], from source: Database, to target: Database) throws {
    for table in tables {
      let columns = try target.columns(in: table).map(\.name.quotedDatabaseIdentifier)
      let name = table.quotedDatabaseIdentifier
      let insertion = try target.makeStatement(
        sql: """
          INSERT INTO \(name) (\(columns.joined(separator: ", ")))
          VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
          """)
      let rows = try Row.fetchCursor(
        source, sql: "SELECT \(columns.joined(separator: ", ")) FROM \(name) ORDER BY rowid")
      while let row = try rows.next() {
        try insertion.execute(arguments: StatementArguments(row.databaseValues))
      }
    }
  }
}

extension FetchableRecord where Self: TableRecord {
  /// The row whose columns have these values. The compiled statement is cached: compiling it would take longer than the
  /// lookup.
  static func lookUp(_ columns: KeyValuePairs<String, String>, in database: Database) throws -> Self? {
    let condition = columns.map { "\($0.key) = ?" }.joined(separator: " AND ")
    let statement = try database.cachedStatement(sql: "SELECT * FROM \(databaseTableName) WHERE \(condition)")
    return try fetchOne(statement, arguments: StatementArguments(columns.map(\.value)))
  }
}
