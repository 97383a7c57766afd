import StoreKit
import StoreModel

// The neutral values of StoreKit 2's.

extension StoreProduct {
  init(_ product: Product) {
    self.init(
      productIdentifier: product.id, localizedTitle: product.displayName, localizedDescription: product.description,
      displayPrice: product.displayPrice, price: product.price, currencyCode: product.priceFormatStyle.currencyCode,
      subscriptionPeriod: product.subscription.flatMap { StorePeriod($0.subscriptionPeriod) },
      introductoryOffer: product.subscription?.introductoryOffer.flatMap(StoreIntroductoryOffer.init), skProduct: nil,
      product: product)
  }
}

extension StorePeriod {
  /// Returns nil for a unit of a later StoreKit.
  fileprivate init?(_ period: Product.SubscriptionPeriod) {
    switch period.unit {
    case .day: unit = .day
    case .week: unit = .week
    case .month: unit = .month
    case .year: unit = .year
    @unknown default: return nil
    }
    value = period.value
  }
}

extension StoreIntroductoryOffer {
  /// Returns nil for a kind of payment of a later StoreKit.
  fileprivate init?(_ offer: Product.SubscriptionOffer) {
    guard let period = StorePeriod(offer.period) else { return nil }
    switch offer.paymentMode {
    case .payAsYouGo: paymentMode = .payAsYouGo
    case .payUpFront: paymentMode = .payUpFront
    case .freeTrial: paymentMode = .freeTrial
    default: return nil
    }
    displayPrice = offer.displayPrice
    self.period = period
    periodCount = offer.periodCount
  }
}

extension PaidPurchase {
  init(_ transaction: Transaction, jws: String, isRestored: Bool) {
    self.init(
      transactionIdentifier: String(transaction.id), originalTransactionIdentifier: String(transaction.originalID),
      productIdentifier: transaction.productID, quantity: transaction.purchasedQuantity,
      date: transaction.originalPurchaseDate, isRestored: isRestored,
      revocationPercentage: transaction.refundedShare, signedTransaction: jws)
  }
}

extension Transaction {
  /// The refunded share of a consumable's price, if less than all of it was refunded: the customer keeps the rest. In
  /// thousandths of a percent; nil otherwise.
  var refundedShare: Int? {
    struct Payload: Decodable { let revocationPercentage: Int? }
    guard productType == .consumable, revocationDate != nil,
      // `revocationPercentage` itself is of a later version of StoreKit than this library needs.
      let payload = try? JSONDecoder().decode(Payload.self, from: jsonRepresentation),
      let share = payload.revocationPercentage, (1..<Percentage.whole).contains(share)
    else { return nil }
    return share
  }

  /// Whether the customer no longer has anything of the purchase.
  var isRevoked: Bool { revocationDate != nil && refundedShare == nil }
}

/// The errors of StoreKit 2 as StoreKit 1 reports them, so that apps show the same alerts.
enum StoreKit2Errors {
  static func neutral(_ error: any Error) -> any Error {
    switch error {
    case StoreKitError.userCancelled: SKError(.paymentCancelled)
    case StoreKitError.networkError(let error): error
    case StoreKitError.systemError(let error): error
    case StoreKitError.unknown: SKError(.unknown)
    case Product.PurchaseError.purchaseNotAllowed: SKError(.paymentNotAllowed)
    case Product.PurchaseError.productUnavailable: SKError(.storeProductNotAvailable)
    case Product.PurchaseError.ineligibleForOffer: SKError(.ineligibleForOffer)
    case Product.PurchaseError.invalidOfferIdentifier: SKError(.invalidOfferIdentifier)
    case Product.PurchaseError.invalidOfferPrice: SKError(.invalidOfferPrice)
    case Product.PurchaseError.invalidOfferSignature: SKError(.invalidSignature)
    case Product.PurchaseError.missingOfferParameters: SKError(.missingOfferParams)
    default: error
    }
  }
}
