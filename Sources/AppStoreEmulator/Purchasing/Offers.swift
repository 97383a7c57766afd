import Crypto
import Foundation
import GRDB
import SignedData
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
      return try introductoryOffer(of: plan, in: terms.groupID, state, for: scope)
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

  /// Checks the signature of the promotional offer that a payment requests.
  ///
  /// - Throws: ``StoreRefusal`` if the signature is missing or invalid, its timestamp is more than 24 hours from now,
  ///   or another payment used it.
  func checkSignature(of payment: PaymentRequest, of scope: Scope) throws {
    guard let offer = payment.offer, offer.kind == .promotional else { return }
    guard let signature = offer.signature else {
      throw StoreRefusal.offer(.missingOfferParams, "The promotional offer has no signature.")
    }
    guard let key = try work.catalog.app(scope.bundleID).offerKey, key.id == signature.keyID,
      let publicKey = try? P256.Signing.PublicKey(x963Representation: key.publicKey)
    else {
      throw StoreRefusal.offer(
        .invalidSignature,
        "The store does not know the key \(signature.keyID). It is the id of subscriptionOffersKeyPair in the .storekit file."
      )
    }
    let content = PromotionalOfferContent(
      bundleID: scope.bundleID.rawValue, keyID: key.id, productID: payment.productID.rawValue,
      offerID: offer.identifier, applicationUsername: payment.applicationUsername ?? "", nonce: signature.nonce,
      timestamp: signature.timestamp)
    guard content.isSigned(signature.signature, by: publicKey) else {
      throw StoreRefusal.offer(
        .invalidSignature, "The signature of the promotional offer is not valid for this payment.")
    }
    // Compares with the wall clock, because the developer's server does not use the store's clock.
    let now = work.clock.wallNow.millisecondsSince1970
    guard (now - Self.signatureLifetime...now + Self.signatureLifetime).contains(signature.timestamp) else {
      throw StoreRefusal.offer(
        .invalidSignature, "The timestamp of the promotional offer's signature is more than 24 hours from now.")
    }
    guard try !isUsed(signature, of: scope) else {
      throw StoreRefusal.offer(.invalidSignature, "The signature of the promotional offer was used before. Sign again.")
    }
  }

  /// Records whether the outcome of a payment uses the signature of its offer. It does not, and the app can use the
  /// signature again, if the payment was refused and the store does not buy the interrupted purchase later, or if a
  /// product that the customer owned was redelivered without the offer.
  ///
  /// - Parameters:
  ///   - earlier: the payment's outcome before; nil if it had none.
  ///   - isOwned: whether the customer owned the product already.
  func settleSignature(
    of payment: PaymentRequest, _ outcome: PaymentRow.Outcome, after earlier: PaymentRow.Outcome?, isOwned: Bool,
    _ scope: Scope
  ) throws {
    let isUsed =
      switch outcome {
      case .waiting: true
      case .purchased: !isOwned
      case .refused(let refusal): refusal.code == .purchaseInterrupted
      }
    if isUsed {
      guard let signature = payment.offer?.signature else { return }
      try work.database.cachedStatement(
        sql: "INSERT OR IGNORE INTO offerNonce (bundleID, nonce) VALUES (?, ?)"
      ).execute(arguments: [scope.bundleID.rawValue, signature.nonce.lowercased()])
    } else if earlier != nil {
      try releaseSignature(of: payment, scope)
    }
  }

  /// Lets the app use the signature of a payment's offer again, because the payment that used it is not bought any more.
  func releaseSignature(of payment: PaymentRequest, _ scope: Scope) throws {
    guard let signature = payment.offer?.signature else { return }
    try work.database.cachedStatement(sql: "DELETE FROM offerNonce WHERE bundleID = ? AND nonce = ?").execute(
      arguments: [scope.bundleID.rawValue, signature.nonce.lowercased()])
  }

  private static let signatureLifetime: Int64 = 86_400_000

  private func isUsed(_ signature: OfferSignature, of scope: Scope) throws -> Bool {
    try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM offerNonce WHERE bundleID = ? AND nonce = ?)"),
      arguments: [scope.bundleID.rawValue, signature.nonce.lowercased()]) == true
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
  private func introductoryOffer(
    of plan: SubscriptionPlan, in groupID: SubscriptionGroupID, _ state: Subscription?, for scope: Scope
  ) throws -> SubscriptionOffer? {
    // A change of plan does not begin an introductory offer.
    guard state?.hasAccess != true, let offer = plan.offers.first(where: { $0.kind == .introductory }) else {
      return nil
    }
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

extension StoreRefusal {
  /// The raw values are those of `SKError.Code`.
  fileprivate enum OfferError: Int {
    case invalidOfferIdentifier = 11
    case invalidSignature = 12
    case missingOfferParams = 13
    case invalidOfferPrice = 14
    case ineligibleForOffer = 18
  }

  fileprivate static func offer(_ error: OfferError, _ message: String) -> StoreRefusal {
    StoreRefusal(
      .offerNotAvailable, "\(message) Nothing was charged.",
      appError: AppError(domain: "SKErrorDomain", code: error.rawValue, message: message))
  }
}
