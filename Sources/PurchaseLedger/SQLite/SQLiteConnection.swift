import Foundation
import GRDB
import StoreModel

/// GRDB's connection, inside a transaction.
final class SQLiteConnection: SQLConnection {
  private let database: Database
  private let texts: StatementTexts

  init(_ database: Database, texts: StatementTexts) {
    self.database = database
    self.texts = texts
  }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer {
    let text = texts.numbered(sql)
    let statement = try database.cachedStatement(sql: text)
    statement.arguments = StatementArguments(arguments.map(\.databaseValue))
    guard statement.columnCount > 0 else {
      try statement.execute()
      return SQLAnswer(rows: [], changes: database.changesCount)
    }
    let columns = texts.columns(of: text) { statement.columnNames }
    var rows: [SQLRow] = []
    let cursor = try Row.fetchCursor(statement)
    while let row = try cursor.next() {
      rows.append(SQLRow(columns: columns, values: try row.databaseValues.map(SQLValue.init)))
    }
    return SQLAnswer(rows: rows, changes: statement.isReadonly ? 0 : database.changesCount)
  }
}

/// Caches the SQL texts with SQLite's argument syntax, and the column indexes of each statement.
final class StatementTexts: Sendable {
  private struct State: Sendable {
    var numbered: [String: String] = [:]
    var columns: [String: [String: Int]] = [:]
  }

  private let state = LockedValue(State())

  func numbered(_ sql: String) -> String {
    if let known = state.withLock({ $0.numbered[sql] }) { return known }
    let text = sql.replacing("$", with: "?")
    state.withLock { $0.numbered[sql] = text }
    return text
  }

  func columns(of text: String, _ names: () -> [String]) -> [String: Int] {
    if let known = state.withLock({ $0.columns[text] }) { return known }
    let indexes = Dictionary(names().enumerated().map { ($1, $0) }) { first, _ in first }
    state.withLock { $0.columns[text] = indexes }
    return indexes
  }
}

extension SQLValue {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .data(let bytes): Data(bytes).databaseValue
    }
  }

  fileprivate init(_ value: DatabaseValue) throws(LedgerDatabaseError) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .data([UInt8](data))
    case .double(let number): throw .unexpectedRow("a number is not whole: \(number)")
    }
  }
}
