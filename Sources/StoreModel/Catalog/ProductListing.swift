import Foundation

/// A product as the store shows it to one customer: in the language and currency of a storefront.
public struct ProductListing: Hashable, Codable, Sendable {
  public let productID: ProductID
  public let type: ProductType
  /// May be empty, when the catalog has no text for the storefront.
  public let displayName: String
  /// May be empty, when the catalog has no text for the storefront.
  public let productDescription: String
  public let price: Price
  /// The identifier of the locale prices are formatted in, such as `en_US`.
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

  /// The locale whose currency formatter writes this product's price as its storefront does.
  public var priceLocale: Locale { Locale(identifier: "\(localeIdentifier)@currency=\(price.currency)") }
}
