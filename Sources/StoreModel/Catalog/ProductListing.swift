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
