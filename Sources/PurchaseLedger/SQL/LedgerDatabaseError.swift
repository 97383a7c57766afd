/// Thrown when the ledger's database fails. Nothing was changed, unless the case says otherwise.
public enum LedgerDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The database cannot be reached, or does not accept the connection.
  case unavailable(reason: String)
  /// All connections are taken, or too many writes wait already.
  case overloaded
  /// It was closed.
  case closed
  /// A statement failed.
  case failed(reason: String)
  /// A row is not what the schema says.
  case unexpectedRow(String)
  /// A later version of this software made or changed the schema.
  case newerSchema(String)
  /// It does not make every commit durable.
  case notDurable(setting: String)

  public var description: String {
    switch self {
    case .unavailable(let reason): "The ledger's database cannot be reached: \(reason)"
    case .overloaded: "The ledger's database has too much to do. Try again shortly."
    case .closed: "The ledger's database was closed."
    case .failed(let reason): "The ledger's database refused a statement: \(reason)"
    case .unexpectedRow(let what): "The ledger's database is not of its schema: \(what)."
    case .newerSchema(let migration):
      "The ledger's database was changed by a newer version of this software (\(migration)). Use that version."
    case .notDurable(let setting): "The ledger's database may lose commits in a power cut: \(setting)"
    }
  }
}
