import PurchaseLedger

/// A write that may share a transaction with others.
struct SharedWrite: Sendable {
  enum Outcome: Sendable {
    /// The write may run now, in a transaction of its own.
    case begun
    /// The write has run, and its transaction is committed. Its result is valid.
    case ended
    /// The write has not run, or its transaction was rolled back. It must run in a transaction of its own, with these
    /// locks besides its own.
    case mustRunAlone(needing: Set<LedgerLock>)
    /// The write has thrown this error, and changed nothing; or its transaction failed with it, or never began.
    case failed(any Error)

    /// Whether the write runs after this.
    var isPending: Bool {
      switch self {
      case .begun, .mustRunAlone: true
      case .ended, .failed: false
      }
    }
  }

  let locks: Set<LedgerLock>
  let purchases: Set<PurchaseKey>
  /// Runs the write and keeps its result. Returns the error, if it throws one.
  let run: @Sendable (LedgerTransaction) -> (any Error)?
}
