import GRDB

/// The tables of a store, except the table `store`.
enum StoreTables {
  /// The tables that a reset keeps: apps and products.
  static let catalog = ["app", "product"]
  /// The tables that a reset empties. Each table comes after the tables that it references.
  static let trade = [
    "customer", "installation", "payment", "interruptedPurchase", "transactionRecord", "charge", "refund",
    "redelivery", "deviceChange", "orderedPurchase", "subscription", "subscriptionStep", "offerNonce",
  ]

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

  /// Reads every row, and throws at the first that cannot be decoded or that `check` refuses.
  ///
  /// - Parameter check: is called with each row except the store's own, and with its table and number.
  static func readThrough(_ database: Database, _ check: (_ row: Any, _ path: String) throws -> Void) throws {
    func read<Record: FetchableRecord & TableRecord>(_ type: Record.Type) throws {
      let rows = try Row.fetchCursor(database, Record.all())
      // A copy of the row, because values that are read directly from SQLite are converted without type checks.
      var number = 0
      while let row = try rows.next() {
        number += 1
        let record = try Record(row: row.copy())
        if type != StoreRow.self { try check(record, "\(Record.databaseTableName) \(number)") }
      }
    }
    try read(StoreRow.self)
    try read(StoreApp.self)
    try read(ProductRow.self)
    try read(Customer.self)
    try read(Installation.self)
    try read(PaymentRow.self)
    try read(InterruptedPurchase.self)
    try read(StoredTransaction.self)
    try read(Charge.self)
    try read(Refund.self)
    try read(Redelivery.self)
    try read(DeviceChangeRow.self)
    try read(OperatorPurchaseRow.self)
    try read(SubscriptionRow.self)
    try read(SubscriptionStepRow.self)
  }
}
