import PurchaseLedger
import StoreModel

/// The writes that may share a transaction.
///
/// At most two transactions run at a time, besides those in which a single write waits for a lock. Writes that arrive
/// meanwhile wait, and then run together in the next one (Documentation/postgresql.md, "Writes that share a
/// transaction"). A write that has a lock or a purchase in common with a running one also waits.
final class SharedWriteQueue: Sendable {
  private typealias Ticket = WaitQueue<SharedWrite.Outcome>.Ticket
  private typealias Waiter = WaitQueue<SharedWrite.Outcome>.Waiter

  /// Something that only one of the running writes may concern. In one transaction, neither locks nor changed rows
  /// protect writes from each other.
  private enum Subject: Hashable {
    case lock(LedgerLock)
    case purchase(PurchaseKey)

    static func all(of write: SharedWrite) -> Set<Subject> {
      Set(write.locks.map { .lock($0) }).union(write.purchases.map { .purchase($0) })
    }
  }

  private struct WaitingWrite: Sendable {
    let write: SharedWrite
    let subjects: Set<Subject>
    let ticket: Ticket
  }

  private struct State: Sendable {
    var waiting = WaitQueue<SharedWrite.Outcome>()
    /// The writes of the waiting tasks, in their order. That of a cancelled task is removed a little later.
    var writes: [WaitingWrite] = []
    var running = 0
    /// The subjects of the running transactions, and of the writes that run, or wait to run, in one of their own.
    var subjects: Set<Subject> = []
    /// The writes that wait to run in a transaction of their own, in which they wait for locks.
    var waitingAlone = WaitQueue<Result<Void, any Error>>()
    var runningAlone = 0
    var isClosed = false

    /// Begins a transaction of one write with these subjects, if it may run now. It must not overtake a waiting write with
    /// a common subject.
    mutating func begin(_ own: Set<Subject>) -> Bool {
      guard running < SharedWriteQueue.mostRunning, subjects.isDisjoint(with: own),
        writes.allSatisfy({ $0.subjects.isDisjoint(with: own) })
      else { return false }
      running += 1
      subjects.formUnion(own)
      return true
    }

    /// Begins the next transaction, and returns its writes: the first ones that have no subject in common, neither with
    /// each other nor with an earlier one that must wait. Returns no writes if none may run now.
    mutating func beginNext() -> [(write: SharedWrite, waiter: Waiter)] {
      guard running < SharedWriteQueue.mostRunning else { return [] }
      var together: [(SharedWrite, Waiter)] = []
      var begun: Set<Subject> = []
      var taken = subjects
      writes.removeAll { entry in
        guard together.count < SharedWriteQueue.mostTogether else { return false }
        defer { taken.formUnion(entry.subjects) }
        guard taken.isDisjoint(with: entry.subjects) else { return false }
        if let waiter = waiting.remove(entry.ticket) {
          begun.formUnion(entry.subjects)
          together.append((entry.write, waiter))
        }
        return true
      }
      subjects.formUnion(begun)
      if !together.isEmpty { running += 1 }
      return together
    }

    mutating func release(_ ended: [SharedWrite]) {
      for write in ended { subjects.subtract(Subject.all(of: write)) }
    }
  }

  /// The maximum number of transactions at a time, besides those in which a single write waits for a lock. While the server
  /// works on one, this process can work on the other.
  private static let mostRunning = 2
  /// The maximum number of writes in one transaction.
  private static let mostTogether = 32

  private let pool: ConnectionPool
  private let waitingLimit: Int
  private let mostAlone: Int
  private let state = LockedValue(State())

  /// - Parameters:
  ///   - waitingLimit: the maximum number of waiting writes. Further ones are refused.
  ///   - mostAlone: the maximum number of writes that wait for locks in transactions of their own, each with a connection.
  init(_ pool: ConnectionPool, waitingLimit: Int, mostAlone: Int) {
    self.pool = pool
    self.waitingLimit = waitingLimit
    self.mostAlone = mostAlone
  }

  /// The number of writes that wait for a transaction.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Whether no further transaction may run now.
  var isFull: Bool { state.withLock { $0.running >= Self.mostRunning } }

  /// Runs a write: in a transaction with others, or by calling `alone`.
  ///
  /// - Parameter alone: runs `body` in a transaction of its own, with these locks. `waitsForLocks` is false if it must
  ///   not wait for locks that are not free; it then throws ``LocksTaken``.
  /// - Throws: the error of `body`; ``TransientFailure``; ``LedgerDatabaseError``; `CancellationError` if the task is
  ///   cancelled while it waits.
  func run<Value: Sendable>(
    locking locks: Set<LedgerLock>, about purchases: Set<PurchaseKey>,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value,
    alone: (_ locks: Set<LedgerLock>, _ waitsForLocks: Bool) async throws -> Value
  ) async throws -> Value {
    let result = LockedValue<Result<Value, any Error>?>(nil)
    let write = SharedWrite(locks: locks, purchases: purchases) { transaction in
      let outcome = Result { try body(transaction) }
      result.value = outcome
      if case .failure(let error) = outcome { return error } else { return nil }
    }
    switch await outcome(of: write) {
    case .begun:
      defer { end([write]) }
      return try await runAlone(alone, locks) { endTransaction() }
    case .ended:
      guard let result = result.value else { throw LedgerDatabaseError.failed(reason: "a write gave no result") }
      return try result.get()
    case .mustRunAlone(let needed):
      defer { end([write]) }
      return try await runAlone(alone, locks.union(needed)) {}
    case .failed(let error): throw error
    }
  }

  /// Refuses all waiting and new writes.
  func close() {
    let (refused, refusedAlone) = state.withLock { state in
      state.isClosed = true
      state.writes = []
      return (state.waiting.removeAll(), state.waitingAlone.removeAll())
    }
    for waiter in refused { waiter.resume(.failed(LedgerDatabaseError.closed)) }
    for waiter in refusedAlone { waiter.resume(.failure(LedgerDatabaseError.closed)) }
  }

  private func outcome(of write: SharedWrite) async -> SharedWrite.Outcome {
    let (ticket, own) = (Ticket(), Subject.all(of: write))
    let outcome = await state.wait(in: \.waiting, cancelled: .failed(CancellationError()), as: ticket) { state in
      if state.isClosed { return .failed(LedgerDatabaseError.closed) }
      if state.begin(own) { return .begun }
      guard state.waiting.count + state.waitingAlone.count < waitingLimit else {
        return .failed(LedgerDatabaseError.overloaded)
      }
      state.writes.append(WaitingWrite(write: write, subjects: own, ticket: ticket))
      return nil
    }
    if case .failed(is CancellationError) = outcome {
      proceed { $0.writes.removeAll { $0.ticket == ticket } }
    }
    return outcome
  }

  /// Runs a write in a transaction of its own. If a lock is not free, waits for it without keeping others from running.
  ///
  /// - Parameter tried: called after the first try, which does not wait for locks.
  private func runAlone<Value>(
    _ alone: (_ locks: Set<LedgerLock>, _ waitsForLocks: Bool) async throws -> Value, _ locks: Set<LedgerLock>,
    tried: () -> Void
  ) async throws -> Value {
    do {
      defer { tried() }
      return try await alone(locks, false)
    } catch is LocksTaken {
      return try await inPlaceAlone { try await alone(locks, true) }
    }
  }

  /// Runs `work` as one of the writes that wait for locks in transactions of their own.
  private func inPlaceAlone<Value>(_ work: () async throws -> Value) async throws -> Value {
    try await state.wait(in: \.waitingAlone, cancelled: .failure(CancellationError())) { state in
      if state.isClosed { return .failure(LedgerDatabaseError.closed) }
      guard state.runningAlone < mostAlone else { return nil }
      state.runningAlone += 1
      return .success(())
    }.get()
    defer {
      let next = state.withLock { state in
        let next = state.waitingAlone.removeFirst()
        if next == nil { state.runningAlone -= 1 }
        return next
      }
      next?.resume(.success(()))
    }
    return try await work()
  }

  private func endTransaction() { proceed { $0.running -= 1 } }

  /// Lets others have the subjects of these writes.
  private func end(_ writes: [SharedWrite]) { proceed { $0.release(writes) } }

  /// Changes the state, and begins the transactions that may run then.
  private func proceed(_ change: (inout State) -> Void) {
    let next = state.withLock { state in
      change(&state)
      return (0..<Self.mostRunning).map { _ in state.beginNext() }
    }
    for writes in next { run(writes) }
  }

  private func run(_ writes: [(write: SharedWrite, waiter: Waiter)]) {
    // A single write needs no thread of its own.
    guard writes.count > 1 else { return writes.forEach { $0.waiter.resume(.begun) } }
    Task {
      let outcomes: [SharedWrite.Outcome]
      do {
        outcomes = try await pool.use { SharedTransaction(writes.map(\.write), on: $0).run() }
      } catch {
        outcomes = writes.map { _ in .failed(error) }
      }
      // A write that must run alone keeps its subjects until it has run.
      end(zip(writes, outcomes).filter { !$0.1.isPending }.map(\.0.write))
      for (write, outcome) in zip(writes, outcomes) { write.waiter.resume(outcome) }
      endTransaction()
    }
  }
}
