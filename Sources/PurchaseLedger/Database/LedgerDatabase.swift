/// The database of a ledger. Committed transactions survive a power cut.
public protocol LedgerDatabase: Sendable {
  /// Runs `body` on one consistent state of the database. If the task is cancelled, `body` ends at its next statement.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value

  /// Runs `body` in one transaction. When this returns, the transaction is durably committed. If `body` throws, nothing is
  /// changed.
  ///
  /// `body` may run several times. All runs but the last one are rolled back. If the task is cancelled, `body` ends at its next
  /// statement, and is rolled back; a commit that has begun is completed.
  ///
  /// - Parameters:
  ///   - locks: the locks that `body` needs. It can add more with ``LedgerTransaction/require(_:)``.
  ///   - body: runs SQL only. It must not block or have other side effects.
  /// - Throws: the error of `body`; ``LedgerDatabaseError``; `CancellationError`.
  func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value

  /// Runs `body` as ``write(locking:_:)`` does, but may run it in one transaction with other writes of this function. Then
  /// their statements are sent together, and one commit makes all of them durable. If one fails, the others still succeed.
  ///
  /// `body` must run few statements, because the other writes wait for it.
  ///
  /// - Parameter purchases: the purchases that `body` concerns, of any owner. Two writes about the same purchase do
  ///   not share a transaction, because each must wait until the other has ended.
  func writeShared<Value: Sendable>(
    locking locks: Set<LedgerLock>, about purchases: Set<PurchaseKey>,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value

  /// Checks that there is enough disk space for further writes. One small write can succeed on a full disk if the database
  /// file still has free pages.
  ///
  /// - Throws: ``LedgerDatabaseError/full(reason:)``.
  func checkSpace() async throws

  /// Checks that the database lets this server use all tables of the ledger.
  ///
  /// - Throws: ``LedgerDatabaseError/notUsable(reason:)``.
  func checkAccess() async throws

  /// Refuses new reads and writes, and returns when all running ones have ended.
  func close() async throws

  /// The name of the database system, for messages to operators.
  var system: String { get }
}

extension LedgerDatabase {
  public func writeShared<Value: Sendable>(
    locking locks: Set<LedgerLock>, about purchases: Set<PurchaseKey>,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await write(locking: locks, body)
  }

  /// Does nothing. A database server monitors its disk itself.
  public func checkSpace() async throws {}

  /// Does nothing. A database without users has no rights.
  public func checkAccess() async throws {}

  public var system: String { "a database of its own" }
}
