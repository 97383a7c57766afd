/// An open transaction of a ledger's database.
///
/// The queries and updates are extensions, in the folder of the type that they concern.
public final class LedgerTransaction {
  /// Only for this type, and for tests, which count the statements of a transaction. Everything else uses the methods below, which
  /// end a cancelled transaction.
  let connection: any SQLConnection
  /// The locks that are held. Nil if none are needed: the transaction only reads, or the database has a single writer.
  /// Only for ``require(_:)``, and for tests.
  let locks: Set<LedgerLock>?
  /// When and why this transaction changes rows, for their events; nil if no rule has said it.
  var change: LedgerChange?
  private let cancellation: TransactionCancellation?

  /// - Parameter cancellation: ends the transaction at its next statement; nil if it must not end early.
  public init(
    _ connection: any SQLConnection, holding locks: Set<LedgerLock>? = nil,
    cancellation: TransactionCancellation? = nil
  ) {
    self.connection = connection
    self.locks = locks
    self.cancellation = cancellation
  }

  /// Makes sure that the transaction holds the given locks. If one is missing, the write is undone and starts again with it.
  ///
  /// Call this before reading anything that the locks protect.
  func require(_ wanted: LedgerLock...) throws { try require(Set(wanted)) }

  /// Makes sure that the transaction holds all locks of a set.
  func require(_ wanted: Set<LedgerLock>) throws {
    guard let locks, !locks.isSuperset(of: wanted) else { return }
    throw LedgerLocksMissing(locks: wanted)
  }

  package func rows(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> [SQLRow] {
    try rows(sql, arguments: arguments.map(\.sqlValue))
  }

  func rows(_ sql: String, arguments: [SQLValue]) throws -> [SQLRow] {
    try cancellation?.check()
    return try connection.run(sql, arguments).rows
  }

  /// Returns the first row, or nil if there are no rows.
  func row(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> SQLRow? {
    try cancellation?.check()
    return try connection.run(sql, arguments.map(\.sqlValue)).rows.first
  }

  /// Runs a statement at the latest with the next one, or when its answer is read. The answer must be a few short rows.
  ///
  /// PostgreSQL runs statements that are sent together one after the other, each with its own snapshot.
  func later(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> PendingAnswer {
    try cancellation?.check()
    return try connection.runLater(sql, arguments.map(\.sqlValue))
  }

  /// Runs a statement that changes rows, at the latest with the next statement or the commit. If the statement fails,
  /// this call, the next call or the commit throws the error.
  func executeLater(_ sql: String, _ arguments: any SQLValueConvertible...) throws {
    try cancellation?.check()
    try connection.runLater(sql, arguments.map(\.sqlValue))
  }

  /// Runs a statement that changes rows.
  ///
  /// - Returns: the number of changed rows.
  @discardableResult
  func execute(_ sql: String, _ arguments: any SQLValueConvertible...) throws -> Int {
    try cancellation?.check()
    return try connection.run(sql, arguments.map(\.sqlValue)).changes
  }
}
