import GRDB
import StoreModel

extension StoreUnitOfWork {
  var offers: Offers { Offers(work: self) }
}

/// Decides which offer a customer gets with the purchase of a subscription. Documentation/subscriptions.md has the
/// criteria.
struct Offers {
  let work: StoreUnitOfWork

  /// Returns the offer of a purchase, at the price of the customer's storefront: the offer that the payment requests,
  /// or otherwise the introductory offer. Returns nil for the regular price.
  ///
  /// - Parameters:
  ///   - state: the customer's subscription in the group; nil if there was none.
  ///   - product: an auto-renewable subscription.
  /// - Throws: ``StoreRefusal`` if the payment requests an offer that the customer cannot have.
  func offer(
    for payment: PaymentRequest, _ product: ProductDefinition, _ state: Subscription?, of scope: Scope
  ) throws -> SubscriptionOffer? {
    guard let plan = try work.plans.plan(product.productID, for: scope), let terms = product.subscription else {
      return nil
    }
    guard let requested = payment.offer else {
      return try introductoryOffer(
        of: plan, in: terms.groupID, state, for: scope, isAllowed: payment.isIntroductoryOfferAllowed)
    }
    guard
      let offer = plan.offers.first(where: {
        $0.kind == requested.kind && $0.identifier == requested.identifier && $0.kind != .introductory
      })
    else {
      throw StoreRefusal.offer(.invalidOfferIdentifier, "\(product.productID) has no offer \(requested.identifier).")
    }
    guard offer.isCheaper(than: plan) else {
      throw StoreRefusal.offer(
        .invalidOfferPrice, "The offer \(requested.identifier) is not cheaper than the regular price.")
    }
    guard try isEligible(for: offer, of: product, state, scope) else {
      throw StoreRefusal.offer(.ineligibleForOffer, "\(scope.account) cannot have the offer \(requested.identifier).")
    }
    return offer
  }

  /// The win-back offers in a subscription's group for which its customer is eligible, in the order of the catalog.
  /// Empty while the subscription is running.
  func winBackOffers(_ row: SubscriptionRow) throws -> [SubscriptionSummary.WinBack] {
    guard !row.state.isRunning else { return [] }
    return try work.catalog.subscriptionsOnSale(in: row.groupID, of: row.bundleID).flatMap { product in
      guard let plan = try work.plans.plan(product.productID, for: row.scope) else {
        return [SubscriptionSummary.WinBack]()
      }
      return try plan.offers.filter {
        try $0.kind == .winBack && $0.isCheaper(than: plan) && isEligible(for: $0, of: product, row.state, row.scope)
      }.map { SubscriptionSummary.WinBack(productID: product.productID, offer: $0) }
    }
  }

  private func isEligible(
    for offer: SubscriptionOffer, of product: ProductDefinition, _ state: Subscription?, _ scope: Scope
  ) throws -> Bool {
    switch offer.kind {
    case .introductory: false
    // Promotional offers are for customers who have subscribed before.
    case .promotional: state != nil
    case .offerCode:
      try offer.eligibility.contains(eligibility(state)) && !hadOffer(.offerCode, offer.identifier, of: scope)
    case .winBack:
      state?.isRunning == false && product.winBackEligibility[offer.identifier ?? ""] != false
    }
  }

  private func eligibility(_ state: Subscription?) -> SubscriptionOffer.Eligibility {
    guard let state else { return .new }
    return state.isRunning ? .existing : .expired
  }

  /// The introductory offer, if the customer had none in the group before. A family member's offer does not count.
  ///
  /// - Parameter isAllowed: the developer's statement whether the customer may have it, which replaces the history; nil for
  ///   none.
  private func introductoryOffer(
    of plan: SubscriptionPlan, in groupID: SubscriptionGroupID, _ state: Subscription?, for scope: Scope,
    isAllowed: Bool?
  ) throws -> SubscriptionOffer? {
    // A change of plan does not begin an introductory offer.
    guard state?.hasAccess != true, let offer = plan.offers.first(where: { $0.kind == .introductory }) else {
      return nil
    }
    if let isAllowed { return isAllowed ? offer : nil }
    let hadOffer = try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM transactionRecord
            WHERE account = ? AND bundleID = ? AND environment = ? AND offerType = ? AND subscriptionGroupID = ?
              AND sharedTransactionID IS NULL)
          """),
      arguments: scope.arguments + [TransactionOfferType.introductory.rawValue, groupID.rawValue])
    return hadOffer == true ? nil : offer
  }

  private func hadOffer(_ type: TransactionOfferType, _ identifier: String?, of scope: Scope) throws -> Bool {
    try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM transactionRecord
            WHERE account = ? AND bundleID = ? AND environment = ? AND offerType = ? AND offerIdentifier = ?
              AND sharedTransactionID IS NULL)
          """),
      arguments: scope.arguments + [type.rawValue, identifier]) == true
  }
}

extension SubscriptionOffer {
  /// Whether one period of the offer costs less than a regular period. Also true for a free offer, and for an offer
  /// whose periods have another length and cannot be compared.
  fileprivate func isCheaper(than plan: SubscriptionPlan) -> Bool {
    period != plan.period || price < plan.price.amount || price == .zero
  }
}
