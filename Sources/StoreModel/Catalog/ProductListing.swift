import Foundation

/// A product as one customer sees it: in the language and currency of the customer's storefront.
public struct ProductListing: Hashable, Codable, Sendable {
  public let productID: ProductID
  public let type: ProductType
  /// Empty if the catalog has no text for the storefront.
  public let displayName: String
  /// Empty if the catalog has no text for the storefront.
  public let productDescription: String
  public let price: Price
  /// The identifier of the locale that formats prices, such as `en_US`.
  public let localeIdentifier: String
  public let isFamilyShareable: Bool
  /// Present for auto-renewable subscriptions only.
  public let subscription: SubscriptionTerms?

  public init(
    productID: ProductID, type: ProductType, displayName: String, productDescription: String, price: Price,
    localeIdentifier: String, isFamilyShareable: Bool, subscription: SubscriptionTerms?
  ) {
    self.productID = productID
    self.type = type
    self.displayName = displayName
    self.productDescription = productDescription
    self.price = price
    self.localeIdentifier = localeIdentifier
    self.isFamilyShareable = isFamilyShareable
    self.subscription = subscription
  }

  /// The locale whose currency formatter writes this product's price as the storefront does.
  public var priceLocale: Locale { Locale(identifier: "\(localeIdentifier)@currency=\(price.currency)") }
}

/// The subscription group, period and offers of an auto-renewable subscription.
public struct SubscriptionTerms: Hashable, Codable, Sendable {
  public let groupID: SubscriptionGroupID
  /// The service level within the group. 1 is the highest level.
  public let groupLevel: Int
  public let period: SubscriptionPeriod
  public let offers: [SubscriptionOffer]

  public init(
    groupID: SubscriptionGroupID, groupLevel: Int, period: SubscriptionPeriod, offers: [SubscriptionOffer]
  ) {
    self.groupID = groupID
    self.groupLevel = groupLevel
    self.period = period
    self.offers = offers
  }
}

/// The products that a device requested, and the ids that the store does not sell.
public struct ProductList: Hashable, Codable, Sendable {
  public let products: [ProductListing]
  public let invalidProductIDs: [ProductID]

  public init(products: [ProductListing], invalidProductIDs: [ProductID]) {
    self.products = products
    self.invalidProductIDs = invalidProductIDs
  }
}
