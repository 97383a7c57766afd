import GRDB
import StoreModel

extension StoreUnitOfWork {
  var operatorPurchases: OperatorPurchases { OperatorPurchases(work: self) }
}

/// Purchases that the store's operator makes for a customer, as if outside the app, without a confirmation sheet. They are
/// charged at once, except plans and offers that begin with the next period.
struct OperatorPurchases {
  let work: StoreUnitOfWork

  /// - Parameter paymentID: the idempotency key of the purchase. A repeated call makes no second purchase. If nil, each
  ///   call makes a purchase.
  /// - Throws: ``StoreRefusal``, ``AppStoreEmulatorError``.
  func purchase(_ request: OperatorPurchaseRow.Request, as paymentID: PaymentID?) throws -> StoredTransaction {
    if let paymentID,
      let earlier = try OperatorPurchaseRow.lookUp(["paymentID": paymentID.rawValue], in: work.database)
    {
      guard earlier.request.hasContent(of: request) else {
        throw StoreRefusal(
          .paymentConflict,
          "The paymentId \(paymentID) was used for another purchase. A new purchase needs a new one; nothing was charged."
        )
      }
      return try work.storedTransaction(earlier.transactionID)
    }
    let scope = Scope(account: request.account, bundleID: request.bundleID, environment: request.environment)
    let quote = try quote(request, scope)
    let stored =
      quote.plan?.startDate == nil
      ? try work.fulfilments.charge(quote, scope, installationID: request.installationID)
      : try work.planChanges.choose(quote, for: scope)
    if let paymentID {
      try OperatorPurchaseRow(paymentID: paymentID, request: request, transactionID: stored.record.transactionID)
        .insert(work.database)
    }
    try work.events.record(.boughtByOperator(stored, installationID: request.installationID))
    return stored
  }

  private func quote(_ request: OperatorPurchaseRow.Request, _ scope: Scope) throws -> PaymentQuote {
    let customer = try work.customers.customer(request.account, request.environment)
    _ = try work.catalog.app(request.bundleID)
    if let installationID = request.installationID {
      let installation = try work.installations.installation(installationID)
      guard installation.bundleID == request.bundleID, installation.environment == request.environment else {
        throw AppStoreEmulatorError.unknownInstallation(installationID)
      }
    }
    // The current plan may be bought again to cancel a change of plan, or with an offer for the next period.
    if request.offer == nil, let owned = try work.ownership(scope).transaction(owning: request.productID),
      try work.subscriptions.current(owned)?.state.planChange == nil
    {
      throw StoreRefusal(
        .alreadyOwned,
        "\(request.account) has \(request.productID) by transaction \(owned.record.transactionID). Nothing was charged."
      )
    }
    let payment = PaymentRequest(
      paymentID: .noPayment, productID: request.productID, quantity: request.quantity,
      applicationUsername: request.applicationUsername, offer: request.offer)
    let quote = try work.quotes.quote(
      payment, for: customer, of: request.bundleID, installationID: request.installationID ?? "")
    if quote.plan?.startDate == nil, customer.customer.paymentMethod == .needsAttention {
      throw StoreRefusal(
        .purchaseInterrupted,
        "\(request.account) has something to settle with the store first. Nothing was charged, and nothing will be: order again."
      )
    }
    if let refusal = PurchaseDecision.refusal(of: quote, for: customer.customer.paymentMethod) { throw refusal }
    return quote
  }
}
