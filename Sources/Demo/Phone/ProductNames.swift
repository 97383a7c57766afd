import AppStoreEmulator
import Foundation
import StoreModel

/// The names of the sample app's products, as the store's catalog has them.
enum ProductNames {
  private static let names: [String: String] = {
    // The store, which reads the same file, reports its problems.
    let file = try? StoreKitConfiguration(data: Data(PackageResources.SampleApp_storekit), name: "SampleApp.storekit")
    let named = (file?.products ?? []).map { ($0.productID.rawValue, $0.listing(in: .usa).displayName) }
    return Dictionary(named.filter { !$0.1.isEmpty }) { first, _ in first }
  }()

  /// Returns a product's name; the last part of its id if the catalog does not have it.
  static func name(of product: String) -> String { names[product] ?? lastPart(of: product) }

  /// Returns a product's name for a device's owner, who sees no ids.
  static func ownerName(of product: String) -> String { names[product] ?? "a new product" }

  /// Returns the last part of a product id.
  static func lastPart(of product: String) -> String {
    product.split(separator: ".").last.map(String.init) ?? product
  }
}
