import SignedData
import StoreModel

// For test sessions with synchronous functions: Documentation/storekittest.md, "When a call returns".
extension PaymentQueueEngine {
  /// Records that a new store has registered this new installation, and has signed a customer in, on the calling thread.
  ///
  /// - Parameter revision: that of a store without transactions.
  /// - Throws: ``StoreKitDeviceError``, or an error of the journal.
  nonisolated func begin(
    _ greeting: StoreGreeting, _ account: SignedInAccount, at revision: StoreRevision
  ) throws {
    try sync { engine in
      try engine.journal.begin(greeting, account.account, at: revision)
      engine.session.adopt(greeting)
      engine.see(storefront: account.storefrontCountryCode)
      engine.isTakenIn = true
    }
  }

  /// Requests what has changed at a store of the same process, and stores it, on the calling thread: the changed
  /// transactions with the statuses, the unfinished transactions, and the receipt. Nothing is verified.
  ///
  /// - Throws: ``StoreRefusal``, ``StoreKitDeviceError``, or an error of the journal.
  nonisolated func takeInNow(from store: some SynchronousStoreConnection) throws {
    try sync { engine in
      engine.synchronousChanges += 1
      try engine.registerNow(at: store)
      engine.isTakenIn = true
      try engine.takeInPagesNow(from: store)
      try engine.takeInUnfinishedNow(from: store)
      try engine.refreshReceiptNow(from: store)
    }
  }

  /// Forgets transactions that were deleted at the store, on the calling thread.
  ///
  /// - Parameter ids: nil for all transactions and payments.
  nonisolated func forget(_ ids: Set<TransactionID>?) throws {
    try sync { engine in
      engine.synchronousChanges += 1
      let removed = try engine.journal.forget(ids)
      if !removed.isEmpty { engine.listener.removed(removed) }
    }
  }

  private func registerNow(at store: some SynchronousStoreConnection) throws {
    let registration = session.registration
    let greeting = try store.send(RegisterCall(registration: registration), for: registration.installationID)
    if try journal.adopt(greeting) { handle(.epochEnded) }
    session.adopt(greeting)
    see(storefront: greeting.storefrontCountryCode)
  }

  private func see(storefront countryCode: String) {
    if session.storefront.see(Territory(countryCode: countryCode)) { handle(.storefrontChanged) }
  }

  private func takeInPagesNow(from store: some SynchronousStoreConnection) throws {
    var place = try journal.transactionPlace()
    placeAtPageLimit = nil
    while true {
      let page = try store.send(
        TransactionsCall(after: place.revision, limit: nil, withStatuses: true),
        for: session.registration.installationID)
      let next = try place.next(after: page)
      let read = StoreSession.read(page)
      guard
        let changes = try journal.accept(read, of: page, requestedFor: place, at: clock.now, announces: announces)
      else { throw StoreKitDeviceError.deliveryMismatch("changes of another account or epoch") }
      publish(changes, unverified: [])
      place = next
      if !page.hasMore { break }
    }
    refreshing.seen = place
  }

  private func takeInUnfinishedNow(from store: some SynchronousStoreConnection) throws {
    var place: UnfinishedCursor?
    repeat {
      let asked = journal.receiptOrder.requestBegins()
      let batch = try store.send(UnfinishedCall(after: place), for: session.registration.installationID)
      let read = try StoreSession.read(batch, askedAt: asked)
      try keepUnfinished(read, requestedBy: try journal.account())
      place = batch.next
    } while place != nil
  }

  /// Before the first purchase, there is no receipt, as in Xcode.
  private func refreshReceiptNow(from store: some SynchronousStoreConnection) throws {
    guard try journal.receipt() != nil || journal.hasTransactions() else { return }
    let asked = journal.receiptOrder.requestBegins()
    let answer = try store.send(RefreshReceiptCall(), for: session.registration.installationID)
    try journal.keep(StoreSession.read(receipt: answer.receipt, askedAt: asked))
    try publishReceipt()
  }
}
