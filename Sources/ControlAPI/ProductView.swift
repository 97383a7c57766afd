import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// A product of an app's catalog.
package struct ProductView: APIObject {
  package let productId: ProductID
  package let type: ProductType
  package let referenceName: String
  package let price: Milliunits
  package let prices: [String: Milliunits]
  package let isOnSale: Bool

  package static let notes: [String: MemberNote] = [
    "price":
      "In thousandths of the currency of the storefront that the app's files name (USA if they name none). Other storefronts' prices are converted from it.",
    "prices":
      "Prices that replace the price in single storefronts, in thousandths of the storefront's currency, by country code (ISO 3166-1 alpha-3).",
  ]

  package init(_ entry: CatalogEntry) {
    productId = entry.product.productID
    type = entry.product.type
    referenceName = entry.product.referenceName
    price = entry.product.price
    prices = entry.product.prices
    isOnSale = entry.isOnSale
  }
}

/// A change of a product. Missing members are left unchanged.
package struct ProductChangeRequest: APIObject {
  package static let schemaName = "ProductChange"

  package let price: Milliunits?
  package let prices: [String: Milliunits]?
  package let isOnSale: Bool?

  package static let notes: [String: MemberNote] = [
    "price": .init(minimum: 0),
    "prices":
      "Prices that replace the price in single storefronts, in thousandths of the storefront's currency, by country code (ISO 3166-1 alpha-3).",
    "isOnSale": "False: apps do not see the product, and it cannot be bought.",
  ]

  package var change: ProductChange { ProductChange(price: price, prices: prices, isOnSale: isOnSale) }

  package init(price: Milliunits? = nil, prices: [String: Milliunits]? = nil, isOnSale: Bool? = nil) {
    self.price = price
    self.prices = prices
    self.isOnSale = isOnSale
  }
}
