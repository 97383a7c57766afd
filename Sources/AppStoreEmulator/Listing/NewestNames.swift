import GRDB
import StoreModel

extension StoreUnitOfWork {
  var newestNames: NewestNames { NewestNames(work: self) }
}

/// The names that were added last, newest first. The queries end with the last name that is returned, so they read as many
/// rows as that, and those that repeat a name.
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
    let values = try String.fetchCursor(work.database, sql: "SELECT \(column) FROM \(table) ORDER BY rowid DESC")
    var (newest, known): ([String], Set<String>) = ([], [])
    while newest.count < limit, let value = try values.next() {
      if known.insert(value).inserted { newest.append(value) }
    }
    return newest
  }

  func installations(limit: Int) throws -> [Installation] {
    try Installation.order(Column.rowID.desc).limit(limit).fetchAll(work.database)
  }
}
