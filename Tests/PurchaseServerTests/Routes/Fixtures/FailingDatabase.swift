import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel

/// A ledger's database that the test can make unavailable, or whose next writes it can make fail.
final class FailingDatabase: LedgerDatabase {
  private let database: any LedgerDatabase
  private struct State: Sendable {
    var isAway = false
    var hasNoSpace = false
    var failures = 0
    var gate: Gate?
    var begun = 0
    var cancelled = 0
  }

  private let state = LockedValue(State())

  init(_ database: any LedgerDatabase) { self.database = database }

  /// Whether all reads and writes fail.
  var isUnavailable: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  /// Whether writes fail because the disk is full.
  var isFull: Bool {
    get { state.withLock { $0.hasNoSpace } }
    set { state.withLock { $0.hasNoSpace = newValue } }
  }

  /// Makes the next `writes` writes fail.
  func fail(writes: Int) { state.withLock { $0.failures = writes } }

  /// Makes writes wait for `gate` before they begin.
  func hold(writesAt gate: Gate) { state.withLock { $0.gate = gate } }

  /// The number of writes so far.
  var writes: Int { state.withLock { $0.begun } }

  /// The number of writes that were cancelled while they waited for a gate.
  var cancelledWrites: Int { state.withLock { $0.cancelled } }

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
    let gate = state.withLock { state in
      state.begun += 1
      return state.gate
    }
    await withTaskCancellationHandler {
      await gate?.pass()
    } onCancel: {
      state.withLock { $0.cancelled += 1 }
    }
    return try await database.write(locking: locks, body)
  }

  func close() async throws { try await database.close() }

  private func answer(isWrite: Bool) throws {
    try state.withLock { state in
      if isWrite, state.failures > 0 {
        state.failures -= 1
        throw LedgerDatabaseError.overloaded
      }
      if isWrite, state.hasNoSpace { throw LedgerDatabaseError.full(reason: "database or disk is full") }
      if state.isAway { throw LedgerDatabaseError.unavailable(reason: "the database is unavailable") }
    }
  }
}
