import GRDB

extension FetchableRecord where Self: TableRecord {
  /// The row whose columns have these values. The statement is compiled once and kept, which on the way of a purchase
  /// saves more than the lookup itself takes.
  static func lookUp(_ columns: KeyValuePairs<String, String>, in database: Database) throws -> Self? {
    let condition = columns.map { "\($0.key) = ?" }.joined(separator: " AND ")
    let statement = try database.cachedStatement(sql: "SELECT * FROM \(databaseTableName) WHERE \(condition)")
    return try fetchOne(statement, arguments: StatementArguments(columns.map(\.value)))
  }
}
