import PrivatePostgreSQL
import SharedFixtures
import StoreModel

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

/// A ledger with one small table in a new database.
struct LedgerFixture {
  static let migrations = [
    LedgerSchema.Migration(
      name: "1 note",
      statements: ["CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY, text TEXT, number BIGINT, data BYTEA)"])
  ]
  static let alice = LedgerLock.customer(CustomerID("00000000-0000-4000-8000-00000000000a")!)
  static let bob = LedgerLock.customer(CustomerID("00000000-0000-4000-8000-00000000000b")!)

  let ledger: PostgreSQLLedgerDatabase
  let connectionString: String
  /// The errors that caused retries.
  let retried: Log<LedgerDatabaseError>

  /// A separate connection to the ledger's database.
  func beside() throws -> PlainConnection { try PlainConnection(connectionString) }

  /// The first column of the only row, read over a separate connection.
  func value(_ sql: String) throws -> String? { try beside().run(sql).first?.first ?? nil }

  /// The number of transactions that wait for an advisory lock.
  func waitingForLocks() throws -> Int {
    let text = try value(
      """
      SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()
      """)
    return Int(text ?? "") ?? 0
  }

  static func with(
    server: PrivatePostgreSQL? = nil, migrations: [LedgerSchema.Migration] = Self.migrations,
    configure: (inout PostgreSQLConfiguration) -> Void = { _ in }, policy: RetryPolicy = RetryPolicy(),
    _ body: (LedgerFixture) async throws -> Void
  ) async throws {
    let server = try server ?? PrivatePostgreSQL.shared.get()
    try await server.withDatabase { connectionString in
      var configuration = try PostgreSQLConfiguration.forTests(connectionString)
      configure(&configuration)
      let retried = Log<LedgerDatabaseError>()
      let ledger = try await PostgreSQLLedgerDatabase.open(
        configuration, retries: .withoutPauses(retried, policy), migrations: migrations)
      do {
        try await body(LedgerFixture(ledger: ledger, connectionString: connectionString, retried: retried))
      } catch {
        try await ledger.close()
        throw error
      }
      try await ledger.close()
    }
  }
}

extension PostgreSQLConfiguration {
  static func forTests(_ connectionString: String) throws -> PostgreSQLConfiguration {
    var configuration = try PostgreSQLConfiguration(connectionString: connectionString)
    configuration.acceptsServerWithoutFsync = true
    // No timeout, because on a busy machine a statement may wait long for the test's next step.
    configuration.statementTimeoutMilliseconds = 0
    return configuration
  }
}

extension Retries {
  static func withoutPauses(
    _ retried: Log<LedgerDatabaseError> = Log(), _ policy: RetryPolicy = RetryPolicy(), pauses: Log<Int> = Log()
  ) -> Retries {
    Retries(
      policy: policy, generator: SeededGenerator(seed: 7), report: { retried.append($0) },
      clock: ScriptedClock(sleep: { pauses.append(Int($0.milliseconds)) }))
  }
}
