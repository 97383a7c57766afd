import GRDB
import StoreModel

extension StoreUnitOfWork {
  var newestNames: NewestNames { NewestNames(work: self) }
}

/// The names that were added last, newest first. The queries read a bounded number of rows.
struct NewestNames {
  let work: StoreUnitOfWork

  /// The names of customers. A customer may have the same name in both environments.
  func customers(limit: Int) throws -> [AccountName] {
    try newest("name", of: "customer", limit: limit).map { AccountName($0) }
  }

  /// The ids of products. Apps may have products of the same id.
  func products(limit: Int) throws -> [ProductID] {
    try newest("productID", of: "product", limit: limit).map { ProductID($0) }
  }

  /// The newest values of a column, each once.
  private func newest(_ column: String, of table: String, limit: Int) throws -> [String] {
    try String.fetchAll(
      work.database,
      sql: """
        SELECT \(column) FROM (SELECT \(column), rowid AS place FROM \(table) ORDER BY rowid DESC LIMIT ?1 * 2)
        GROUP BY \(column) ORDER BY max(place) DESC LIMIT ?1
        """, arguments: [limit])
  }

  func installations(limit: Int) throws -> [Installation] {
    try Installation.order(Column.rowID.desc).limit(limit).fetchAll(work.database)
  }
}
