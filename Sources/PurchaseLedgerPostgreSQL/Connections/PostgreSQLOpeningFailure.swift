import PurchaseLedger

/// Thrown when a connection cannot be opened.
enum PostgreSQLOpeningFailure: Error {
  /// A temporary failure: the server may be starting, or another one may be taking over.
  case passing(String)
  /// A permanent failure.
  case lasting(LedgerDatabaseError)
}
