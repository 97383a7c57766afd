import GRDB
import StoreModel

extension StoreUnitOfWork {
  var operatorPurchases: OperatorPurchases { OperatorPurchases(work: self) }
}

/// Purchases that the store's operator makes for a customer, as if outside the app. They are charged at once, without a
/// confirmation sheet.
struct OperatorPurchases {
  let work: StoreUnitOfWork

  /// - Parameter paymentID: identifies the purchase, so that a repeated call makes no second purchase. If nil, each
  ///   call makes a purchase.
  /// - Throws: ``StoreRefusal``, ``AppStoreEmulatorError``.
  func purchase(_ order: OrderedPurchase.Order, as paymentID: PaymentID?) throws -> StoredTransaction {
    if let paymentID,
      let earlier = try OrderedPurchase.lookUp(["paymentID": paymentID.rawValue], in: work.database)
    {
      guard earlier.request == order else {
        throw StoreRefusal(
          .paymentConflict,
          "The paymentId \(paymentID) was used for another purchase. A new purchase needs a new one; nothing was charged."
        )
      }
      return try work.fulfilments.transaction(earlier.transactionID)
    }
    let scope = Scope(account: order.account, bundleID: order.bundleID, environment: order.environment)
    let quote = try quote(order, scope)
    let stored = try work.charges.charge(quote, scope, installationID: order.installationID)
    if let paymentID {
      try OrderedPurchase(paymentID: paymentID, request: order, transactionID: stored.record.transactionID)
        .insert(work.database)
    }
    if let installationID = order.installationID {
      try work.deviceNotifier.notify(installationID, StoreChange(.transactionsWaiting))
    } else {
      try work.deviceNotifier.notify(scope, StoreChange(.transactionsWaiting))
    }
    return stored
  }

  private func quote(_ order: OrderedPurchase.Order, _ scope: Scope) throws -> PaymentQuote {
    let customer = try work.customers.customer(order.account, order.environment)
    _ = try work.catalog.app(order.bundleID)
    if let installationID = order.installationID {
      let installation = try work.installations.installation(installationID)
      guard installation.bundleID == order.bundleID, installation.environment == order.environment else {
        throw AppStoreEmulatorError.unknownInstallation(installationID)
      }
    }
    if let owned = try work.ownership(scope).transaction(owning: order.productID) {
      throw StoreRefusal(
        .alreadyOwned,
        "\(order.account) has \(order.productID) by transaction \(owned.record.transactionID). Nothing was charged.")
    }
    let payment = PaymentRequest(
      paymentID: "", productID: order.productID, quantity: order.quantity,
      applicationUsername: order.applicationUsername)
    let quote = try work.quotes.quote(
      payment, for: customer, of: order.bundleID, installationID: order.installationID ?? "")
    if customer.customer.paymentMethod == .needsAttention {
      throw StoreRefusal(
        .purchaseInterrupted,
        "\(order.account) has something to settle with the store first. Nothing was charged, and nothing will be: order again."
      )
    }
    if let refusal = PurchaseDecision.refusal(for: customer.customer.paymentMethod) { throw refusal }
    return quote
  }
}
