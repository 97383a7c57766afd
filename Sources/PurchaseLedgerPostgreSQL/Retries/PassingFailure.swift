import PurchaseLedger

/// Ends an attempt after which another one is made.
struct PassingFailure: Error {
  /// What the caller is told if it was the last attempt.
  let error: LedgerDatabaseError
  /// How many attempts it is worth, where that is fewer than the policy's.
  var mostAttempts = Int.max
}
