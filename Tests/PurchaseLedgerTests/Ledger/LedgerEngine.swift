import Foundation
import PrivatePostgreSQL
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import Testing

/// The databases that every test of the ledger runs on.
enum LedgerEngine: CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite
  case postgreSQL

  var testDescription: String {
    switch self {
    case .sqlite: "SQLite"
    case .postgreSQL: "PostgreSQL"
    }
  }

  /// Creates an empty database.
  func makeDatabase() async throws -> any LedgerDatabase {
    switch self {
    case .sqlite: return try SQLiteLedgerDatabase(at: nil)
    case .postgreSQL:
      let server = try PrivatePostgreSQL.shared.get()
      let name = "ledger_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
      _ = try server.run("CREATE DATABASE \(name)")
      var configuration = try PostgreSQLConfiguration(connectionString: server.connectionString(database: name))
      configuration.poolSize = 4
      configuration.acceptsServerWithoutFsync = true
      // No timeout, because on a busy machine a statement may wait long for a lock.
      configuration.statementTimeoutMilliseconds = 0
      return try await PostgreSQLLedgerDatabase.open(configuration)
    }
  }
}
