import Crypto
import Foundation
import GRDB
import SignedData
import StoreModel

extension StoreUnitOfWork {
  var offers: Offers { Offers(work: self) }
}

/// Decides which offer a customer gets with the purchase of a subscription. Documentation/subscriptions.md has the criteria.
struct Offers {
  let work: StoreUnitOfWork

  /// The offer of a purchase, at the price of the customer's storefront: the one that the payment asks for, or otherwise the
  /// introductory offer.
  ///
  /// - Parameters:
  ///   - state: the customer's subscription in the group; nil if there was none.
  ///   - product: an auto-renewable subscription.
  /// - Throws: ``StoreRefusal`` if the payment asks for an offer that the customer cannot have.
  func offer(
    for payment: PaymentRequest, _ product: ProductDefinition, _ state: Subscription?, of scope: Scope
  ) throws -> SubscriptionOffer? {
    guard let plan = try work.renewals.plan(product.productID, for: scope), let terms = product.subscription else {
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

  /// The win-back offers of a subscription's group that its customer can have, in the order of the catalog.
  func winBackOffers(_ row: SubscriptionRow) throws -> [SubscriptionSummary.WinBack] {
    guard !row.state.isRunning else { return [] }
    return try work.catalog.subscriptionsOnSale(in: row.groupID, of: row.bundleID).flatMap { product in
      guard let plan = try work.renewals.plan(product.productID, for: row.scope) else {
        return [SubscriptionSummary.WinBack]()
      }
      return try plan.offers.filter {
        try $0.kind == .winBack && $0.isCheaper(than: plan) && isEligible(for: $0, of: product, row.state, row.scope)
      }.map { SubscriptionSummary.WinBack(productID: product.productID, offer: $0) }
    }
  }

  /// Checks the signature of a promotional offer that an app asks for.
  ///
  /// - Throws: ``StoreRefusal`` if it is missing, invalid, older than 24 hours, or was used by another payment.
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
    // The developer's server signs with the real time, not with the store's.
    let age = work.clock.wallNow.millisecondsSince1970 - signature.timestamp
    guard abs(age) <= Self.signatureLifetime else {
      throw StoreRefusal.offer(.invalidSignature, "The signature of the promotional offer is older than 24 hours.")
    }
    guard try !isUsed(signature, of: scope) else {
      throw StoreRefusal.offer(.invalidSignature, "The signature of the promotional offer was used before. Sign again.")
    }
  }

  /// Stores that a payment used the signature of its offer.
  func use(_ payment: PaymentRequest, of scope: Scope) throws {
    guard let signature = payment.offer?.signature else { return }
    try work.database.cachedStatement(sql: "INSERT OR IGNORE INTO offerNonce (bundleID, nonce) VALUES (?, ?)").execute(
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
    // For customers who subscribed before.
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

  /// The introductory offer, if the customer had none in the group before.
  private func introductoryOffer(
    of plan: SubscriptionPlan, in groupID: SubscriptionGroupID, _ state: Subscription?, for scope: Scope
  ) throws -> SubscriptionOffer? {
    // A change of plan begins no introductory offer.
    guard state?.hasAccess != true, let offer = plan.offers.first(where: { $0.kind == .introductory }) else {
      return nil
    }
    let hadOffer = try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM transactionRecord
            WHERE account = ? AND bundleID = ? AND environment = ? AND offerType = ? AND subscriptionGroupID = ?)
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
            WHERE account = ? AND bundleID = ? AND environment = ? AND offerType = ? AND offerIdentifier = ?)
          """),
      arguments: scope.arguments + [type.rawValue, identifier]) == true
  }
}

extension SubscriptionOffer {
  /// Whether one period of the offer costs less than a regular period. Periods of other lengths are not compared.
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
