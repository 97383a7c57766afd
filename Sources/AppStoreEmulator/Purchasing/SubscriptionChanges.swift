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
  /// Announces a price increase that needs consent, to the catalog's price, or to the current one if that is not lower. Only
  /// a test session announces an increase to the same price.
  case requestPriceConsent
  /// The customer agrees to the announced price, or declines it.
  case answerPriceIncrease(isAgreed: Bool)
  /// The operator extends the current period.
  case extend(to: StoreDate)
  /// The subscription ends now, and does not renew.
  case end
  /// The current period ends now, and the subscription renews. Automatic renewal is turned on, and a price increase that
  /// waits for consent is dropped. In a grace period or a billing retry, nothing is charged.
  case renewNow
  /// The store charges a renewal that has failed.
  case chargeFailedRenewal
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
    case .requestPriceConsent:
      let price = try work.plans.plan(row.state.productID, for: row.scope)?.price ?? row.state.renewalPrice
      let isHigher = price.currency == row.state.renewalPrice.currency && price.amount > row.state.renewalPrice.amount
      return .priceIncreaseAnnounced(isHigher ? price : row.state.renewalPrice, needsConsent: true)
    case .extend(let date):
      guard StoreClock.dates.contains(date) else { throw AppStoreEmulatorError.dateOutsideCertificates(date) }
      return .renewalDateExtended(to: date.wholeSeconds)
    case .end: return .ended
    case .renewNow:
      return .renewedEarly(try work.plans.next(of: row), canCharge: try work.renewals.canCharge(row))
    case .chargeFailedRenewal: return .paymentMethodFixed(try work.plans.next(of: row))
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
