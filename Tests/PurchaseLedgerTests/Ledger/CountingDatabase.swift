import GRDB
import GRDBSQLite
import StoreModel

@testable import PurchaseLedger

/// A database that counts the work of its transactions.
final class CountingDatabase: LedgerDatabase {
  struct Work: Equatable {
    var transactions = 0
    var statements = 0
    /// How often a transaction waits for the answers of its statements. Statements that need no answer yet are sent together with
    /// the next one. The commit is the last round trip.
    var roundTrips = 0
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
        work.roundTrips += connection.roundTrips + 1
        work.mostStatements = max(work.mostStatements, connection.statements)
        work.changedRows += connection.changedRows
        work.rows += connection.rows
      }
    }
    let value = try body(LedgerTransaction(connection, holding: transaction.locks))
    try connection.runWaiting()
    return value
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

/// A connection that runs statements when their answers are needed, as a connection to a server does.
private final class CountingConnection: SQLConnection {
  private let base: any SQLConnection
  private var waiting: [() throws -> Void] = []
  private(set) var statements = 0
  private(set) var roundTrips = 0
  private(set) var changedRows = 0
  private(set) var rows = 0

  init(_ base: any SQLConnection) { self.base = base }

  func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLAnswer { try runLater(sql, arguments).get() }

  @discardableResult
  func runLater(_ sql: String, _ arguments: [SQLValue]) throws -> PendingAnswer {
    let answer = PendingAnswer { [unowned self] in
      roundTrips += 1
      try runWaiting()
    }
    waiting.append { [unowned self] in
      let result = try base.run(sql, arguments)
      statements += 1
      changedRows += result.changes
      rows += result.rows.count
      answer.set(result)
    }
    return answer
  }

  /// Runs the statements that were not run yet.
  func runWaiting() throws {
    let statements = waiting
    waiting = []
    for statement in statements { try statement() }
  }
}
