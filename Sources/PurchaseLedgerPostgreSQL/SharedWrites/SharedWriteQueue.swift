import PurchaseLedger
import StoreModel

/// Thrown by a write that does not wait for its locks, if one is not free.
struct LocksTaken: Error {}

/// The writes that may share a transaction.
///
/// At most two transactions run at a time. Writes that arrive meanwhile wait, and then run together in the next one
/// (Documentation/postgresql.md, "Writes that share a transaction"). So does a write that needs a lock of a running
/// transaction: in the database, it would keep a connection while it waits for the lock.
final class SharedWriteQueue: Sendable {
  private struct State: Sendable {
    var waiting: [SharedWrite] = []
    var running = 0
    /// The locks of the running transactions.
    var locks: Set<LedgerLock> = []

    /// Begins a transaction, if it may run now.
    mutating func begin(locking locks: Set<LedgerLock>) -> Bool {
      guard running < SharedWriteQueue.mostRunning, self.locks.isDisjoint(with: locks) else { return false }
      running += 1
      self.locks.formUnion(locks)
      return true
    }

    /// Begins the next transaction. Returns its writes: the first ones that need no common lock, because locks do not
    /// protect the writes of one transaction from each other. Returns no writes if none may run now.
    mutating func beginNext() -> [SharedWrite] {
      guard running < SharedWriteQueue.mostRunning else { return [] }
      var together: [SharedWrite] = []
      var others: [SharedWrite] = []
      for write in waiting {
        if together.count < SharedWriteQueue.mostTogether, locks.isDisjoint(with: write.locks) {
          locks.formUnion(write.locks)
          together.append(write)
        } else {
          others.append(write)
        }
      }
      waiting = others
      if !together.isEmpty { running += 1 }
      return together
    }
  }

  /// The maximum number of transactions at a time. While the server works on one, this process can work on the other.
  private static let mostRunning = 2
  /// The maximum number of writes in one transaction.
  private static let mostTogether = 32

  private let pool: ConnectionPool
  private let waitingLimit: Int
  private let state = LockedValue(State())

  init(_ pool: ConnectionPool, waitingLimit: Int) {
    self.pool = pool
    self.waitingLimit = waitingLimit
  }

  /// The number of writes that wait for a transaction.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Runs a write: in a transaction with others, or by calling `alone`.
  ///
  /// - Parameter alone: runs `body` in a transaction of its own. Its argument says whether it waits for locks that are
  ///   not free; if it does not, it throws ``LocksTaken``.
  /// - Throws: the error of `body`; ``TransientFailure``; ``LedgerDatabaseError``.
  func run<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value,
    alone: (_ isWaiting: Bool) async throws -> Value
  ) async throws -> Value {
    let result = LockedValue<Result<Value, any Error>?>(nil)
    let outcome = try await withCheckedThrowingContinuation { continuation in
      let write = SharedWrite(locks: locks) { transaction in
        let outcome = Result { try body(transaction) }
        result.value = outcome
        if case .failure(let error) = outcome { return error } else { return nil }
      } end: {
        continuation.resume(returning: $0)
      }
      if !add(write) { continuation.resume(throwing: LedgerDatabaseError.overloaded) }
    }
    switch outcome {
    case .ownTransaction:
      do {
        defer { end(locking: locks) }
        return try await alone(false)
      } catch is LocksTaken {
        // Another server has a lock. The write now waits for it without keeping others from running.
        return try await alone(true)
      }
    case .committed:
      guard let result = result.value else { throw LedgerDatabaseError.failed(reason: "a write gave no result") }
      return try result.get()
    case .undone: return try await alone(true)
    case .failed(let error): throw error
    }
  }

  /// Begins a transaction for the write, or lets it wait.
  ///
  /// - Returns: false if too many writes wait already.
  private func add(_ write: SharedWrite) -> Bool {
    let isAdded = state.withLock { state -> Bool? in
      if state.begin(locking: write.locks) { return nil }
      guard state.waiting.count < waitingLimit else { return false }
      state.waiting.append(write)
      return true
    }
    if isAdded == nil { write.end(.ownTransaction) }
    return isAdded ?? true
  }

  /// Ends a transaction, and begins those that may run now.
  private func end(locking locks: Set<LedgerLock>) {
    let next = state.withLock { state in
      state.running -= 1
      state.locks.subtract(locks)
      return (0..<Self.mostRunning).map { _ in state.beginNext() }
    }
    for writes in next { run(writes) }
  }

  private func run(_ writes: [SharedWrite]) {
    // A single write needs no thread of its own.
    guard writes.count > 1 else { return writes.forEach { $0.end(.ownTransaction) } }
    Task {
      do {
        let outcomes = try await pool.use { SharedTransaction(writes, on: $0).run() }
        for (write, outcome) in zip(writes, outcomes) { write.end(outcome) }
      } catch {
        for write in writes { write.end(.failed(error)) }
      }
      end(locking: writes.reduce(into: []) { $0.formUnion($1.locks) })
    }
  }
}
