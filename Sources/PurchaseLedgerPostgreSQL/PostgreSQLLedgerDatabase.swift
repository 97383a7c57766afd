import Logging
import PurchaseLedger
import StoreModel

/// A ledger in PostgreSQL, which any number of servers may use at the same time.
///
/// Writes run READ COMMITTED under advisory locks, reads from one snapshot. What fails because of another transaction,
/// or because the connection was lost, is done again, also if its commit may have happened: writes are idempotent.
public final class PostgreSQLLedgerDatabase: LedgerDatabase {
  /// How often a write may turn out to be about more than it had said.
  static let beginningsLimit = 16

  private let configuration: PostgreSQLConfiguration
  let pool: ConnectionPool
  let retries: Retries

  /// Opens the ledger, and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - report: is told why, each time before something is tried again.
  /// - Throws: ``LedgerDatabaseError``.
  public static func open(
    _ configuration: PostgreSQLConfiguration,
    reportingRetries report: @escaping @Sendable (LedgerDatabaseError) -> Void = { _ in }
  ) async throws -> PostgreSQLLedgerDatabase {
    try await open(configuration, retries: Retries(report: report))
  }

  /// Opens the ledger, brings its schema up to date, and logs retries and what a failover could lose.
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
      try await database.attempts { try migrator.run(on: $0) }
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
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await attempts { connection in
      try connection.beginReading()
      defer { connection.endReading() }
      let value = try body(LedgerTransaction(connection))
      if let failure = connection.failure { throw failure }
      return value
    }
  }

  public func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await attempts { connection in
      var locks = locks
      for _ in 0..<Self.beginningsLimit {
        do {
          try connection.beginWriting(locking: AdvisoryLock.inOrder(locks))
          let value = try body(LedgerTransaction(connection, holding: locks))
          try connection.commit()
          return value
        } catch let missing as LedgerLocksMissing {
          connection.rollBack()
          // Locks are taken in one order, so those it has must go before it gets the others.
          locks.formUnion(missing.locks)
        } catch {
          connection.rollBack()
          throw error
        }
      }
      throw LedgerDatabaseError.overloaded
    }
  }

  public func close() async throws { await pool.close() }

  /// What can be lost when another host takes the ledger over, in words for whoever operates it; nil where that is nothing,
  /// or where there is one host.
  ///
  /// - Throws: ``LedgerDatabaseError``.
  public func failoverWarning() async throws -> String? {
    guard configuration.hostCount > 1 else { return nil }
    let names = try await attempts { connection in
      try connection.execute("SELECT current_setting('synchronous_standby_names')").firstRow.first
    }
    return configuration.failoverWarning(synchronousStandbyNames: names ?? "")
  }

  /// Does `work`, and does it again after a failure that passes, whatever `work` has made of it.
  private func attempts<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try await retries.run {
      try await pool.use { connection in
        do {
          return try work(connection)
        } catch {
          if let failure = connection.failure, failure.passes { throw failure.passing }
          throw (error as? PostgreSQLFailure)?.error ?? error
        }
      }
    }
  }
}
