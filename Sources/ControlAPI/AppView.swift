import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// An app and its catalog.
package struct AppView: APIObject {
  package let bundleId: BundleID
  package let appAppleId: Int64
  package let products: [ProductView]

  package init(_ app: StoreApp, catalog: [CatalogEntry]) {
    bundleId = app.bundleID
    appAppleId = app.appAppleID
    products = catalog.map(ProductView.init)
  }
}
