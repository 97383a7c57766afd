import StoreKit

extension InAppPurchaseManager {
  /// The transactions that were paid for and not given, in the order in which they came, each with why: nobody in this
  /// version of the app knows the product, or who gives it failed.
  ///
  /// They stay in the payment queue, unfinished, and are given at a later launch, by a later version, when somebody is
  /// registered who knows the product, or by ``deliverKept()``.
  public var keptTransactions: [KeptTransaction] { kept.all }

  /// Adds who gives some products while the app runs. What was paid for before and waits for them is given now; the
  /// outcome comes as a notification.
  ///
  /// Where several give the same product, the first one does.
  public func register(_ delivery: any ProductDelivery) {
    deliveries.add(delivery)
    let known = keptTransactions.map(\.transaction).filter { delivery.handles($0.payment.productIdentifier) }
    Task { for transaction in known { await give(transaction, onlyIfKept: true) } }
  }

  /// Tries again to give what was kept, for example when there is room on the disk again. Outcomes are told by notification
  /// as well.
  ///
  /// - Returns: what is kept still.
  @discardableResult
  public func deliverKept() async -> [KeptTransaction] {
    for entry in keptTransactions { await give(entry.transaction, onlyIfKept: true) }
    return keptTransactions
  }

  /// Gives what was paid for, and finishes the transaction if that succeeded.
  func complete(_ transaction: SKPaymentTransaction) {
    // StoreKit's transactions may go anywhere (Apple declares them Sendable); they are only finished on the main queue.
    Task { await give(transaction) }
  }

  /// Giving may take a while; a transaction that is told of again meanwhile is already being given.
  private func give(_ transaction: SKPaymentTransaction, onlyIfKept: Bool = false) async {
    guard deliveriesUnderWay.begin(transaction) else { return }
    if onlyIfKept, !kept.contains(transaction) {
      // Given by somebody else since it was looked up. Again would give nothing more, but tell of it twice.
      return deliveriesUnderWay.end(transaction)
    }
    // Looked up once: what a delivery throws must not be taken for there being none.
    let delivery = deliveries.delivery(of: transaction.restoredProductIdentifier)
    let result: Result<PaidPurchase, any Error>
    do {
      result = .success(try await deliver(transaction, by: delivery))
    } catch {
      result = .failure(error)
    }
    await delivered(transaction, result, wasKnownToNobody: delivery == nil)
  }

  private func deliver(
    _ transaction: SKPaymentTransaction, by delivery: (any ProductDelivery)?
  ) async throws -> PaidPurchase {
    let identifier = transaction.restoredProductIdentifier
    guard let purchase = PaidPurchase(transaction) else {
      throw InAppPurchaseError.incompleteTransaction(productIdentifier: identifier)
    }
    guard let delivery else { throw InAppPurchaseError.unknownProduct(identifier) }
    try await delivery.deliver(purchase)
    return purchase
  }

  @MainActor
  private func delivered(
    _ transaction: SKPaymentTransaction, _ result: Result<PaidPurchase, any Error>, wasKnownToNobody: Bool
  ) {
    // Kept before it is no longer under way: who is registered at this moment finds it in one place or the other.
    var keeps: (any Error)?
    if case .failure(let error) = result, !(error is RefusedPurchase) { keeps = error }
    if let keeps { kept.keep(transaction, keeps) } else { kept.remove(transaction) }
    deliveriesUnderWay.end(transaction)
    let product = transaction.restoredProductIdentifier
    if wasKnownToNobody, deliveries.delivery(of: product) != nil {
      // Somebody who knows the product was registered while nobody was found.
      return complete(transaction)
    }
    // Before screens are told, so that their buttons are free again; before whoever waits, who may buy again at once.
    let waiting = purchases.take(transaction)
    switch result {
    case .success:
      queue.finishTransaction(transaction)
      post(.InAppPurchaseManagerTransactionSucceededNotification, transaction)
    case .failure(let error as RefusedPurchase):
      queue.finishTransaction(transaction)
      post(.InAppPurchaseManagerTransactionRefusedNotification, transaction, error)
    case .failure(let error):
      // Not finished: it comes again at the next launch, to this version of the app or a later one.
      post(.InAppPurchaseManagerTransactionKeptNotification, transaction, error)
    }
    waiting?.resume(with: result)
    if transaction.transactionState == .restored { tell(restoring.delivered(transaction, result)) }
  }
}
