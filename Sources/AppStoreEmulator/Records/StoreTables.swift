import GRDB

/// The tables of a store, apart from the one row that says which store it is.
enum StoreTables {
  /// What a reset keeps: what is sold.
  static let catalog = ["app", "product"]
  /// What a reset empties. Each table comes after those it refers to.
  static let trade = [
    "customer", "installation", "payment", "interruptedPurchase", "transactionRecord", "charge", "refund",
    "redelivery", "deviceChange", "orderedPurchase",
  ]

  static func empty(_ tables: [String], in database: Database) throws {
    for table in tables.reversed() { try database.execute(sql: "DELETE FROM \(table.quotedDatabaseIdentifier)") }
  }

  /// Copies every row of `tables` from `source` to `target`, in order.
  ///
  /// Rows are copied rather than pages, so that whatever else is in the source's file stays there.
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

  /// Reads every row, and gives up at the first that cannot be understood.
  static func readThrough(_ database: Database) throws {
    func read<Record: FetchableRecord & TableRecord>(_ type: Record.Type) throws {
      let rows = try Row.fetchCursor(database, Record.all())
      // A copy, because what is read straight from SQLite is converted, whatever it was.
      while let row = try rows.next() { _ = try Record(row: row.copy()) }
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
    try read(OrderedPurchase.self)
  }
}
