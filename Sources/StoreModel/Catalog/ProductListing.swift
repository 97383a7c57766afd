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
  /// The product's identifier in the store's catalog, as in StoreKit 2's JSON of a product. Nil if the store gives none.
  public let internalID: String?
  /// The name of the subscription group, in the language of the storefront. Nil for other products, and if the store gives
  /// none.
  public let groupDisplayName: String?

  public init(
    productID: ProductID, type: ProductType, displayName: String, productDescription: String, price: Price,
    localeIdentifier: String, isFamilyShareable: Bool, subscription: SubscriptionTerms?, internalID: String? = nil,
    groupDisplayName: String? = nil
  ) {
    self.productID = productID
    self.type = type
    self.displayName = displayName
    self.productDescription = productDescription
    self.price = price
    self.localeIdentifier = localeIdentifier
    self.isFamilyShareable = isFamilyShareable
    self.subscription = subscription
    self.internalID = internalID
    self.groupDisplayName = groupDisplayName
  }

  /// The locale whose currency formatter writes this product's price as the storefront does.
  public var priceLocale: Locale { Locale(identifier: "\(localeIdentifier)@currency=\(price.currency)") }
}

/// The subscription group, period and offers of an auto-renewable subscription.
public struct SubscriptionTerms: Hashable, Codable, Sendable {
  public let groupID: SubscriptionGroupID
  /// The service level within the group. 1 is the highest level.
  public let groupLevel: Int
  public let period: CalendarPeriod
  public let offers: [SubscriptionOffer]

  public init(
    groupID: SubscriptionGroupID, groupLevel: Int, period: CalendarPeriod, offers: [SubscriptionOffer]
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
