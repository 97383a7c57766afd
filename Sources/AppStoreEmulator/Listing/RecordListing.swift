import GRDB
import StoreModel

extension EmulatedAppStore {
  /// The newest transactions, newest first.
  public func transactions(_ filter: BookFilter = BookFilter()) async throws -> [StoredTransaction] {
    try await database.read { try Self.transactions(filter, limit: filter.limit, in: $0) }
  }

  /// The newest transactions, newest first, and where the list goes on.
  public func transactionPage(_ filter: BookFilter = BookFilter()) async throws -> TransactionPage {
    let found = try await database.read { try Self.transactions(filter, limit: filter.limit + 1, in: $0) }
    let page = Array(found.prefix(filter.limit))
    return TransactionPage(transactions: page, next: found.count > page.count ? page.last?.sequence : nil)
  }

  /// How many transactions `filter` admits, on all pages.
  public func transactionCount(_ filter: BookFilter = BookFilter()) async throws -> Int {
    var filter = filter
    filter.before = nil
    let numbers = filter.transactionSequences
    return try await database.read {
      try SQLRequest<Int>("SELECT count(*) FROM (\(literal: numbers))").fetchOne($0) ?? 0
    }
  }

  /// One transaction, and what the books hold about it besides.
  ///
  /// - Parameter id: its own, or one under which it was delivered once more.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  public func transaction(_ id: TransactionID) async throws -> TransactionDetails {
    try await database.read { try Self.details(id, in: $0) }
  }

  static func details(_ id: TransactionID, in database: Database) throws -> TransactionDetails {
    let redelivery = try Redelivery.lookUp(["transactionID": id.rawValue], in: database)
    let id = redelivery?.recordID ?? id
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    return TransactionDetails(
      stored: stored, charge: try Charge.lookUp(["transactionID": id.rawValue], in: database),
      redeliveries: try Redelivery.fetchAll(
        database, sql: "SELECT * FROM redelivery WHERE recordID = ? ORDER BY sequence", arguments: [id.rawValue]),
      refunds: try Refund.fetchAll(
        database, sql: "SELECT * FROM refund WHERE transactionID = ? ORDER BY sequence", arguments: [id.rawValue]),
      shares: try StoredTransaction.fetchAll(
        database, sql: "SELECT * FROM transactionRecord WHERE sharedTransactionID = ? ORDER BY sequence",
        arguments: [id.rawValue]))
  }

  private static func transactions(
    _ filter: BookFilter, limit: Int, in database: Database
  ) throws -> [StoredTransaction] {
    try SQLRequest<StoredTransaction>(
      """
      SELECT * FROM transactionRecord
      WHERE sequence IN (\(literal: filter.transactionSequences) ORDER BY sequence DESC LIMIT \(limit)) ORDER BY sequence DESC
      """
    ).fetchAll(database)
  }

  /// The newest charges, newest first.
  public func charges(_ filter: BookFilter = BookFilter()) async throws -> [Charge] {
    let lines = filter.lines(of: "charge", numbered: "rowid")
    return try await database.read { try SQLRequest<Charge>(literal: lines).fetchAll($0) }
  }

  /// The newest refunds, newest first.
  public func refunds(_ filter: BookFilter = BookFilter()) async throws -> [Refund] {
    let lines = filter.lines(of: "refund", numbered: "sequence")
    return try await database.read { try SQLRequest<Refund>(literal: lines).fetchAll($0) }
  }
}
