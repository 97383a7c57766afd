import GRDB
import StoreModel

extension StoreUnitOfWork {
  var listing: RecordListing { RecordListing(work: self) }
}

/// Lists transactions, charges and refunds, newest first.
struct RecordListing {
  let work: StoreUnitOfWork

  func transactions(_ filter: RecordFilter, limit: Int? = nil) throws -> [StoredTransaction] {
    try SQLRequest<StoredTransaction>(
      """
      SELECT * FROM transactionRecord
      WHERE sequence IN (\(literal: filter.transactionSequences) ORDER BY sequence DESC LIMIT \(limit ?? filter.limit))
      ORDER BY sequence DESC
      """
    ).fetchAll(work.database)
  }

  func transactionPage(_ filter: RecordFilter) throws -> TransactionPage {
    let found = try transactions(filter, limit: filter.limit + 1)
    let page = Array(found.prefix(filter.limit))
    return TransactionPage(transactions: page, next: found.count > page.count ? page.last?.sequence : nil)
  }

  /// The number of transactions on all pages.
  func transactionCount(_ filter: RecordFilter) throws -> Int {
    var filter = filter
    filter.before = nil
    // Only in this form, SQLite counts the entries of its smallest index without reading each one.
    if filter == RecordFilter(limit: filter.limit) {
      return try Int.fetchOne(work.database, sql: "SELECT count(*) FROM transactionRecord") ?? 0
    }
    return try SQLRequest<Int>("SELECT count(*) FROM (\(literal: filter.transactionSequences))")
      .fetchOne(work.database) ?? 0
  }

  /// One transaction, by its id or by the id of a redelivery.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  func details(_ id: TransactionID) throws -> TransactionDetails {
    let database = work.database
    let redelivery = try Redelivery.lookUp(["transactionID": id.rawValue], in: database)
    let id = redelivery?.recordID ?? id
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    let redeliveries: [Redelivery] = try newest("redelivery", "recordID", id)
    let refunds: [Refund] = try newest("refund", "transactionID", id)
    let shares: [StoredTransaction] = try newest("transactionRecord", "sharedTransactionID", id)
    let limit = TransactionDetails.largestNumber
    return TransactionDetails(
      stored: stored, charge: try Charge.lookUp(["transactionID": id.rawValue], in: database),
      redeliveries: redeliveries.suffix(limit), refunds: refunds.suffix(limit), shares: shares.suffix(limit),
      hasOlder: max(redeliveries.count, refunds.count, shares.count) > limit)
  }

  /// The newest rows of a transaction, oldest first: one more than ``TransactionDetails/largestNumber`` if there are.
  private func newest<Record: FetchableRecord>(
    _ table: String, _ column: String, _ id: TransactionID
  ) throws -> [Record] {
    try Record.fetchAll(
      work.database, sql: "SELECT * FROM \(table) WHERE \(column) = ? ORDER BY sequence DESC LIMIT ?",
      arguments: [id.rawValue, TransactionDetails.largestNumber + 1]
    ).reversed()
  }

  func charges(_ filter: RecordFilter) throws -> RecordPage<Charge> {
    try page(filter, filter.rows(of: "charge", numbered: "rowid"))
  }

  func refunds(_ filter: RecordFilter) throws -> RecordPage<Refund> {
    try page(filter, filter.rows(of: "refund", numbered: "sequence"))
  }

  private func page<Record: FetchableRecord & Hashable & Sendable>(
    _ filter: RecordFilter, _ rows: SQL
  ) throws -> RecordPage<Record> {
    let found = try SQLRequest<Row>(literal: rows).fetchAll(work.database)
    let page = found.prefix(filter.limit)
    return RecordPage(
      records: try page.map(Record.init(row:)), next: found.count > page.count ? page.last?["recordNumber"] : nil)
  }
}
