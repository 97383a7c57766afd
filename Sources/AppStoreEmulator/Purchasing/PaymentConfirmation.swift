import GRDB
import StoreModel

extension StoreUnitOfWork {
  func paymentConfirmation(on installation: Installation) -> PaymentConfirmation {
    PaymentConfirmation(work: self, installation: installation)
  }
}

/// Decides payments that the customer confirmed on an installation.
struct PaymentConfirmation {
  let work: StoreUnitOfWork
  let installation: Installation

  /// The answer to the device.
  enum Outcome {
    case deliver(Fulfilment)
    /// The confirmed quote is stale. The customer must confirm this quote instead.
    case askAgain(PaymentQuote)
    /// The payment waits for approval.
    case wait
    /// The payment is refused. The refusal is not thrown, because an error would roll back the row that stores it.
    ///
    /// - Parameter isFault: whether a fault refused the payment.
    case refuse(StoreRefusal, isFault: Bool)
  }

  /// Decides a payment, and stores its outcome, the transaction and the charge in this unit of work.
  ///
  /// - Parameter fault: the refusal of an injected fault. It is ignored if the payment has an outcome already, or if
  ///   the quote is stale.
  func confirm(_ quote: PaymentQuote, fault: StoreRefusal? = nil) throws -> Outcome {
    let scope = Scope(quote.account, on: installation)
    let owned = try work.ownership(scope).transaction(owning: quote)
    let decision = try decide(quote, isOwned: owned != nil, fault: fault)
    switch decision {
    case .asBefore(.refused(let refusal)), .reject(let refusal):
      return .refuse(refusal, isFault: false)
    case .asBefore(.purchased(let id)):
      let fulfilment = try work.fulfilments.fulfilment(id)
      return fulfilment.stored.record.isDeliverable
        ? .deliver(fulfilment)
        : .refuse(
          StoreRefusal(.purchaseRevoked, "What this payment bought was refunded or revoked since."), isFault: false)
    case .asBefore(.waiting):
      return .wait
    case .waitForApproval:
      try store(.waiting, of: quote, isOwned: false)
      return .wait
    case .askAgain(let current):
      return .askAgain(current)
    case .refuse(let refusal):
      try store(.refused(refusal), of: quote, isOwned: owned != nil)
      if refusal.code == .purchaseInterrupted {
        try work.interruptedPurchases.add(quote.payment.paymentID, on: installation.installationID)
      }
      return .refuse(refusal, isFault: refusal == fault)
    case .charge, .deliverAgain:
      let fulfilment = try work.fulfilments.fulfil(quote, for: installation, owning: owned)
      try store(.purchased(fulfilment.transactionID), of: quote, isOwned: owned != nil)
      return .deliver(fulfilment)
    }
  }

  private func store(_ outcome: PaymentRow.Outcome, of quote: PaymentQuote, isOwned: Bool) throws {
    let payment = PaymentRow(
      installationID: installation.installationID, quote: quote, decisionDate: work.now, outcome: outcome)
    try payment.insert(work.database)
    switch outcome {
    case .waiting: try work.events.record(.approvalAsked(payment, installation))
    case .refused: try work.events.record(.refused(payment, installation))
    // The transaction's event shows it.
    case .purchased: break
    }
    try work.offerSignatures.settle(
      quote.payment, outcome, after: nil, isOwned: isOwned, Scope(quote.account, on: installation))
  }

  private func decide(_ quote: PaymentQuote, isOwned: Bool, fault: StoreRefusal?) throws -> PurchaseDecision {
    let customer = try work.customers.find(quote.account, installation.environment)
    let current: Result<PaymentQuote, StoreRefusal>
    do {
      current = .success(try work.quotes.quote(quote.payment, for: quote.account, customer, on: installation))
    } catch let refusal as StoreRefusal {
      current = .failure(refusal)
    }
    return PurchaseDecision(
      confirming: try work.quotes.check(quote, of: customer?.number, on: installation.installationID),
      earlier: try PaymentRow.fetch(quote.payment.paymentID, of: installation.installationID, in: work.database),
      isOwned: isOwned, current: current,
      paymentMethod: customer?.customer.paymentMethod ?? .declined,
      needsApproval: customer?.customer.needsApproval == true
        || installation.environment == .sandbox && quote.payment.simulatesAskToBuyInSandbox == true,
      isRestricted: installation.settings.isRestricted == true, fault: fault)
  }
}
