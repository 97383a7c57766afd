import Foundation

extension InAppPurchaseManager {
  /// The payments that customers began in the App Store (promoted purchases) and that could not continue at once,
  /// oldest first.
  ///
  /// ``Foundation/NSNotification/Name/InAppPurchaseManagerStorePaymentPendingNotification`` reports each one. A payment
  /// waits here while the manager is not started, the device may not buy, no delivery handles the product, or it cannot be
  /// delivered now. It is not kept across launches: the App Store shows the product again.
  public var pendingStorePayments: [StorePayment] { state.withLock { $0.storePayments }.all }

  /// Continues one of ``pendingStorePayments``; a notification reports the outcome.
  ///
  /// - Throws: ``InAppPurchaseError``: `notPending` if the payment is not in the list. Other errors if it still cannot
  ///   continue; it then stays in the list.
  public func resumeStorePayment(_ payment: StorePayment) throws(InAppPurchaseError) {
    let product = payment.productIdentifier
    if let reason = reasonNotToBuy(product) { throw reason }
    let order = UUID()
    try state.withLock { state throws(InAppPurchaseError) in
      guard state.isStarted else { throw .notStarted }
      // Only one of two concurrent callers can remove the payment. A payment that is added twice would be charged
      // twice.
      guard state.storePayments.remove(payment) else { throw .notPending(productIdentifier: product) }
      try state.add(order, of: product)
    }
    edge.resume(payment, order: order)
  }

  /// Whether a payment that was begun in the App Store continues at once. Otherwise it is added to ``pendingStorePayments``.
  func shouldAdd(_ payment: StorePayment) -> Bool {
    if reasonNotToBuy(payment.productIdentifier) == nil { return true }
    if state.withLock({ $0.storePayments.add(payment) }) {
      notifications.post(
        name: .InAppPurchaseManagerStorePaymentPendingNotification, object: self,
        userInfo: [Self.paymentKey: payment])
    }
    return false
  }

  /// Why a product cannot be bought now; nil if it can.
  private func reasonNotToBuy(_ productIdentifier: String) -> InAppPurchaseError? {
    if !state.withLock({ $0.isStarted }) { return .notStarted }
    if !canMakePayments { return .paymentsNotAllowed }
    guard let delivery = delivery(of: productIdentifier) else { return .noDelivery(productIdentifier) }
    return delivery.obstacle(to: productIdentifier).map {
      .cannotBeGiven(productIdentifier: productIdentifier, reason: $0)
    }
  }
}
