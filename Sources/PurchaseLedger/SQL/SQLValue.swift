/// The value of a column, of one of the types that SQLite and PostgreSQL have in common.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case data([UInt8])
}

/// A type whose values can be arguments of a statement.
public protocol SQLValueConvertible {
  var sqlValue: SQLValue { get }
}

extension SQLValue: SQLValueConvertible {
  public var sqlValue: SQLValue { self }
}

extension Int64: SQLValueConvertible {
  public var sqlValue: SQLValue { .integer(self) }
}

extension Int: SQLValueConvertible {
  public var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Bool: SQLValueConvertible {
  /// 1 or 0.
  public var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension String: SQLValueConvertible {
  public var sqlValue: SQLValue { .text(self) }
}

extension [UInt8]: SQLValueConvertible {
  public var sqlValue: SQLValue { .data(self) }
}

extension Optional: SQLValueConvertible where Wrapped: SQLValueConvertible {
  public var sqlValue: SQLValue { self?.sqlValue ?? .null }
}
