import GRDB
import StoreModel

extension StoreUnitOfWork {
  var planChanges: PlanChanges { PlanChanges(work: self) }
}

/// Decides when a plan that a customer buys begins, and carries out changes that begin with the next period.
struct PlanChanges {
  let work: StoreUnitOfWork

  /// What a purchase of a product would begin now; nil for a product that is not an auto-renewable subscription.
  ///
  /// - Throws: ``StoreRefusal`` if the customer has the plan already, or has a subscription of the group that cannot be
  ///   changed: a share of the family, or a period that an earlier version of the store sold.
  func quote(_ product: ProductDefinition, for scope: Scope) throws -> SubscriptionQuote? {
    guard let terms = product.subscription else { return nil }
    guard let state = try work.subscriptions.find(terms.groupID, of: scope)?.state, state.hasAccess else {
      guard try !work.ownership(scope).isSubscribed(to: terms.groupID) else { throw StoreRefusal.alreadySubscribed }
      return SubscriptionQuote(period: terms.period, offer: try introductoryOffer(of: terms, for: scope))
    }
    let price = Price(amount: .zero, currency: state.renewalPrice.currency)
    let plan = SubscriptionPlan(
      productID: product.productID, level: terms.groupLevel, period: terms.period, price: price)
    if state.beginsAtOnce(plan) { return SubscriptionQuote(period: terms.period) }
    guard product.productID != state.renewalProductID else { throw StoreRefusal.alreadySubscribed }
    return SubscriptionQuote(period: terms.period, startDate: state.accessEnd)
  }

  /// The refusal of a payment that the customer confirmed earlier, if the subscription has changed since; nil if the payment
  /// can be carried out as it was confirmed.
  func refusal(of quote: PaymentQuote, for product: ProductDefinition, _ scope: Scope) throws -> StoreRefusal? {
    let current: SubscriptionQuote?
    do {
      current = try self.quote(product, for: scope)
    } catch let refusal as StoreRefusal {
      return refusal
    }
    guard current?.offer != quote.plan?.offer || current?.startDate != quote.plan?.startDate else { return nil }
    return StoreRefusal(
      .productNotAvailable, "The subscription has changed since the purchase was confirmed. Nothing was charged.")
  }

  /// Chooses the plan of the next period. Nothing is charged now.
  ///
  /// - Returns: the transaction of the current period, which is delivered again as the payment's answer.
  /// - Throws: ``StoreRefusal`` if the customer has no active subscription in the group.
  func choose(_ productID: ProductID, for scope: Scope) throws -> StoredTransaction {
    let ended = StoreRefusal(.productNotAvailable, "The subscription has ended. Nothing was charged.")
    guard let plan = try work.renewals.plan(productID, for: scope),
      let terms = try work.catalog.productOnSale(productID, of: scope.bundleID)?.subscription,
      let row = try work.subscriptions.find(terms.groupID, of: scope)
    else { throw ended }
    do {
      try work.subscriptions.apply(.planChosen(plan), to: row)
    } catch is SubscriptionError {
      throw ended
    }
    return try work.fulfilments.transaction(row.currentTransactionID)
  }

  /// The introductory offer of a plan, if the customer had none in the group before.
  private func introductoryOffer(of terms: SubscriptionTerms, for scope: Scope) throws -> SubscriptionOffer? {
    guard let offer = terms.offers.first(where: { $0.kind == .introductory }) else { return nil }
    let hadOffer = try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM transactionRecord
            WHERE account = ? AND bundleID = ? AND environment = ? AND subscriptionGroupID = ? AND offerType = ?)
          """),
      arguments: scope.arguments + [terms.groupID.rawValue, TransactionOfferType.introductory.rawValue])
    return hadOffer == true ? nil : offer
  }
}

extension StoreRefusal {
  fileprivate static let alreadySubscribed = StoreRefusal(
    .alreadySubscribed, "You're currently subscribed to this.",
    appError: AppError(
      domain: "SKErrorDomain", code: 0, underlying: AppError.Underlying(domain: "ASDServerErrorDomain", code: 3532)))
}
