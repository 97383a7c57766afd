import DurableSQLite
import Foundation
import GRDB
import GRDBSQLite
import StoreModel

/// GRDB's connection, inside a transaction.
///
/// Arguments and columns are passed to SQLite directly: by GRDB's own types, this takes longer than SQLite needs for the
/// ledger's statements.
final class SQLiteConnection: SQLConnection {
  private let database: Database
  private let texts: StatementTexts

  init(_ database: Database, texts: StatementTexts) {
    self.database = database
    self.texts = texts
  }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer {
    let known = texts.known(sql)
    let statement = try database.cachedStatement(sql: known.text)
    let handle = statement.sqliteStatement
    guard Int(sqlite3_bind_parameter_count(handle)) == arguments.count else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "wrong number of arguments", sql: known.text)
    }
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, argument) in arguments.enumerated() {
      let code = argument.bind(to: handle, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw error(code, known.text) }
    }
    let columns = known.columns ?? texts.setColumns(of: sql, statement.columnNames)
    var rows: [SQLRow] = []
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW:
        let values = try (0..<sqlite3_column_count(handle)).map { try SQLValue(column: $0, of: handle) }
        rows.append(SQLRow(columns: columns, values: values))
      case SQLITE_DONE:
        return SQLAnswer(rows: rows, changes: statement.isReadonly ? 0 : database.changesCount)
      case let code: throw error(code, known.text)
      }
    }
  }

  /// The arguments are left out, because they may be secret.
  private func error(_ code: Int32, _ sql: String) -> DatabaseError {
    let message = database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
    // A write of several in one transaction catches this error itself, so it is not left to the database.
    return database.namingReadFault(DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql))
  }
}

/// Caches the SQL texts with SQLite's argument syntax, and the column indexes of each statement.
final class StatementTexts: Sendable {
  struct Known: Sendable {
    let text: String
    /// The index of each column's name; nil before the statement's first execution.
    fileprivate(set) var columns: [String: Int]?
  }

  private let statements = LockedValue<[String: Known]>([:])

  func known(_ sql: String) -> Known {
    if let known = statements.withLock({ $0[sql] }) { return known }
    let known = Known(text: sql.replacing("$", with: "?"))
    statements.withLock { $0[sql] = known }
    return known
  }

  func setColumns(of sql: String, _ names: [String]) -> [String: Int] {
    let indexes = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    statements.withLock { $0[sql]?.columns = indexes }
    return indexes
  }
}

extension SQLValue {
  /// Makes SQLite copy the value before the call returns (`SQLITE_TRANSIENT`).
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// - Returns: SQLite's result code.
  fileprivate func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 {
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        // SQLite takes a null pointer for NULL.
        guard let start = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, Self.copied) }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          sqlite3_bind_text64(statement, index, $0, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .data(let data):
      return data.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(statement, index, 0) }
        return sqlite3_bind_blob64(statement, index, start, UInt64(bytes.count), Self.copied)
      }
    }
  }

  fileprivate init(column: Int32, of statement: SQLiteStatement) throws(LedgerDatabaseError) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: self = .null
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT:
      // The length must be read after the text, because reading the text can convert it.
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .data([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    default: throw .unexpectedRow("a number is not whole: \(sqlite3_column_double(statement, column))")
    }
  }
}
