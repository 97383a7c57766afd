import AppStoreEmulator
import Foundation
import StoreModel

/// A product of an app's catalog.
struct ProductView: Encodable, Sendable {
  let productId: ProductID
  let type: ProductType
  let referenceName: String
  /// In thousandths of the storefront's currency.
  let price: Milliunits
  /// By alpha-3 country code.
  let prices: [String: Milliunits]
  let isOnSale: Bool

  init(_ entry: CatalogEntry) {
    productId = entry.product.productID
    type = entry.product.type
    referenceName = entry.product.referenceName
    price = entry.product.price
    prices = entry.product.prices
    isOnSale = entry.isOnSale
  }
}

/// What of a product is to change; what is left out stays.
struct ProductChangeOrder: Decodable, Sendable {
  let price: Milliunits?
  let prices: [String: Milliunits]?
  let isOnSale: Bool?

  var change: ProductChange { ProductChange(price: price, prices: prices, isOnSale: isOnSale) }
}
