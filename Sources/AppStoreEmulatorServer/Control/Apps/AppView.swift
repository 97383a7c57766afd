import AppStoreEmulator
import Foundation
import StoreModel

/// An app and its catalog.
struct AppView: Encodable, Sendable {
  struct Product: Encodable, Sendable {
    let productId: ProductID
    let type: ProductType
    let referenceName: String
    /// In thousandths of the storefront's currency.
    let price: Milliunits
  }

  let bundleId: BundleID
  let appAppleId: Int64
  let products: [Product]

  init(_ app: StoreApp, catalog: [ProductDefinition]) {
    bundleId = app.bundleID
    appAppleId = app.appAppleID
    products = catalog.map {
      Product(productId: $0.productID, type: $0.type, referenceName: $0.referenceName, price: $0.price)
    }
  }
}
