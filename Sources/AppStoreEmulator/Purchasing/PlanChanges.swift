import StoreModel

extension StoreUnitOfWork {
  var planChanges: PlanChanges { PlanChanges(work: self) }
}

/// Decides whether a bought plan begins at once or with the next period, and stores plans for the next period.
struct PlanChanges {
  let work: StoreUnitOfWork

  /// Returns the period, offer and start date that a payment for a subscription would have now. Returns nil for a
  /// product that is not an auto-renewable subscription.
  ///
  /// - Throws: ``StoreRefusal`` if the customer cannot have the offer that the payment requests, has the plan already,
  ///   or has a subscription of the group that cannot be changed: a family share, or a period that an earlier version
  ///   of the store sold.
  func quote(
    _ payment: PaymentRequest, for product: ProductDefinition, of scope: Scope
  ) throws -> SubscriptionQuote? {
    guard let terms = product.subscription else {
      guard payment.offer == nil else { throw StoreRefusal.noOffers(of: product) }
      return nil
    }
    let state = try work.subscriptions.find(terms.groupID, of: scope)?.state
    guard try state?.hasAccess == true || !work.ownership(scope).isSubscribed(to: terms.groupID) else {
      throw StoreRefusal.alreadySubscribed
    }
    let offer = try work.offers.offer(for: payment, product, state, of: scope)
    guard let state, let plan = try work.plans.plan(product.productID, for: scope),
      !state.beginsAtOnce(plan, hasOffer: offer != nil)
    else { return SubscriptionQuote(period: terms.period, offer: offer) }
    // The current plan may be bought again to cancel a change of plan, or with an offer for the next period.
    guard state.state == .active, product.productID != state.renewalProductID || offer != nil else {
      throw StoreRefusal.alreadySubscribed
    }
    return SubscriptionQuote(period: terms.period, offer: offer, startDate: state.accessEnd)
  }

  /// The reason to refuse a payment that the customer confirmed earlier, because the subscription has changed since.
  /// Nil if the payment can be carried out as it was confirmed.
  func refusal(of quote: PaymentQuote, for product: ProductDefinition, _ scope: Scope) throws -> StoreRefusal? {
    let current: SubscriptionQuote?
    do {
      current = try self.quote(quote.payment, for: product, of: scope)
    } catch let refusal as StoreRefusal {
      return refusal
    }
    guard current?.offer != quote.plan?.offer || current?.startDate != quote.plan?.startDate else { return nil }
    return .subscriptionChanged
  }

  /// Stores the plan of the next period. Nothing is charged now.
  ///
  /// - Returns: the transaction of the current period, which is redelivered in answer to the payment.
  /// - Throws: ``StoreRefusal`` if the customer has no active subscription in the group.
  func choose(_ quote: PaymentQuote, for scope: Scope) throws -> StoredTransaction {
    let productID = quote.payment.productID
    let ended = StoreRefusal(.productNotAvailable, "The subscription has ended. Nothing was charged.")
    guard let plan = try work.plans.plan(productID, for: scope),
      let terms = try work.catalog.productOnSale(productID, of: scope.bundleID)?.subscription,
      let row = try work.subscriptions.find(terms.groupID, of: scope)
    else { throw ended }
    do {
      try work.subscriptionEffects.apply(.planChosen(plan, offer: quote.plan?.offer), to: row)
    } catch is SubscriptionError {
      throw ended
    }
    return try work.storedTransaction(row.currentTransactionID)
  }
}

extension StoreRefusal {
  fileprivate static let alreadySubscribed = StoreRefusal(
    .alreadySubscribed, "You're currently subscribed to this.",
    appError: AppError(
      domain: "SKErrorDomain", code: 0, underlying: AppError.Underlying(domain: "ASDServerErrorDomain", code: 3532)))

  fileprivate static func noOffers(of product: ProductDefinition) -> StoreRefusal {
    StoreRefusal(
      .offerNotAvailable, "\(product.productID) has no offers, because it is not an auto-renewable subscription.",
      appError: AppError(domain: "SKErrorDomain", code: 11))
  }
}
