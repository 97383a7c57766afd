import Foundation
import Logging
import PurchaseLedger
import StoreModel

/// Opens the database of a ledger. ``SQLiteLedgerOpener`` opens SQLite files. A program that supports PostgreSQL
/// implements its own opener with `PurchaseLedgerPostgreSQL`, so other programs do not contain it.
public protocol LedgerOpener: Sendable {
  /// - Parameter logger: logs messages about the database for the operator.
  func open(_ database: ServerConfiguration.Database, logger: Logger) async throws -> any LedgerDatabase
}

/// Opens ledgers in SQLite files.
public struct SQLiteLedgerOpener: LedgerOpener {
  public init() {}

  /// - Throws: ``ServerStartError/noPostgreSQL`` if the ledger is in PostgreSQL; `DurableSQLiteError`.
  public func open(_ database: ServerConfiguration.Database, logger: Logger) async throws -> any LedgerDatabase {
    guard case .sqlite(let file) = database else { throw ServerStartError.noPostgreSQL }
    return try SQLiteLedgerDatabase(at: file)
  }
}

/// Thrown when the server cannot start.
public enum ServerStartError: DescribedError {
  case emulator(URL, reason: String)
  case cannotRead(URL, reason: String)
  /// The configuration names a ledger in PostgreSQL, but this program opens ledgers in SQLite files only.
  case noPostgreSQL

  public var description: String {
    switch self {
    case .emulator(let url, let reason):
      "The emulator at \(url.absoluteString) did not return its certificates: \(reason)"
    case .cannotRead(let url, let reason): "\(url.path) cannot be used: \(reason)"
    case .noPostgreSQL:
      "This program serves ledgers in SQLite files only. Use database.sqlite, or a program that links PurchaseLedgerPostgreSQL."
    }
  }
}
