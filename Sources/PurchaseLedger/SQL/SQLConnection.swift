/// A connection inside a transaction. Used by one thread at a time.
///
/// Statements are prepared once for each text, so their texts must be few: values are never written into them.
public protocol SQLConnection: AnyObject {
  /// - Parameters:
  ///   - sql: one statement, with `$1`, `$2` … for its arguments.
  ///   - arguments: as many as it names.
  /// - Returns: the rows it gives, and how many rows it changed.
  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer
}

/// What a statement gives.
public struct SQLAnswer: Sendable {
  public let rows: [SQLRow]
  /// How many rows were inserted, changed or removed; 0 for a statement that only reads.
  public let changes: Int

  public init(rows: [SQLRow], changes: Int) {
    self.rows = rows
    self.changes = changes
  }
}
