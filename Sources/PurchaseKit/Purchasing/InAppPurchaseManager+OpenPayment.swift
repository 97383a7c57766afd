/// A payment that has no outcome yet.
public enum OpenPayment: Hashable, Sendable, CaseIterable {
  /// The customer is asked to confirm, or the store processes the payment.
  case underWay
  /// The payment waits for another person's approval (Ask to Buy). That may take a day, and the app may be closed
  /// meanwhile.
  case waitingForApproval
}

extension InAppPurchaseManager {
  /// The payment for the product that has no outcome yet. Of several payments, one under way is returned first.
  ///
  /// While a payment waits for approval, the product's ``PurchaseButton`` waits as well: a second payment could charge
  /// the customer twice for one intended purchase. Neither ``purchase(_:quantity:)`` nor
  /// ``purchaseProduct(_:quantity:)`` refuses a second payment.
  public func openPayment(for productIdentifier: String) -> OpenPayment? {
    if state.withLock({ $0.payments.contains(productIdentifier) }) { return .underWay }
    let states = edge.open.filter { $0.productIdentifier == productIdentifier }.map(\.state)
    if states.contains(.purchasing) { return .underWay }
    return states.contains(.deferred) ? .waitingForApproval : nil
  }
}
