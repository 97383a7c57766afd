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
