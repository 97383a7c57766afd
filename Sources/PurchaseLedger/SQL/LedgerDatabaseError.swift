import StoreModel

/// Thrown when the ledger's database fails. Nothing was changed, except as described at ``unavailable(reason:)``,
/// and by earlier parts of a redemption of many purchases.
public enum LedgerDatabaseError: DescribedError, Hashable, Sendable {
  /// The database cannot be reached, or does not accept the connection.
  ///
  /// If the connection was lost during a commit, or no standby confirmed the commit, the write may have been committed.
  case unavailable(reason: String)
  /// The database does not let this server use the ledger: a table or a right is missing, or the ledger's file was removed or
  /// replaced. An operator has to correct it.
  case notUsable(reason: String)
  /// Too many reads or writes wait already, the database server has no resources left, or the transaction waited too long for
  /// locks or kept conflicting with others.
  case overloaded
  /// The database was closed.
  case closed
  /// The database's disk is full, or cannot be read or written. The same request can succeed when the disk is in order again.
  case full(reason: String)
  /// A statement failed, or the configuration is not valid.
  case failed(reason: String)
  /// A row does not match the schema.
  case unexpectedRow(String)
  /// A later version of this software created or changed the schema.
  case newerSchema(String)
  /// The database's client library, such as libpq, is not installed, or is too old.
  case noClientLibrary(reason: String)
  /// The database does not make every commit durable.
  case notDurable(setting: String)

  public var description: String {
    switch self {
    case .unavailable(let reason): "The ledger's database cannot be reached: \(reason)"
    case .notUsable(let reason): "The ledger cannot be used in its database: \(reason)"
    case .overloaded: "The ledger's database has too much to do. Try again shortly."
    case .closed: "The ledger's database was closed."
    case .full(let reason): "The ledger's database cannot read or write its disk: \(reason)"
    case .failed(let reason): "The ledger's database refused a statement: \(reason)"
    case .unexpectedRow(let what): "The ledger's database is not of its schema: \(what)."
    case .newerSchema(let migration):
      "The ledger's database was changed by a newer version of this software (\(migration)). Use that version."
    case .noClientLibrary(let reason): "The ledger's database cannot be opened: \(reason)"
    case .notDurable(let setting): "The ledger's database may lose commits in a power cut: \(setting)"
    }
  }
}
