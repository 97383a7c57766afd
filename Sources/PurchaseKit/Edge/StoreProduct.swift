import StoreKit

/// A product as the store sells it in the current storefront, by either StoreKit.
public struct StoreProduct: Hashable, Sendable {
  public let productIdentifier: String
  public let localizedTitle: String
  public let localizedDescription: String
  /// The price in the format of the storefront.
  public let displayPrice: String
  public let price: Decimal
  /// The ISO 4217 code of the price's currency; empty if StoreKit gives none.
  public let currencyCode: String
  /// The period of a subscription; nil for other products.
  public let subscriptionPeriod: StorePeriod?
  /// The subscription's offer for new customers; nil if there is none.
  public let introductoryOffer: StoreIntroductoryOffer?
  /// StoreKit 1's product; nil with StoreKit 2. It is not part of `==`.
  public let skProduct: SKProduct?
  /// StoreKit 2's product; nil with StoreKit 1. It is not part of `==`.
  public let product: Product?

  public static func == (left: StoreProduct, right: StoreProduct) -> Bool {
    (left.productIdentifier, left.localizedTitle, left.localizedDescription, left.displayPrice)
      == (right.productIdentifier, right.localizedTitle, right.localizedDescription, right.displayPrice)
      && (left.price, left.currencyCode, left.subscriptionPeriod, left.introductoryOffer)
        == (right.price, right.currencyCode, right.subscriptionPeriod, right.introductoryOffer)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(productIdentifier)
    hasher.combine(displayPrice)
  }
}

/// The period of a subscription: a number of days, weeks, months or years.
public struct StorePeriod: Hashable, Sendable {
  public enum Unit: Hashable, Sendable, CaseIterable { case day, week, month, year }

  public let value: Int
  public let unit: Unit

  public init(value: Int, unit: Unit) {
    self.value = value
    self.unit = unit
  }
}

/// A subscription's offer for customers who have not had an offer in its group.
public struct StoreIntroductoryOffer: Hashable, Sendable {
  public enum PaymentMode: Hashable, Sendable, CaseIterable { case payAsYouGo, payUpFront, freeTrial }

  public let paymentMode: PaymentMode
  /// The price of one period in the format of the storefront; with `payUpFront`, the price of all periods.
  public let displayPrice: String
  public let period: StorePeriod
  /// The number of periods.
  public let periodCount: Int
}
