import PurchaseLedger

/// Thrown when a connection cannot be opened.
enum PostgreSQLOpeningFailure: Error {
  /// A temporary failure: the server may be starting, or a standby may be taking over.
  case transient(String)
  case permanent(LedgerDatabaseError)
}
