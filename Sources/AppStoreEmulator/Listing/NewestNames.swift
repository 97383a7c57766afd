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
    try String.fetchAll(
      work.database,
      sql: """
        SELECT name FROM (SELECT name, rowid AS place FROM customer ORDER BY rowid DESC LIMIT ?1 * 2)
        GROUP BY name ORDER BY max(place) DESC LIMIT ?1
        """, arguments: [limit]
    ).map { AccountName($0) }
  }

  /// The ids of products. Apps may have products of the same id.
  func products(limit: Int) throws -> [ProductID] {
    try String.fetchAll(
      work.database,
      sql: """
        SELECT productID FROM (SELECT productID, rowid AS place FROM product ORDER BY rowid DESC LIMIT ?1 * 2)
        GROUP BY productID ORDER BY max(place) DESC LIMIT ?1
        """, arguments: [limit]
    ).map { ProductID($0) }
  }

  func installations(limit: Int) throws -> [Installation] {
    try Installation.order(Column.rowID.desc).limit(limit).fetchAll(work.database)
  }
}
