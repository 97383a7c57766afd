import Foundation
import PurchaseLedger
import SharedFixtures

/// A ledger's database that the test can make unavailable, or whose next writes it can make fail.
final class FailingDatabase: LedgerDatabase, @unchecked Sendable {
  private let database: any LedgerDatabase
  private let lock = NSLock()
  private var isAway = false
  private var hasNoSpace = false
  private var failures = 0
  private var gate: Gate?
  private var begun = 0
  private var cancelled = 0

  init(_ database: any LedgerDatabase) { self.database = database }

  /// Whether all reads and writes fail.
  var isUnavailable: Bool {
    get { lock.withLock { isAway } }
    set { lock.withLock { isAway = newValue } }
  }

  /// Whether writes fail because the disk is full.
  var isFull: Bool {
    get { lock.withLock { hasNoSpace } }
    set { lock.withLock { hasNoSpace = newValue } }
  }

  /// Makes the next `writes` writes fail.
  func fail(writes: Int) { lock.withLock { failures = writes } }

  /// Makes writes wait for `gate` before they begin.
  func hold(writesAt gate: Gate) { lock.withLock { self.gate = gate } }

  /// The number of writes so far.
  var writes: Int { lock.withLock { begun } }

  /// The number of writes that were cancelled while they waited for a gate.
  var cancelledWrites: Int { lock.withLock { cancelled } }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try answer(isWrite: false)
    return try await database.read(body)
  }

  func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try answer(isWrite: true)
    let gate = lock.withLock {
      begun += 1
      return self.gate
    }
    await withTaskCancellationHandler {
      await gate?.pass()
    } onCancel: {
      lock.withLock { cancelled += 1 }
    }
    return try await database.write(locking: locks, body)
  }

  func close() async throws { try await database.close() }

  private func answer(isWrite: Bool) throws {
    try lock.withLock {
      if isWrite, failures > 0 {
        failures -= 1
        throw LedgerDatabaseError.overloaded
      }
      if isWrite, hasNoSpace { throw LedgerDatabaseError.full(reason: "database or disk is full") }
      if isAway { throw LedgerDatabaseError.unavailable(reason: "the database is unavailable") }
    }
  }
}
