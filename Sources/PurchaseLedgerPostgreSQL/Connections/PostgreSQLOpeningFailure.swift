import PurchaseLedger

/// Why a connection could not be opened.
enum PostgreSQLOpeningFailure: Error {
  /// The server may be starting, or another one taking its place.
  case passing(String)
  case lasting(LedgerDatabaseError)
}
