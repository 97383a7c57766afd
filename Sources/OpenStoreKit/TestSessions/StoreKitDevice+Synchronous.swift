import StoreModel

// For test sessions with synchronous functions: Documentation/storekittest.md, "When a call returns".
extension StoreKitDevice {
  /// The registration that a store needs for ``begin(_:_:at:)``.
  package var registration: InstallationRegistration { session.registration }

  /// Begins with a new store of the same process that has registered this new installation, and has signed a customer in. Blocks
  /// the calling thread, and uses no thread of Swift's concurrency pool.
  ///
  /// - Parameter revision: that of a store without transactions.
  /// - Throws: ``StoreKitDeviceError``, or an error of the journal.
  package func begin(_ greeting: StoreGreeting, _ account: SignedInAccount, at revision: StoreRevision) throws {
    try engine.begin(greeting, account, at: revision)
  }

  /// Takes in what has changed at the store: when it returns, the lists of StoreKit 2 and the receipt show it, and
  /// `Transaction.updates` has it. Observers of StoreKit 1 are notified on the main queue.
  ///
  /// - Throws: `StoreRefusal`, ``StoreKitDeviceError``, or an error of the journal.
  package func takeIn(from store: some SynchronousStoreConnection) throws { try engine.takeInNow(from: store) }

  /// Forgets transactions that were deleted at the store.
  ///
  /// - Parameter transactions: nil for all transactions, and the payments that have ended or wait for approval.
  /// - Throws: an error of the journal.
  package func forget(_ transactions: Set<TransactionID>?) throws { try engine.forget(transactions) }

  /// A transaction as StoreKit 2 shows it; nil if the device does not have it.
  ///
  /// - Throws: an error of the journal.
  package func shownTransaction(_ id: TransactionID) throws -> VerificationResult<Transaction>? {
    try journal.transaction(id).flatMap { result(of: $0) }
  }

  /// The number of elements that the iterators of `Transaction.updates` have not received yet.
  package var queuedUpdateCount: Int { updates.transactions.queuedCount }
}
