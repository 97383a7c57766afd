/// Where a ledger is kept. What is committed survives a power cut.
public protocol LedgerDatabase: Sendable {
  /// Reads from one state of the database.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value

  /// One transaction: committed, durably, when this returns; nothing is changed when `body` throws.
  ///
  /// `body` may run more than once: each time but the last, what it did is undone.
  ///
  /// - Parameters:
  ///   - locks: what it is about. It may ask for more with ``LedgerTransaction/require(_:)``.
  ///   - body: speaks SQL and nothing else; must not wait for anything.
  /// - Throws: what `body` throws; ``LedgerDatabaseError``.
  func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value

  /// Checks that there is space for more than the next write. A small write can succeed on a full disk, where a file has
  /// room of its own.
  ///
  /// - Throws: ``LedgerDatabaseError/failed(reason:)``.
  func checkSpace() async throws

  /// Lets nobody in any more, and returns when nobody is inside.
  func close() async throws
}

extension LedgerDatabase {
  /// A database server checks its own space.
  public func checkSpace() async throws {}
}

/// Why a ledger's database did not do what was asked. Nothing was changed, unless it says so.
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
