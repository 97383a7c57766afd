import CPQ
import PurchaseLedger

/// A result of libpq, which is freed with this object.
final class PostgreSQLResult {
  // The values of PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which Swift does not import.
  private static let stateField = Int32(UInt8(ascii: "C"))
  private static let reasonField = Int32(UInt8(ascii: "M"))

  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQclear(handle) }

  var succeeded: Bool {
    switch PQresultStatus(handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: true
    default: false
    }
  }

  /// The server's error without its details, which can contain values of the tables. Nil if the server sent no error.
  var failure: PostgreSQLFailure? {
    guard let state = PQresultErrorField(handle, Self.stateField),
      let reason = PQresultErrorField(handle, Self.reasonField)
    else { return nil }
    return PostgreSQLFailure(state: String(cString: state), reason: String(cString: reason))
  }

  /// The completed command, such as `COMMIT` or `INSERT 0 1`.
  var command: String { String(cString: PQcmdStatus(handle)) }

  /// The first row of a result in text format; empty if there are no rows.
  var firstRow: [String] {
    guard PQntuples(handle) > 0 else { return [] }
    return (0..<PQnfields(handle)).map { String(cString: PQgetvalue(handle, 0, $0)) }
  }

  /// The index of each column name. If a name occurs several times, the index of the first column.
  var columns: [String: Int] {
    var columns: [String: Int] = [:]
    for place in 0..<PQnfields(handle) {
      guard let name = PQfname(handle, place).map({ String(cString: $0) }), columns[name] == nil else { continue }
      columns[name] = Int(place)
    }
    return columns
  }

  /// The number of changed rows. For a statement that only reads it is 0, although libpq returns the number of rows
  /// that were read.
  var changes: Int {
    let command = command
    guard ["INSERT", "UPDATE", "DELETE", "MERGE"].contains(where: command.hasPrefix) else { return 0 }
    return Int(String(cString: PQcmdTuples(handle))) ?? 0
  }

  /// Decodes the rows of a result in binary format.
  ///
  /// - Parameter columns: the result's ``columns``, which are cached for a prepared statement.
  func rows(columns: [String: Int]) throws(PostgreSQLFailure) -> [SQLRow] {
    let width = PQnfields(handle)
    var rows: [SQLRow] = []
    rows.reserveCapacity(Int(PQntuples(handle)))
    for row in 0..<PQntuples(handle) {
      var values: [SQLValue] = []
      values.reserveCapacity(Int(width))
      for column in 0..<width { values.append(try value(row, column)) }
      rows.append(SQLRow(columns: columns, values: values))
    }
    return rows
  }

  private func value(_ row: Int32, _ column: Int32) throws(PostgreSQLFailure) -> SQLValue {
    guard PQgetisnull(handle, row, column) == 0 else { return .null }
    let bytes = UnsafeRawBufferPointer(
      start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
    let type = PQftype(handle, column)
    guard let value = PostgreSQLType.value(bytes, of: type) else {
      let name = PQfname(handle, column).map { String(cString: $0) } ?? "\(column)"
      throw PostgreSQLFailure(
        kind: .unexpectedRow, reason: "\(name) is of the PostgreSQL type \(type), which no ledger has")
    }
    return value
  }
}
