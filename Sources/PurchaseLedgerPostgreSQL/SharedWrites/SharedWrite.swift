import PurchaseLedger

/// A write that waits, and may run in one transaction with others.
struct SharedWrite: Sendable {
  /// What has become of a write that waited.
  enum Outcome: Sendable {
    /// It may now run in a transaction of its own.
    case ownTransaction
    /// It has run, and its transaction is committed. Its result is valid, also if it is an error: it has then changed
    /// nothing.
    case committed
    /// Its transaction was rolled back, or it has not run. It must run in a transaction of its own.
    case undone
    /// Its transaction failed, and may be repeated.
    case failed(any Error)
  }

  let locks: Set<LedgerLock>
  /// Runs the write and keeps its result. Returns the error, if it throws one.
  let run: @Sendable (LedgerTransaction) -> (any Error)?
  let end: @Sendable (Outcome) -> Void
}
