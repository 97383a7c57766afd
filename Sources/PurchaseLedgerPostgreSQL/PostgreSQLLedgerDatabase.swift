import Logging
import PurchaseLedger
import StoreModel

/// A ledger in PostgreSQL, which any number of servers may use at the same time.
///
/// Writes run READ COMMITTED under advisory locks; each read uses one snapshot. If a transaction fails because of a conflict or
/// a lost connection, it is tried again, even if its commit may have succeeded: writes are idempotent.
public final class PostgreSQLLedgerDatabase: LedgerDatabase {
  /// The maximum number of times that a write begins. It begins again if it needs further locks.
  static let beginningsLimit = 16

  private let configuration: PostgreSQLConfiguration
  let pool: ConnectionPool
  let retries: Retries
  let sharedWrites: SharedWriteQueue

  /// Opens the ledger, and migrates its schema.
  ///
  /// - Parameters:
  ///   - report: called with the error before each retry.
  /// - Throws: ``LedgerDatabaseError``.
  public static func open(
    _ configuration: PostgreSQLConfiguration,
    reportingRetries report: @escaping @Sendable (LedgerDatabaseError) -> Void = { _ in }
  ) async throws -> PostgreSQLLedgerDatabase {
    try await open(configuration, retries: Retries(report: report))
  }

  /// Opens the ledger, migrates its schema, and logs retries. Also logs a warning if a failover could lose commits.
  ///
  /// - Throws: ``LedgerDatabaseError``.
  public static func open(
    _ configuration: PostgreSQLConfiguration, logger: Logger
  ) async throws -> PostgreSQLLedgerDatabase {
    let database = try await open(configuration) { error in
      logger.warning("The ledger's database is asked again", metadata: ["reason": "\(error)"])
    }
    do {
      if let warning = try await database.failoverWarning() {
        logger.warning("A failover can lose what was answered", metadata: ["what": "\(warning)"])
      }
    } catch {
      try await database.close()
      throw error
    }
    return database
  }

  static func open(
    _ configuration: PostgreSQLConfiguration, retries: Retries,
    migrations: [LedgerSchema.Migration] = LedgerSchema.migrations(.postgreSQL), clock: any MachineClock = SystemClock()
  ) async throws -> PostgreSQLLedgerDatabase {
    try configuration.check()
    let database = PostgreSQLLedgerDatabase(configuration, retries: retries)
    let migrator = SchemaMigrator(migrations: migrations, clock: clock)
    do {
      try await database.attempts { connection, _ in try migrator.run(on: connection) }
    } catch {
      await database.pool.close()
      throw error
    }
    return database
  }

  private init(_ configuration: PostgreSQLConfiguration, retries: Retries) {
    self.configuration = configuration
    pool = ConnectionPool(configuration)
    self.retries = retries
    sharedWrites = SharedWriteQueue(
      pool, waitingLimit: configuration.waitingLimit, mostAlone: max(1, configuration.poolSize / 2))
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await attempts { connection, cancellation in
      connection.beginReading()
      defer { connection.endReading() }
      let value = try body(LedgerTransaction(connection, cancellation: cancellation))
      if connection.hasWaitingStatements { try connection.sendWaiting() }
      if let failure = connection.failure { throw failure }
      return value
    }
  }

  public func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await retries.run { _ in try await attempt(locking: locks, body) }
  }

  /// Tries once to run a write in a transaction of its own.
  ///
  /// - Parameter waitsForLocks: whether to wait for locks and rows that are not free. Otherwise it throws ``LocksTaken``.
  private func attempt<Value: Sendable>(
    locking locks: Set<LedgerLock>, waitsForLocks: Bool = true,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await attempt(lockFailure: waitsForLocks ? nil : LocksTaken()) { connection, cancellation in
      var locks = locks
      for _ in 0..<Self.beginningsLimit {
        do {
          try cancellation.check()
          try connection.beginWriting(locking: AdvisoryLock.sorted(locks), waitsForLocks: waitsForLocks)
          let value = try body(LedgerTransaction(connection, holding: locks, cancellation: cancellation))
          // The commit is not interrupted: its outcome would be unknown.
          cancellation.endInterrupting()
          try cancellation.check()
          try connection.commit()
          return value
        } catch let missing as LedgerLocksMissing {
          connection.rollBack()
          // All transactions take their locks in the same order, so the missing locks cannot be added to the held ones.
          // The rollback has released the held locks. The transaction begins again, and takes all locks.
          locks.formUnion(missing.locks)
        } catch {
          connection.rollBack()
          throw error
        }
      }
      throw LedgerDatabaseError.overloaded
    }
  }

  public func writeShared<Value: Sendable>(
    locking locks: Set<LedgerLock>, about purchases: Set<PurchaseKey>,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await retries.run { number in
      // After two failures, it no longer depends on other writes.
      guard number <= 2 else { return try await attempt(locking: locks, body) }
      return try await sharedWrites.run(locking: locks, about: purchases, body) { locks, waitsForLocks in
        try await self.attempt(locking: locks, waitsForLocks: waitsForLocks, body)
      }
    }
  }

  public func close() async throws {
    sharedWrites.close()
    await pool.close()
  }

  public var system: String { "PostgreSQL" }

  /// Returns a warning for the operator if commits can be lost in a failover to another host; nil if they cannot, or if there is
  /// only one host.
  ///
  /// - Throws: ``LedgerDatabaseError``.
  public func failoverWarning() async throws -> String? {
    guard configuration.hostCount > 1 else { return nil }
    let names = try await attempts { connection, _ in
      try connection.execute("SELECT current_setting('synchronous_standby_names')").firstRow.first
    }
    return configuration.failoverWarning(synchronousStandbyNames: names ?? "")
  }

  /// Runs `work`. Runs it again if the connection has a temporary failure, even if `work` then threw a different error.
  private func attempts<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection, TransactionCancellation) throws -> Value
  ) async throws -> Value {
    try await retries.run { _ in try await attempt(work) }
  }

  /// Tries once to run `work`. If the task is cancelled, interrupts the statement that runs.
  ///
  /// - Parameter lockFailure: thrown if a lock is not free.
  private func attempt<Value: Sendable>(
    lockFailure: LocksTaken? = nil,
    _ work: @escaping @Sendable (PostgreSQLConnection, TransactionCancellation) throws -> Value
  ) async throws -> Value {
    try await TransactionCancellation.run { cancellation in
      try await pool.use(cancellation: cancellation) { connection in
        do {
          return try work(connection, cancellation)
        } catch {
          // An interrupted statement fails as one that took too long.
          if cancellation.isCancelled { throw CancellationError() }
          if let failure = connection.failure {
            if failure.isTransient { throw failure.transientFailure }
            if failure.kind == .locksTaken, let lockFailure { throw lockFailure }
          }
          throw (error as? PostgreSQLFailure)?.error ?? error
        }
      }
    }
  }
}

extension PostgreSQLLedgerDatabase {
  /// Asks for the tables that do not exist, or in which the user may not read and insert rows. A single write does not show a
  /// revoked right to another table.
  public func checkAccess() async throws {
    let names = LedgerSchema.tableNames(.postgreSQL).joined(separator: " ")
    let missing = try await read { transaction in
      try transaction.rows(
        """
        SELECT name FROM unnest(string_to_array($1, ' ')) AS name
        WHERE to_regclass(name) IS NULL OR NOT has_table_privilege(to_regclass(name), 'SELECT')
          OR NOT has_table_privilege(to_regclass(name), 'INSERT')
        ORDER BY name
        """, names
      ).map { try $0.text("name") }
    }
    guard missing.isEmpty else {
      throw LedgerDatabaseError.notUsable(
        reason: "the user may not read and insert rows in \(missing.joined(separator: ", ")), or they do not exist")
    }
  }
}
