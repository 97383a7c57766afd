import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Which transactions or charges to list. Nil: all.
  public struct BookFilter: Sendable {
    public var bundleID: BundleID?
    public var environment: StoreEnvironment?
    public var account: AccountName?
    /// At most this many, the newest; 1 to 1,000.
    public var limit: Int

    public init(
      bundleID: BundleID? = nil, environment: StoreEnvironment? = nil, account: AccountName? = nil, limit: Int = 1_000
    ) {
      self.bundleID = bundleID
      self.environment = environment
      self.account = account
      self.limit = min(max(limit, 1), 1_000)
    }
  }

  /// The newest transactions, newest first.
  public func transactions(_ filter: BookFilter = BookFilter()) async throws -> [StoredTransaction] {
    try await database.read { database in
      try StoredTransaction.filter(filter).order(Column("sequence").desc).limit(filter.limit).fetchAll(database)
    }
  }

  /// The newest charges, newest first.
  public func charges(_ filter: BookFilter = BookFilter()) async throws -> [Charge] {
    try await database.read { database in
      try Charge.filter(filter).order(Column.rowID.desc).limit(filter.limit).fetchAll(database)
    }
  }
}

extension TableRecord {
  static func filter(_ filter: EmulatedAppStore.BookFilter) -> QueryInterfaceRequest<Self> {
    var request = all()
    if let bundleID = filter.bundleID { request = request.filter(Column("bundleID") == bundleID.rawValue) }
    if let environment = filter.environment { request = request.filter(Column("environment") == environment.rawValue) }
    if let account = filter.account { request = request.filter(Column("account") == account.rawValue) }
    return request
  }
}
