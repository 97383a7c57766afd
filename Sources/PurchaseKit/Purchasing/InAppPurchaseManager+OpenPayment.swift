import StoreKit

extension InAppPurchaseManager {
  /// The payment for the product that has no outcome yet; of several, one that is under way.
  ///
  /// While one waits for approval, the product's button waits as well: asked for again, two approvals would charge twice for
  /// what the customer takes for one purchase. Other products can be bought, and an app that wants to ask again all the same
  /// may: neither ``purchase(_:quantity:)`` nor ``purchaseProduct(_:quantity:)`` refuses.
  public func openPayment(for productIdentifier: String) -> OpenPayment? {
    if purchases.contains(productIdentifier) { return .underWay }
    let states = queue.transactions.filter { $0.payment.productIdentifier == productIdentifier }
      .map(\.transactionState)
    if states.contains(.purchasing) { return .underWay }
    return states.contains(.deferred) ? .waitingForApproval : nil
  }
}
