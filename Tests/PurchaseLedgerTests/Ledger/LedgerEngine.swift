import Foundation
import PurchaseLedger
import Testing

/// The databases that every test of the ledger runs on.
enum LedgerEngine: CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite

  var testDescription: String {
    switch self {
    case .sqlite: "SQLite"
    }
  }

  /// A new, empty database.
  func makeDatabase() async throws -> any LedgerDatabase {
    switch self {
    case .sqlite: try SQLiteLedgerDatabase(at: nil)
    }
  }
}
