import PurchaseLedger

/// A write that waits, and may run in one transaction with others.
struct SharedWrite: Sendable {
  /// How a write ended that shared a transaction.
  enum Outcome: Sendable {
    /// The transaction is committed. The write's result is valid, also if it is an error: the write has then changed
    /// nothing.
    case committed
    /// Nothing was changed. The write must run in a transaction of its own.
    case alone
    /// The transaction may be repeated.
    case failed(any Error)
  }

  let locks: Set<LedgerLock>
  /// Runs the write and keeps its result. Returns the error, if it throws one.
  let run: @Sendable (LedgerTransaction) -> (any Error)?
  let end: @Sendable (Outcome) -> Void
}
