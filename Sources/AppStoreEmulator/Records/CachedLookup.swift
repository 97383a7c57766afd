import GRDB

extension FetchableRecord where Self: TableRecord {
  /// The row whose columns have these values. The compiled statement is cached: compiling it would take longer than the
  /// lookup.
  static func lookUp(_ columns: KeyValuePairs<String, String>, in database: Database) throws -> Self? {
    let condition = columns.map { "\($0.key) = ?" }.joined(separator: " AND ")
    let statement = try database.cachedStatement(sql: "SELECT * FROM \(databaseTableName) WHERE \(condition)")
    return try fetchOne(statement, arguments: StatementArguments(columns.map(\.value)))
  }
}
