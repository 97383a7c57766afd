extension InAppPurchaseManager {
  /// The paid transactions whose products could not be delivered, in the order of their first failure: no registered
  /// delivery handles the product, or the delivery failed.
  ///
  /// They stay unfinished. Three events deliver their products: a later launch, a call of
  /// ``register(_:)`` with a delivery for them, and a call of ``deliverKept()``.
  public var keptTransactions: [KeptTransaction] { state.withLock { $0.fulfilments.kept } }

  /// Adds a delivery while the app runs. Kept transactions of its products are delivered now; notifications report the
  /// outcome.
  ///
  /// If several deliveries handle a product, the first one delivers it.
  public func register(_ delivery: any ProductDelivery) {
    let kept = state.withLock {
      $0.deliveries.append(delivery)
      return $0.fulfilments.kept
    }
    let known = kept.map(\.transaction).filter { delivery.handles($0.productIdentifier) }
    Task { for transaction in known { await process(transaction, isRetry: true) } }
  }

  /// Tries to deliver the kept transactions again, for example after the customer made room on the disk. Notifications
  /// report the outcomes as well.
  ///
  /// - Returns: the transactions that are still kept.
  @discardableResult
  public func deliverKept() async -> [KeptTransaction] {
    for entry in keptTransactions { await process(entry.transaction, isRetry: true) }
    return keptTransactions
  }

  /// Delivers the product of a paid transaction. Then finishes the transaction, also if the delivery throws
  /// ``RefusedPurchase``. After any other error, the transaction is kept.
  ///
  /// - Returns: the work. It ends when the delivery has ended, also one that was under way already. Its value is true:
  ///   a transaction that is kept counts as handled, because it comes again at the next launch.
  @discardableResult
  func fulfil(_ transaction: StoreTransaction) -> Task<Bool, Never> {
    Task {
      await process(transaction, isRetry: false)
      return true
    }
  }

  func delivery(of productIdentifier: String) -> (any ProductDelivery)? {
    state.withLock { $0.deliveries }.first { $0.handles(productIdentifier) }
  }

  private func process(_ transaction: StoreTransaction, isRetry: Bool) async {
    // A kept transaction may have changed since, for instance by a refund.
    let transaction = edge.current(transaction)
    guard state.withLock({ $0.fulfilments.begin(transaction, isRetry: isRetry) }) else {
      // A retry returns at once, because a delivery may call for it.
      if !isRetry { await untilDelivered(transaction) }
      return
    }
    // The delivery is looked up once, so that an `unknownProduct` error of a delivery is not taken for a missing one.
    let delivery = delivery(of: transaction.productIdentifier)
    let result: Result<PaidPurchase, any Error>
    do {
      result = .success(try await deliver(transaction, by: delivery))
    } catch {
      result = .failure(error)
    }
    let (isDueAgain, waiting) = await delivered(transaction, result, hadDelivery: delivery != nil)
    if isDueAgain { await process(transaction, isRetry: false) }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the product of a transaction is not being delivered any more.
  private func untilDelivered(_ transaction: StoreTransaction) async {
    await withCheckedContinuation { continuation in
      let waits = state.withLock { $0.fulfilments.wait(for: transaction, continuation) }
      if !waits { continuation.resume() }
    }
  }

  private func deliver(
    _ transaction: StoreTransaction, by delivery: (any ProductDelivery)?
  ) async throws -> PaidPurchase {
    let identifier = transaction.productIdentifier
    guard let purchase = transaction.purchase else {
      throw InAppPurchaseError.incompleteTransaction(productIdentifier: identifier)
    }
    guard let delivery else { throw InAppPurchaseError.unknownProduct(identifier) }
    try await delivery.deliver(purchase)
    return purchase
  }

  /// - Returns: whether the product has to be delivered again at once, and the tasks that wait for the end of the
  ///   delivery.
  @MainActor
  private func delivered(
    _ transaction: StoreTransaction, _ result: Result<PaidPurchase, any Error>, hadDelivery: Bool
  ) -> (isDueAgain: Bool, ended: [CheckedContinuation<Void, Never>]) {
    let keeps: (any Error)? =
      switch result {
      case .failure(let error) where !(error is RefusedPurchase): error
      default: nil
      }
    let (waiting, ended, hasDeliveryNow) = state.withLock { state in
      let hasDeliveryNow = state.deliveries.contains { $0.handles(transaction.productIdentifier) }
      // No delivery was found before, and one was registered meanwhile. The transaction is delivered again at once, and
      // not kept.
      if !hadDelivery, hasDeliveryNow {
        let ended = state.fulfilments.end(transaction, keptBecause: nil)
        return (nil as AddedPayments.Waiting?, ended, true)
      }
      let ended = state.fulfilments.end(transaction, keptBecause: keeps)
      // The payment is removed before the notification, so that buttons are enabled again. It is also removed before
      // the waiting task resumes, because that may buy again at once.
      return (state.payments.remove(transaction), ended, false)
    }
    if hasDeliveryNow { return (true, ended) }
    switch result {
    case .success:
      edge.finish(transaction)
      post(.InAppPurchaseManagerTransactionSucceededNotification, transaction)
    case .failure(let error as RefusedPurchase):
      edge.finish(transaction)
      post(.InAppPurchaseManagerTransactionRefusedNotification, transaction, error)
    case .failure(let error):
      // The transaction is not finished, so StoreKit delivers it again at the next launch of this version of the app or
      // a later one.
      post(.InAppPurchaseManagerTransactionKeptNotification, transaction, error)
    }
    waiting?.continuation.resume(with: result)
    if transaction.state == .restored { advanceRestore { $0.delivered(transaction, result) } }
    return (false, ended)
  }
}
