import Foundation
import PrivatePostgreSQL
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import Testing

/// The kinds of databases with which a server can be configured.
enum LedgerDatabaseKind: CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite
  case postgreSQL

  var testDescription: String {
    switch self {
    case .sqlite: "SQLite"
    case .postgreSQL: "PostgreSQL"
    }
  }

  /// Calls `body` with the value of a configuration's `database` member, for a new ledger.
  func with<Value>(_ body: (_ database: [String: any Sendable]) async throws -> Value) async throws -> Value {
    switch self {
    case .sqlite: return try await body(["sqlite": "ledger.sqlite"])
    case .postgreSQL:
      return try await PrivatePostgreSQL.shared.get().withDatabase { connection in
        try await body(["postgresql": connection, "connections": 4, "withoutFsync": true])
      }
    }
  }

  /// Calls `body` with an empty database.
  func withDatabase(_ body: (any LedgerDatabase) async throws -> Void) async throws {
    switch self {
    case .sqlite: try await body(try SQLiteLedgerDatabase(at: nil))
    case .postgreSQL:
      try await PrivatePostgreSQL.shared.get().withDatabase { connection in
        var configuration = try PostgreSQLConfiguration(connectionString: connection)
        configuration.poolSize = 2
        configuration.acceptsServerWithoutFsync = true
        // No timeout, because on a busy machine a statement may wait long for the test's next step.
        configuration.statementTimeoutMilliseconds = 0
        let database = try await PostgreSQLLedgerDatabase.open(configuration)
        do {
          try await body(database)
        } catch {
          try await database.close()
          throw error
        }
        try await database.close()
      }
    }
  }
}
