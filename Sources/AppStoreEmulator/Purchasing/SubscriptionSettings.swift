import StoreModel

extension StoreUnitOfWork {
  func subscriptionSettings(on installation: Installation) -> SubscriptionSettings {
    SubscriptionSettings(work: self, installation: installation)
  }
}

/// The subscriptions of an installation's customer, as the customer sees and changes them in the settings.
struct SubscriptionSettings {
  let work: StoreUnitOfWork
  let installation: Installation

  /// - Throws: ``StoreRefusal`` if no customer is signed in.
  func overview() throws -> SubscriptionOverview {
    SubscriptionOverview(date: work.now, subscriptions: try work.subscriptions.all(of: scope()).map(summary))
  }

  /// - Throws: ``StoreRefusal`` if the customer has no such subscription, or the change is not possible.
  func change(_ original: TransactionID, _ setting: SubscriptionSetting) throws {
    let scope = try scope()
    guard try work.subscriptions.find(original)?.scope == scope else {
      throw StoreRefusal(.unknownTransaction, "This customer has no subscription \(original) in this app.")
    }
    let adjustment: SubscriptionAdjustment =
      switch setting {
      case .autoRenew(let isOn): .autoRenew(isOn: isOn)
      case .priceIncrease(let isAgreed): .answerPriceIncrease(isAgreed: isAgreed)
      }
    do {
      _ = try work.subscriptionChanges.change(original, by: [adjustment])
    } catch let error as AppStoreEmulatorError {
      throw StoreRefusal(.productNotAvailable, error.description)
    }
  }

  /// The customer who is signed in, and the app.
  private func scope() throws(StoreRefusal) -> Scope {
    guard let account = installation.account else {
      throw StoreRefusal(.signInRequired, "Sign in to see the subscriptions.")
    }
    return Scope(account, on: installation)
  }

  private func summary(_ row: SubscriptionRow) throws -> SubscriptionSummary {
    SubscriptionSummary(
      RenewalRecord(row), nextPrice: try work.plans.nextPrice(of: row),
      winBackOffers: try work.offers.winBackOffers(row))
  }
}
