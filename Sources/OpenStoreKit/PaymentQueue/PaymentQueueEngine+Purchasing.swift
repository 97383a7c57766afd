import SignedData
import StoreModel

/// How a payment of `Product.purchase(options:)` has ended for its caller.
enum PurchaseOutcome: Sendable {
  /// The customer owns the product. The transaction is verified, and stored.
  case purchased(DeviceTransaction)
  /// The store's answer was not verified. The payment goes on.
  case unverified(jws: String, VerificationFailure)
  /// The store's answer has no transaction that can be read, or it has a part that does not belong to it. The payment goes on.
  case unreadable
  /// The payment waits for an approval, or for the customer to do something in the App Store.
  case pending
  /// The payment has failed. A cancellation is a failure, too.
  case failed(PaymentFailure)
}

/// A call of `Product.purchase(options:)` that waits for the outcome of its payment.
struct PurchaseCaller: Sendable {
  let result = FirstResult<PurchaseOutcome>()
  /// Whether to continue in another storefront than that of the confirmation; nil means yes.
  let mayContinue: (@Sendable (Territory) -> Bool)?
}

extension PaymentQueueEngine {
  /// Adds a payment of StoreKit 2, and waits for its first outcome.
  ///
  /// If the product is a consumable of which the app has not finished a transaction, that one is the outcome, and no payment
  /// is added.
  ///
  /// - Parameter mayContinue: whether to continue in another storefront than that of the confirmation; nil means yes.
  /// - Throws: `CancellationError` if the task is cancelled. The payment then goes on. ``StoreKitDeviceError/closed``.
  func purchase(
    _ payment: PaymentRequest, mayContinue: (@Sendable (Territory) -> Bool)?
  ) async throws -> PurchaseOutcome {
    try Task.checkCancellation()
    guard !isStopped else { throw StoreKitDeviceError.closed }
    updates.use()
    reportMissingListener()
    let entry: QueueEntry
    do {
      if let unfinished = try journal.unfinishedConsumable(of: payment.productID) { return .purchased(unfinished) }
      entry = try journal.add(payment, at: clock.now, interface: QueueEntry.storeKit2)
    } catch {
      // A payment that is not stored must not be sent, because its charge would be unknown after a relaunch.
      return .failed(
        PaymentFailure(
          .unknown, "The purchase could not be started.",
          underlying: "The payment journal cannot be written: \(error)"))
    }
    let caller = PurchaseCaller(mayContinue: mayContinue)
    callers[entry.sequence] = caller
    // A call that was cancelled does not receive the outcome any more, so its transaction is announced.
    defer { callers[entry.sequence] = nil }
    waitsAnew.insert(entry.sequence)
    payments?.wake()
    do { try beginWait(entry) } catch { reportJournal(error) }
    return try await caller.result.value()
  }

  /// An app must listen to `Transaction.updates` from its launch on, as Apple's StoreKit reports, too: a payment that is
  /// approved later, or whose answer is lost, arrives there.
  private func reportMissingListener() {
    guard !hasReportedNoListener, updates.transactions.count == 0 else { return }
    hasReportedNoListener = true
    listener.report(
      .misuse(
        "A purchase was begun while the app does not iterate over Transaction.updates. It may miss successful purchases. "
          + "Iterate over Transaction.updates from the launch on."))
  }

  /// The payments for which a call waits.
  var awaitedPayments: Set<Int64> { Set(callers.filter(\.value.result.isOpen).keys) }

  /// Gives the outcome of a payment of StoreKit 2, which was committed, to the call that waits for it.
  func answerCaller(of entry: QueueEntry) {
    guard let caller = callers[entry.sequence], let outcome = outcome(of: entry) else { return }
    callers[entry.sequence] = nil
    guard !caller.result.give(outcome), case .purchased = entry.state, let id = entry.signedTransactionID else {
      return
    }
    // If the call was cancelled after the commit, that has not announced the transaction.
    do {
      if try journal.transaction(id)?.announcement == nil { try journal.announce(id) }
    } catch {
      reportJournal(error)
    }
  }

  /// The outcome that the state of an entry is; nil if it is none.
  private func outcome(of entry: QueueEntry) -> Result<PurchaseOutcome, any Error>? {
    switch entry.state {
    case .purchased, .finishing:
      // An entry that is finishing is a redelivery. The transaction is the one that the customer owns already.
      Result {
        guard let id = entry.signedTransactionID, let transaction = try journal.transaction(id) else {
          throw StoreKitDeviceError.deliveryMismatch("a purchase without its transaction")
        }
        return .purchased(transaction)
      }
    case .deferred: .success(.pending)
    case .failed(let failure): .success(.failed(failure))
    case .added, .confirmed, .restored: nil
    }
  }

  /// Gives an answer that was not verified to the call that waits for it, and puts the other unverified transactions on
  /// `Transaction.updates`. The payment goes on: a later answer that is verified is announced.
  func answerUnverified(_ entry: QueueEntry, _ unverified: [StoreSession.UnverifiedTransaction]) {
    if let caller = callers.removeValue(forKey: entry.sequence) {
      if let answer = unverified.first(where: { $0.payment == entry.payment.paymentID }) {
        if caller.result.give(.success(.unverified(jws: answer.jws, answer.failure))) {
          sentUnverified.insert(answer.transactionID)
        }
      } else {
        caller.result.give(.success(.unreadable))
      }
    }
    send(unverified: unverified)
  }

  /// Removes a payment of StoreKit 2 that the store has refused.
  ///
  /// - Parameter outcome: what the call receives that waits for it; nil for the failure.
  func endPayment(_ entry: QueueEntry, _ failure: PaymentFailure, outcome: PurchaseOutcome?) throws {
    guard let outcome else { return try apply(.failed(failure), to: entry.sequence) }
    guard try journal.apply(.failed(failure), to: entry.sequence) != nil else { return }
    callers.removeValue(forKey: entry.sequence)?.result.give(.success(outcome))
    sendAnnounced()
  }

  /// Asks the call that waits for a payment whether to continue in another storefront. If none waits, the payment continues.
  func callerContinues(_ sequence: Int64, in storefront: Territory) async -> Bool {
    guard let mayContinue = callers[sequence]?.mayContinue else { return true }
    // The app's closure may take its time. The queue must not wait for it.
    return await Task.detached { mayContinue(storefront) }.value
  }

  /// The newest transaction that the customer has in the subscription group of a product; nil if this device has none.
  ///
  /// - Throws: ``StoreRefusal``, ``StoreConnectionFailure``.
  func heldSubscription(in product: ProductID) async throws -> DeviceTransaction? {
    let list = try await session.perform { try await $0.products([product], for: $1) }
    guard let group = list.products.first(where: { $0.productID == product })?.subscription?.groupID else { return nil }
    if case .failed(let error) = await sharedRun() { throw error }
    return try journal.newest(in: group)
  }

  // MARK: Transaction.updates

  /// Sends the transactions that were announced since the last call to the iterators of `Transaction.updates`.
  func sendAnnounced() {
    guard journal.announcing.value.last > sentAnnouncement else { return }
    do {
      let announced = try journal.announced(after: sentAnnouncement)
      guard let last = announced.last?.announcement else { return }
      sentAnnouncement = last
      sentTransactions.formUnion(announced.map(\.id))
      updates.transactions.send(announced.map { .stored($0.id) })
    } catch {
      // They stay announced, so that the next call, or the next launch, sends them.
      reportJournal(error)
    }
  }

  /// The maximum number of unverified transactions that are sent in one launch.
  private static let largestUnverifiedCount = 100

  /// Sends transactions that were not verified to the iterators of `Transaction.updates`, each once per launch.
  func send(unverified: [StoreSession.UnverifiedTransaction]) {
    guard updates.transactions.count > 0 else { return }
    let new = unverified.filter {
      sentUnverified.count < Self.largestUnverifiedCount && sentUnverified.insert($0.transactionID).inserted
    }
    if !new.isEmpty { updates.transactions.send(new.map { .unverified(jws: $0.jws, $0.failure) }) }
  }

  // MARK: Calls of the app

  /// Finishes all entries of a signed transaction. Returns after the commit.
  ///
  /// - Parameter jws: the transaction as the app has received it; nil if that is not known.
  func finish(signed id: TransactionID, receivedAs jws: String? = nil) async {
    guard !isStopped else {
      return listener.report(.misuse("A transaction was finished on a device that was closed. It stays unfinished."))
    }
    updates.use()
    do {
      for (entry, effects) in try journal.finish(signed: id, receivedAs: jws) { perform(effects, on: entry) }
    } catch {
      reportJournal(error)
    }
  }

  /// Requests a refund of a purchase for the customer.
  ///
  /// - Throws: `StoreRefusal` with `refundNotPossible` or `refundRequested`; `StoreConnectionFailure`.
  func requestRefund(of id: TransactionID, reason: RefundReason) async throws {
    guard !isStopped else { throw StoreKitDeviceError.closed }
    try await session.perform { try await $0.requestRefund(of: id, reason: reason, for: $1) }
  }

  func reportJournal(_ error: any Error) {
    listener.report(.journal("The payment queue's journal cannot be read or written: \(error)"))
  }
}
