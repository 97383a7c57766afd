/// A row of a statement's result. Columns are accessed by name.
public struct SQLRow: Sendable {
  private let columns: [String: Int]
  private let values: [SQLValue]

  /// - Parameters:
  ///   - columns: the index of each column name in `values`; shared by all rows of a result.
  ///   - values: one value for each column.
  public init(columns: [String: Int], values: [SQLValue]) {
    self.columns = columns
    self.values = values
  }

  /// Returns the column's text. Like all functions of this type, it fails if the row does not match the schema.
  ///
  /// - Throws: ``LedgerDatabaseError/unexpectedRow(_:)``.
  public func text(_ name: String) throws(LedgerDatabaseError) -> String {
    guard case .text(let text) = try value(name) else { throw .unexpectedRow("\(name) is not text") }
    return text
  }

  public func optionalText(_ name: String) throws(LedgerDatabaseError) -> String? {
    try value(name) == .null ? nil : text(name)
  }

  public func integer(_ name: String) throws(LedgerDatabaseError) -> Int64 {
    guard case .integer(let number) = try value(name) else { throw .unexpectedRow("\(name) is not a whole number") }
    return number
  }

  public func optionalInteger(_ name: String) throws(LedgerDatabaseError) -> Int64? {
    try value(name) == .null ? nil : integer(name)
  }

  public func data(_ name: String) throws(LedgerDatabaseError) -> [UInt8] {
    guard case .data(let data) = try value(name) else { throw .unexpectedRow("\(name) is not a byte string") }
    return data
  }

  /// Whether the number is not 0.
  public func flag(_ name: String) throws(LedgerDatabaseError) -> Bool { try integer(name) != 0 }

  private func value(_ name: String) throws(LedgerDatabaseError) -> SQLValue {
    guard let place = columns[name] else { throw .unexpectedRow("there is no column \(name)") }
    return values[place]
  }
}
