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

  /// Runs one statement, now or later: at the latest when its answer is read, or before the next ``run(_:_:)`` or the
  /// commit, whichever comes first.
  ///
  /// A connection to a server may send the statement together with the next one. If the statement fails, the call that
  /// sends it, or a later one, throws the error. The answer must be small: a few short rows.
  @discardableResult
  func runLater(_ sql: String, _ arguments: [SQLValue]) throws -> PendingAnswer
}

extension SQLConnection {
  @discardableResult
  public func runLater(_ sql: String, _ arguments: [SQLValue]) throws -> PendingAnswer {
    PendingAnswer(try run(sql, arguments))
  }
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
