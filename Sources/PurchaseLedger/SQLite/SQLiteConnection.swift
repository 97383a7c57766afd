import Foundation
import GRDB

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

/// Statements as SQLite numbers their arguments, and the places of their columns. Used on the database's queue only.
final class StatementTexts: @unchecked Sendable {
  private var numbered: [String: String] = [:]
  private var columns: [String: [String: Int]] = [:]

  func numbered(_ sql: String) -> String {
    if let known = numbered[sql] { return known }
    let text = sql.replacing("$", with: "?")
    numbered[sql] = text
    return text
  }

  func columns(of text: String, _ names: () -> [String]) -> [String: Int] {
    if let known = columns[text] { return known }
    let places = Dictionary(names().enumerated().map { ($1, $0) }) { first, _ in first }
    columns[text] = places
    return places
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
