import GRDB
import GRDBSQLite
import StoreModel

@testable import PurchaseLedger

/// A database that counts the work of its transactions.
final class CountingDatabase: LedgerDatabase {
  struct Work: Equatable {
    var transactions = 0
    var statements = 0
    /// The statements of the largest transaction.
    var mostStatements = 0
    var changedRows = 0
    /// The rows that were returned.
    var rows = 0
    /// Steps of SQLite's virtual machine; 0 for PostgreSQL.
    var steps = 0
  }

  /// Thrown instead of the write with a chosen number.
  struct Stopped: Error {}

  private let base: any LedgerDatabase
  private let steps: StepCount
  private let work = LockedValue(Work())
  private let stopsAt = LockedValue<Int?>(nil)
  private let cancels = LockedValue(false)

  /// Creates an empty database.
  init(_ engine: LedgerEngine) async throws {
    let steps = StepCount()
    self.steps = steps
    base =
      switch engine {
      case .sqlite:
        try SQLiteLedgerDatabase(
          at: nil, migrations: LedgerSchema.migrations(.sqlite), prepare: { steps.count(on: $0) })
      case .postgreSQL: try await engine.makeDatabase()
      }
  }

  /// Returns the work of `action`.
  ///
  /// - Parameters:
  ///   - stop: the number of the first write that fails; nil for none.
  ///   - cancelling: whether the task is cancelled there instead, so that later writes of other tasks succeed.
  func counting(
    stoppingAt stop: Int? = nil, cancelling: Bool = false, _ action: () async throws -> Void
  ) async throws -> Work {
    work.value = Work()
    stopsAt.value = stop
    cancels.value = cancelling
    defer { stopsAt.value = nil }
    steps.value.value = 0
    try await action()
    work.withLock { $0.steps = steps.value.value }
    return work.value
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await base.read { [self] in try counted($0, body) }
  }

  func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    let isStopped = stopsAt.withLock { remaining in
      guard let number = remaining else { return false }
      remaining = max(number - 1, 0)
      return number <= 1
    }
    if isStopped {
      guard cancels.value else { throw Stopped() }
      stopsAt.value = nil
      withUnsafeCurrentTask { $0?.cancel() }
    }
    try Task.checkCancellation()
    return try await base.write(locking: locks) { [self] in try counted($0, body) }
  }

  func close() async throws { try await base.close() }

  private func counted<Value>(
    _ transaction: LedgerTransaction, _ body: (LedgerTransaction) throws -> Value
  ) throws -> Value {
    let connection = CountingConnection(transaction.connection)
    defer {
      work.withLock { work in
        work.transactions += 1
        work.statements += connection.statements
        work.mostStatements = max(work.mostStatements, connection.statements)
        work.changedRows += connection.changedRows
        work.rows += connection.rows
      }
    }
    return try body(LedgerTransaction(connection, holding: transaction.locks))
  }
}

/// The number of steps of SQLite's virtual machine. Unlike the number of statements, it contains the rows that a statement reads
/// without returning them.
private final class StepCount: Sendable {
  let value = LockedValue(0)

  /// Counts the steps of the statements of a connection, which must not outlive this object.
  func count(on database: Database) {
    // SQLite calls back at the end of each statement.
    sqlite3_trace_v2(
      database.sqliteConnection, UInt32(SQLITE_TRACE_PROFILE),
      { _, context, statement, _ in
        guard let context, let statement else { return 0 }
        let steps = sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
        Unmanaged<StepCount>.fromOpaque(context).takeUnretainedValue().value.withLock { $0 += Int(steps) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

private final class CountingConnection: SQLConnection {
  private let base: any SQLConnection
  private(set) var statements = 0
  private(set) var changedRows = 0
  private(set) var rows = 0

  init(_ base: any SQLConnection) { self.base = base }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer {
    let answer = try base.run(sql, arguments)
    statements += 1
    changedRows += answer.changes
    rows += answer.rows.count
    return answer
  }
}
