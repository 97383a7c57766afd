import Foundation
import GRDB
import StoreModel

/// A database that ``DurableSQLite`` opened. Reads and writes run one after the other, on one connection.
///
/// Reads use GRDB's `unsafeRead`. It is safe here because no write can run meanwhile. GRDB's ordinary `read` switches
/// SQLite to read-only and back, and each switch discards all compiled statements.
///
/// After ``close()``, reads and writes throw ``DurableSQLiteError/closed(path:)``. Those that already run are completed
/// first.
public final class DurableDatabase: Sendable {
  private let queue: DatabaseQueue
  let path: String
  private let gate: Gate
  private let lock: FileLock?
  /// The kind of ``ReusedDatabases``; nil if it is not used again.
  private let reusedKind: String?
  private let observers = LockedValue<[any TransactionObserver & Sendable]>([])

  init(_ queue: DatabaseQueue, path: String, lock: FileLock? = nil, reusedKind: String? = nil) {
    self.queue = queue
    self.path = path
    self.lock = lock
    self.reusedKind = reusedKind
    gate = Gate(path: path)
  }

  /// Adds an observer of all transactions until the database is closed.
  package func add(_ observer: any TransactionObserver & Sendable) {
    observers.withLock { $0.append(observer) }
    queue.add(transactionObserver: observer, extent: .databaseLifetime)
  }

  /// Returns the result of `value`, which must only read. Blocks the calling thread.
  public func read<Value>(_ value: (Database) throws -> Value) throws -> Value {
    try gate.enter()
    defer { gate.leave() }
    return try queue.unsafeRead { try $0.namingReadFaults(value) }
  }

  /// Runs `updates` in one transaction. It is committed when `updates` returns, and rolled back when it throws.
  ///
  /// - Parameter committed: called after the commit and before any later read or write. Not called if the commit fails.
  ///   GRDB's `afterNextTransaction` is no replacement: after a failed commit it calls back at the next commit.
  public func write<Value>(
    _ updates: (Database) throws -> Value, committed: (Value) -> Void = { _ in }
  ) throws -> Value {
    try gate.enter()
    defer { gate.leave() }
    return try queue.writeWithoutTransaction { database in
      try database.namingReadFaults { try Self.transaction(in: $0, updates, committed) }
    }
  }

  private static func transaction<Value>(
    in database: Database, _ updates: (Database) throws -> Value, _ committed: (Value) -> Void
  ) throws -> Value {
    var value: Value?
    try database.inTransaction {
      // Asked before the rollback, which may read as well.
      value = try database.namingReadFaults(updates)
      return .commit
    }
    guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
    committed(value)
    return value
  }

  /// Returns the result of `value`, without blocking a thread of Swift's concurrency pool. `value` must only read.
  public func read<Value: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await onQueue(value)
  }

  /// Runs `updates` in one transaction, as ``write(_:committed:)`` does.
  public func write<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void = { _ in }
  ) async throws -> Value {
    try await onQueue { try Self.transaction(in: $0, updates, committed) }
  }

  /// Runs `work` on the database's queue, and leaves the gate there. Leaving it in the calling task could deadlock:
  /// ``close()`` blocks a thread until all work has left, and the task may need that thread to continue.
  private func onQueue<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try gate.enter()
    let operation = QueuedOperation(work)
    return try await withCheckedThrowingContinuation { continuation in
      queue.asyncWriteWithoutTransaction { [gate] database in
        let result = operation.run(database)
        gate.leave()
        continuation.resume(with: result)
      }
    }
  }

  /// Work that is released as soon as it has run. Its captures may contain a reference to this database, and the
  /// database must not be deallocated on its own queue. Because the work is released early, its reference is never the
  /// last one: the calling task still has its own.
  private final class QueuedOperation<Value: Sendable>: Sendable {
    private let work: LockedValue<(@Sendable (Database) throws -> Value)?>

    init(_ work: @escaping @Sendable (Database) throws -> Value) { self.work = LockedValue(work) }

    func run(_ database: Database) -> Result<Value, any Error> {
      defer { work.value = nil }
      guard let work = work.value else { return .failure(DatabaseError(resultCode: .SQLITE_INTERNAL)) }
      return Result { try database.namingReadFaults(work) }
    }
  }

  /// Closes the database and releases its file. Closing again does nothing.
  public func close() throws {
    guard gate.shut() else { return }
    if let reusedKind { return reuse(as: reusedKind) }
    try queue.close()
    lock?.release()
  }

  private func reuse(as kind: String) {
    for observer in observers.value { queue.remove(transactionObserver: observer) }
    observers.value = []
    ReusedDatabases.shared.put(queue, kind)
  }

  deinit {
    // Also closes a database that its owner released without closing it.
    guard gate.shut() else { return }
    if let reusedKind { return reuse(as: reusedKind) }
    try? queue.close()
    lock?.release()
  }

  /// Counts the reads and writes that run. SQLite's connection must not be used after it is closed; GRDB traps if it
  /// is.
  private final class Gate: Sendable {
    private let isShut = LockedValue(false)
    private let inside = DispatchGroup()
    private let path: String

    init(path: String) { self.path = path }

    func enter() throws(DurableSQLiteError) {
      try isShut.withLock { isShut throws(DurableSQLiteError) in
        if isShut { throw .closed(path: path) }
        inside.enter()
      }
    }

    func leave() { inside.leave() }

    /// Refuses further reads and writes, and returns when the running ones have ended.
    ///
    /// - Returns: false if the gate was already shut.
    func shut() -> Bool {
      let isFirst = isShut.withLock { isShut in
        defer { isShut = true }
        return !isShut
      }
      inside.wait()
      return isFirst
    }
  }
}
