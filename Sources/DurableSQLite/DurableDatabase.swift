import Foundation
import GRDB
import StoreModel

/// A database that ``DurableSQLite`` opened. Reads and writes take turns.
///
/// Reads use GRDB's unsafe door, which is safe here: this is the only connection, and whoever is inside is alone. The
/// ordinary one switches SQLite to read-only and back, and each switch throws all compiled statements away.
///
/// Once it is closed, whatever still comes is refused with ``DurableSQLiteError/closed(path:)``; what is under way
/// is waited for.
public final class DurableDatabase: Sendable {
  private let queue: DatabaseQueue
  let path: String
  private let gate: Gate
  private let lock: FileLock?

  init(_ queue: DatabaseQueue, path: String, lock: FileLock? = nil) {
    self.queue = queue
    self.path = path
    self.lock = lock
    gate = Gate(path: path)
  }

  public func read<Value>(_ value: (Database) throws -> Value) throws -> Value {
    try gate.enter()
    defer { gate.leave() }
    return try queue.unsafeRead(value)
  }

  /// One transaction: committed when it returns, rolled back when `updates` throws.
  ///
  /// - Parameter committed: called after the commit and before any later read or write. Not called if the commit failed. GRDB's
  ///   `afterNextTransaction` is no replacement: after a commit that failed it calls back at the next one.
  public func write<Value>(
    _ updates: (Database) throws -> Value, committed: (Value) -> Void = { _ in }
  ) throws -> Value {
    try gate.enter()
    defer { gate.leave() }
    return try queue.writeWithoutTransaction { try Self.transaction(in: $0, updates, committed) }
  }

  private static func transaction<Value>(
    in database: Database, _ updates: (Database) throws -> Value, _ committed: (Value) -> Void
  ) throws -> Value {
    var value: Value?
    try database.inTransaction {
      value = try updates(database)
      return .commit
    }
    guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
    committed(value)
    return value
  }

  public func read<Value: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await onQueue(value)
  }

  /// One transaction, as ``write(_:committed:)``.
  public func write<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void = { _ in }
  ) async throws -> Value {
    try await onQueue { try Self.transaction(in: $0, updates, committed) }
  }

  /// Does `work` on the database's own queue, and leaves there, too: whoever closes the database waits for that on a
  /// thread that the asking task may need in order to go on.
  private func onQueue<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try gate.enter()
    let errand = Errand(work)
    return try await withCheckedThrowingContinuation { continuation in
      queue.asyncWriteWithoutTransaction { [gate] database in
        let result = errand.run(database)
        gate.leave()
        continuation.resume(with: result)
      }
    }
  }

  /// Work that is let go of when it is done. What it holds may be the last to hold this database, which must not end
  /// on the database's own queue: so the task that asked for the work holds it longest.
  private final class Errand<Value: Sendable>: Sendable {
    private let work: LockedValue<(@Sendable (Database) throws -> Value)?>

    init(_ work: @escaping @Sendable (Database) throws -> Value) { self.work = LockedValue(work) }

    func run(_ database: Database) -> Result<Value, any Error> {
      defer { work.value = nil }
      guard let work = work.value else { return .failure(DatabaseError(resultCode: .SQLITE_INTERNAL)) }
      return Result { try work(database) }
    }
  }

  /// Gives the file free. Closing again does nothing.
  public func close() throws {
    guard gate.shut() else { return }
    try queue.close()
    lock?.release()
  }

  deinit {
    // Whoever did not close it has let go of it all the same.
    if gate.shut() {
      try? queue.close()
      lock?.release()
    }
  }

  /// Counts the reads and writes under way. SQLite's connection must not be used once it is closed, and GRDB traps if it is.
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

    /// Refuses further reads and writes, and returns when those under way have ended. False if it was shut before.
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
