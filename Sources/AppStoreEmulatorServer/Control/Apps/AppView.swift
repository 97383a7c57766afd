import AppStoreEmulator
import Foundation
import StoreModel

/// An app and its catalog.
struct AppView: Encodable, Sendable {
  let bundleId: BundleID
  let appAppleId: Int64
  let products: [ProductView]

  init(_ app: StoreApp, catalog: [CatalogEntry]) {
    bundleId = app.bundleID
    appAppleId = app.appAppleID
    products = catalog.map(ProductView.init)
  }
}
