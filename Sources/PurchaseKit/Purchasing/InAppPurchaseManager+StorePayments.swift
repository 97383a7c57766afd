import StoreKit

extension InAppPurchaseManager {
  /// The payments that customers began in the App Store and that could not go on at once, oldest first.
  ///
  /// ``Foundation/NSNotification/Name/InAppPurchaseManagerStorePaymentPendingNotification`` tells of each. A payment waits
  /// here while the manager is not started, the device may not buy, or nobody gives the product. It is not
  /// kept across launches: the App Store shows the product again.
  public var pendingStorePayments: [SKPayment] { storePayments.all }

  /// Goes on with one of ``pendingStorePayments``; the outcome comes as a notification.
  ///
  /// - Throws: ``InAppPurchaseError`` where it still cannot go on; it then stays among them.
  public func resumeStorePayment(_ payment: SKPayment) throws(InAppPurchaseError) {
    let product = payment.productIdentifier
    if let reason = reasonNotToBuy(product) { throw reason }
    // Taking it out decides which of two callers goes on: added twice it would be charged twice.
    guard storePayments.remove(payment) else { throw .notPending(productIdentifier: product) }
    do {
      _ = try purchases.expect(payment, nil, after: queue.transactions)
    } catch {
      storePayments.add(payment)
      throw error
    }
    // The very object that came from the App Store, as StoreKit demands.
    queue.add(payment)
  }

  /// Whether a payment that was begun in the App Store goes on at once. One that does not is remembered.
  func shouldAdd(_ payment: SKPayment) -> Bool {
    if reasonNotToBuy(payment.productIdentifier) == nil { return true }
    if storePayments.add(payment) {
      notifications.post(
        name: .InAppPurchaseManagerStorePaymentPendingNotification, object: self,
        userInfo: [Self.paymentKey: payment])
    }
    return false
  }

  /// Why a product is not to be bought now, before anything is paid; nil if it may.
  private func reasonNotToBuy(_ productIdentifier: String) -> InAppPurchaseError? {
    if !purchases.isAccepting { return .notStarted }
    if !canMakePayments { return .paymentsNotAllowed }
    guard let delivery = deliveries.delivery(of: productIdentifier) else { return .noDelivery(productIdentifier) }
    return delivery.obstacle(to: productIdentifier).map {
      .cannotBeGiven(productIdentifier: productIdentifier, reason: $0)
    }
  }
}
