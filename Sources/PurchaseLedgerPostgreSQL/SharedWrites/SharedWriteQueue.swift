import PurchaseLedger
import StoreModel

/// Thrown by a write that does not wait for its locks, if one is not free.
struct LocksTaken: Error {}

/// The writes that may share a transaction.
///
/// At most two transactions run at a time. Writes that arrive meanwhile wait, and then run together in the next one
/// (Documentation/postgresql.md, "Writes that share a transaction").
final class SharedWriteQueue: Sendable {
  private struct State: Sendable {
    var waiting: [SharedWrite] = []
    var running = 0
  }

  private enum Admission {
    case now, later, refused
  }

  /// The maximum number of transactions at a time. While the server works on one, this process can work on the other.
  private static let mostRunning = 2
  /// The maximum number of writes in one transaction.
  static let mostTogether = 32
  /// How many waiting writes are examined to fill a transaction, so that many writes of one customer cost little.
  private static let mostExamined = 4 * mostTogether

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
    let outcome: SharedWrite.Outcome? = try await withCheckedThrowingContinuation { continuation in
      let write = SharedWrite(locks: locks) { transaction in
        let outcome = Result { try body(transaction) }
        result.value = outcome
        if case .failure(let error) = outcome { return error } else { return nil }
      } end: {
        continuation.resume(returning: $0)
      }
      switch admit(write) {
      case .now: continuation.resume(returning: nil)
      case .later: break
      case .refused: continuation.resume(throwing: LedgerDatabaseError.overloaded)
      }
    }
    switch outcome {
    case nil:
      do {
        defer { runNext() }
        return try await alone(false)
      } catch is LocksTaken {
        // It now waits for its locks without keeping other writes from running.
        return try await alone(true)
      }
    case .committed:
      guard let result = result.value else { throw LedgerDatabaseError.failed(reason: "a write gave no result") }
      return try result.get()
    case .alone: return try await alone(true)
    case .failed(let error): throw error
    }
  }

  private func admit(_ write: SharedWrite) -> Admission {
    state.withLock { state in
      if state.running < Self.mostRunning {
        state.running += 1
        return .now
      }
      guard state.waiting.count < waitingLimit else { return .refused }
      state.waiting.append(write)
      return .later
    }
  }

  /// Runs the waiting writes in place of a transaction that has ended.
  private func runNext() {
    let writes = state.withLock { state in
      let writes = Self.removeTogether(from: &state.waiting)
      if writes.isEmpty { state.running -= 1 }
      return writes
    }
    guard !writes.isEmpty else { return }
    Task {
      do {
        let outcomes = try await pool.use { SharedTransaction(writes, on: $0).run() }
        for (write, outcome) in zip(writes, outcomes) { write.end(outcome) }
      } catch {
        for write in writes { write.end(.failed(error)) }
      }
      runNext()
    }
  }

  /// Removes and returns the first waiting writes that need no common lock. In one transaction, locks would not protect
  /// them from each other.
  private static func removeTogether(from waiting: inout [SharedWrite]) -> [SharedWrite] {
    var together: [SharedWrite] = []
    var others: [SharedWrite] = []
    var locks: Set<LedgerLock> = []
    let examined = waiting.prefix(mostExamined)
    for write in examined {
      if together.count < mostTogether, locks.isDisjoint(with: write.locks) {
        locks.formUnion(write.locks)
        together.append(write)
      } else {
        others.append(write)
      }
    }
    waiting.replaceSubrange(0..<examined.count, with: others)
    return together
  }
}
