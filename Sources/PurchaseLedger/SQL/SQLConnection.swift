/// A database connection inside a transaction. Only one thread at a time may use it.
///
/// Each distinct SQL text is prepared once and cached. So values must be passed as arguments, never written into the text.
public protocol SQLConnection: AnyObject {
  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - sql: the statement, with `$1`, `$2` … for its arguments.
  ///   - arguments: one value for each `$n`.
  /// - Returns: the result rows, and the number of changed rows.
  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer

  /// Runs one statement whose result is not needed. The statement runs before the next statement and before the commit.
  ///
  /// A connection to a database server may send the statement together with the next one. If the statement then fails,
  /// a later call throws its error.
  func runLater(_ sql: String, _ arguments: [SQLValue]) throws
}

extension SQLConnection {
  public func runLater(_ sql: String, _ arguments: [SQLValue]) throws { _ = try run(sql, arguments) }
}

/// The result of a statement.
public struct SQLAnswer: Sendable {
  public let rows: [SQLRow]
  /// The number of rows that were inserted, updated or deleted; 0 for a statement that only reads.
  public let changes: Int

  public init(rows: [SQLRow], changes: Int) {
    self.rows = rows
    self.changes = changes
  }
}
