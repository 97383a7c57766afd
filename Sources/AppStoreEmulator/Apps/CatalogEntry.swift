import StoreModel

/// A change of a product. Values that are nil stay as they are.
public struct ProductChange: Hashable, Sendable {
  /// In thousandths of a unit of the currency of the catalog's storefront.
  public var price: Milliunits?
  /// The prices that replace ``price`` in single storefronts, each in its storefront's currency, by alpha-3 country code: all of
  /// them.
  public var prices: [String: Milliunits]?
  /// False: no app receives it any more, and nobody can buy it.
  public var isOnSale: Bool?

  public init(price: Milliunits? = nil, prices: [String: Milliunits]? = nil, isOnSale: Bool? = nil) {
    self.price = price
    self.prices = prices
    self.isOnSale = isOnSale
  }

  func check() throws(AppStoreEmulatorError) {
    for price in [price].compactMap({ $0 }) + (prices ?? [:]).values {
      guard ProductDefinition.prices.contains(price) else { throw .priceOutOfRange(price) }
    }
    for code in (prices ?? [:]).keys.sorted() where Storefront(countryCode: code) == nil {
      throw .unknownStorefront(code)
    }
  }
}

/// A product of an app's catalog, on sale or not.
public struct CatalogEntry: Hashable, Sendable {
  public let product: ProductDefinition
  public let isOnSale: Bool
}

extension CatalogEntry {
  init(_ row: ProductRow) { self.init(product: row.definition, isOnSale: row.isOnSale) }
}
