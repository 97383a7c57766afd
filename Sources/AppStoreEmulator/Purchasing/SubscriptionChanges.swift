import StoreModel

extension StoreUnitOfWork {
  var subscriptionChanges: SubscriptionChanges { SubscriptionChanges(work: self) }
}

/// A change of a subscription by its customer or by the store's operator.
public enum SubscriptionAdjustment: Hashable, Sendable {
  /// The customer turns automatic renewal on or off.
  case autoRenew(isOn: Bool)
  /// The operator announces that renewals will cost the catalog's current price, which is higher. If this needs
  /// consent, the subscription expires at the end of its period unless the customer agrees.
  case announcePriceIncrease(needsConsent: Bool)
  /// The customer agrees to the announced price, or declines it.
  case answerPriceIncrease(isAgreed: Bool)
  /// The operator extends the current period.
  case extend(to: StoreDate)
}

/// Changes subscriptions, except by purchases.
struct SubscriptionChanges {
  let work: StoreUnitOfWork

  /// Makes all changes, in order.
  ///
  /// If renewal is turned on in a grace period and the payment method is valid, the renewal is charged at once.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func change(_ original: TransactionID, by adjustments: [SubscriptionAdjustment]) throws -> RenewalRecord {
    for adjustment in adjustments {
      let row = try work.subscriptions.subscription(original)
      do {
        try work.subscriptionEffects.apply(try event(adjustment, row), to: row)
      } catch let error as SubscriptionError {
        throw AppStoreEmulatorError.subscriptionNotChangeable(original, reason: error.reason)
      }
    }
    let row = try work.subscriptions.subscription(original)
    if try work.customers.find(row.account, row.environment)?.customer.paymentMethod == .valid {
      try work.renewals.recover(row.account, row.environment)
    }
    return RenewalRecord(try work.subscriptions.subscription(original))
  }

  private func event(_ adjustment: SubscriptionAdjustment, _ row: SubscriptionRow) throws -> SubscriptionEvent {
    switch adjustment {
    case .autoRenew(let isOn): return .autoRenewChanged(isOn: isOn)
    case .answerPriceIncrease(let isAgreed): return .priceIncreaseAnswered(isAgreed: isAgreed)
    case .announcePriceIncrease(let needsConsent):
      guard let price = try work.plans.plan(row.state.productID, for: row.scope)?.price,
        price.currency == row.state.renewalPrice.currency, price.amount > row.state.renewalPrice.amount
      else {
        throw AppStoreEmulatorError.subscriptionNotChangeable(
          row.originalTransactionID,
          reason: "the catalog's price is not higher than its own. Change the product's price first")
      }
      return .priceIncreaseAnnounced(price, needsConsent: needsConsent)
    case .extend(let date):
      guard StoreClock.dates.contains(date) else { throw AppStoreEmulatorError.dateOutsideCertificates(date) }
      return .renewalDateExtended(to: date.wholeSeconds)
    }
  }
}

extension SubscriptionError {
  fileprivate var reason: String {
    switch self {
    case .alreadySubscribed: "the customer has this plan"
    case .notActive: "it has ended; buy it again"
    case .noPriceIncrease: "no announced price waits for consent"
    case .notLater: "the date is not after its renewal date"
    }
  }
}
