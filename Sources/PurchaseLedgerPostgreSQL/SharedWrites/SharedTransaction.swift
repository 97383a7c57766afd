import Dispatch
import PurchaseLedger
import StoreModel

/// One transaction of several writes (Documentation/postgresql.md, "Writes that share a transaction").
struct SharedTransaction {
  private let writes: [SharedWrite]
  private let connection: PostgreSQLConnection

  /// - Parameter writes: have no lock and no purchase in common.
  init(_ writes: [SharedWrite], on connection: PostgreSQLConnection) {
    self.writes = writes
    self.connection = connection
  }

  /// Runs the writes, and returns their outcomes in the same order.
  func run() -> [SharedWrite.Outcome] {
    do {
      try connection.beginWriting(locking: [], waitsForLocks: false)
      let needed = writes.map { AdvisoryLock.all($0.locks) }
      let held = try connection.lockWithoutWaiting(needed.reduce(into: []) { $0.formUnion($1) })
      // A write whose lock is not free waits for it in a transaction of its own, so that no other write waits.
      let runnable = writes.indices.filter { needed[$0].isSubset(of: held) }
      let outcomes = Dictionary(uniqueKeysWithValues: zip(runnable, try finish(runnable.map { writes[$0] })))
      return writes.indices.map { outcomes[$0] ?? .mustRunAlone(needing: []) }
    } catch {
      connection.rollBack()
      guard let failure = connection.failure, failure.isTransient else {
        return writes.map { _ in .mustRunAlone(needing: []) }
      }
      return writes.map { _ in .failed(failure.transientFailure) }
    }
  }

  /// Runs the writes whose locks are held, and commits.
  private func finish(_ writes: [SharedWrite]) throws -> [SharedWrite.Outcome] {
    let ended = try runTogether(writes)
    // Statements of different writes alternate, so the changes of one write cannot be undone without the others'.
    if let spoiling = ended.first(where: { $0.error != nil && $0.hasChangedRows }), let error = spoiling.error {
      throw error
    }
    if ended.allSatisfy({ $0.error != nil }) {
      connection.rollBack()
    } else {
      try connection.commit()
    }
    return ended.map { write in
      switch write.error {
      case nil: .ended
      case let missing as LedgerLocksMissing: .mustRunAlone(needing: missing.locks)
      case let error?: .failed(error)
      }
    }
  }

  /// Runs each write on a thread of its own. Each time all of them have stopped, sends their statements together.
  private func runTogether(_ writes: [SharedWrite]) throws -> [SharedConnection] {
    let stops = StopCounter()
    let connections = writes.map { _ in SharedConnection { stops.count() } }
    var running = connections
    var failure: PostgreSQLFailure?
    stops.expect(running.count)
    for (write, connection) in zip(writes, connections) { connection.start(write) }
    while !running.isEmpty {
      stops.wait()
      if failure == nil {
        do throws(PostgreSQLFailure) {
          try send(running.flatMap { $0.takeStatements() }, isLast: running.allSatisfy(\.hasEnded))
        } catch {
          failure = error
        }
      }
      running.removeAll { $0.hasEnded }
      stops.expect(running.count)
      for connection in running { connection.proceed(failure?.error) }
    }
    if let failure { throw failure }
    return connections
  }

  /// Sends statements. The last ones are sent together with the commit.
  private func send(_ statements: [SharedConnection.Statement], isLast: Bool) throws(PostgreSQLFailure) {
    for statement in statements { try connection.sendLater(statement.sql, statement.arguments, statement.answer) }
    if !isLast { try connection.sendWaiting() }
  }
}

/// Counts the writes that have stopped.
private final class StopCounter: Sendable {
  private let missing = LockedValue(0)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Sets the number of writes that run. Must be called before they run.
  func expect(_ writes: Int) { missing.value = writes }

  func count() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { semaphore.signal() }
  }

  /// Returns when all writes have stopped.
  func wait() { semaphore.wait() }
}
