import Foundation
import StoreModel

// The customer's actions for subscriptions in the phone's settings and in the App Store.
extension StoreKitDevice {
  /// The signed-in customer's subscriptions in this app, and the store's date.
  ///
  /// - Throws: `StoreRefusal`, for example if no customer is signed in; `StoreConnectionFailure`.
  public func subscriptions() async throws -> SubscriptionOverview {
    try simulatedErrors.check(.manageSubscriptions)
    return try await session.perform { try await $0.subscriptions(for: $1) }
  }

  /// Changes a subscription: turns its automatic renewal on or off, or answers a price increase.
  ///
  /// - Throws: `StoreRefusal` if the subscription cannot be changed in this way; `StoreConnectionFailure`.
  public func changeSubscription(_ original: TransactionID, _ setting: SubscriptionSetting) async throws {
    try simulatedErrors.check(.manageSubscriptions)
    try await session.perform { try await $0.changeSubscription(original, setting, for: $1) }
    paymentQueue.requestUnfinished()
  }

  /// Buys a product in the App Store instead of in the app, for example with a win-back offer or an offer code. The
  /// customer confirms the purchase, and the app receives a transaction for which it added no payment.
  ///
  /// If the store has charged and its answer is lost, the transaction is delivered nevertheless. A repeated call is a
  /// new purchase.
  ///
  /// - Returns: whether the product was bought. False if the customer cancelled, the purchase waits for approval, or
  ///   purchases are not allowed on this device.
  /// - Throws: `StoreRefusal`, `StoreConnectionFailure`.
  public func buyInAppStore(_ productID: ProductID, offer: PaymentOffer? = nil) async throws -> Bool {
    do {
      guard paymentsAllowed else { throw StoreRefusal(.paymentNotAllowed, "Purchases are restricted on this device.") }
      return try await buyAllowed(productID, offer: offer)
    } catch let refusal as StoreRefusal where PaymentFailure(refusal).isNotAllowed {
      await engine.customer.inform(.paymentsNotAllowed)
      return false
    }
  }

  private func buyAllowed(_ productID: ProductID, offer: PaymentOffer?) async throws -> Bool {
    let payment = PaymentRequest(paymentID: PaymentID(UUID().uuidString), productID: productID, offer: offer)
    var quote = try await session.perform { try await $0.quote(payment, for: $1) }
    defer { paymentQueue.requestUnfinished() }
    // The customer is asked again only if the quote has changed.
    while true {
      let shown = quote
      guard shown.payment == payment, shown.hasConsistentTotal else {
        throw StoreConnectionFailure.unintelligible(reason: "the quote is of another payment")
      }
      guard await engine.customer.confirm(shown) == .confirm else { return false }
      switch try await session.performPatiently({ try await $0.confirm(shown, for: $1) }) {
      case .purchased: return true
      case .deferred: return false
      case .stale(let current): quote = current
      }
    }
  }

  /// Redeems an offer code in the App Store. A code is identified by its reference name.
  ///
  /// - Parameter productIDs: the products that may have the code.
  /// - Returns: whether the code was redeemed, as in ``buyInAppStore(_:offer:)``.
  /// - Throws: `StoreRefusal` if no product has the code, or the customer cannot redeem it; `StoreConnectionFailure`.
  public func redeemOfferCode(_ code: String, among productIDs: [ProductID]) async throws -> Bool {
    try simulatedErrors.check(.offerCodeRedeem)
    let products = try await session.perform { try await $0.products(productIDs, for: $1) }.products
    let product = products.first { product in
      product.subscription?.offers.contains { $0.kind == .offerCode && $0.identifier == code } == true
    }
    guard let product else { throw StoreRefusal(.offerNotAvailable, "There is no offer code \(code).") }
    return try await buyInAppStore(product.productID, offer: PaymentOffer(kind: .offerCode, identifier: code))
  }
}
