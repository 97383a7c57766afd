import AppStoreEmulator
import StoreModel

extension EmulatedAppStore {
  /// Returns a store in memory, in which one app sells `products`.
  package static func selling(
    _ products: [ProductDefinition], in app: BundleID, seed: UInt64, clock: any MachineClock = SystemClock()
  ) async throws -> EmulatedAppStore {
    let store = try EmulatedAppStore(.inMemory(wallClock: clock, seed: seed))
    try await store.serve(app, catalog: [StoreKitConfiguration(products: products)])
    return store
  }
}

extension ProductDefinition {
  /// Returns a product with at most one localization, for `en_US`.
  ///
  /// - Parameter milliunits: the price, in thousandths of the currency's unit.
  package static func consumable(
    _ productID: String, _ milliunits: Int64, name: String? = nil, description: String = ""
  ) -> ProductDefinition {
    product(productID, .consumable, milliunits, name, description)
  }

  /// Returns a product with at most one localization, for `en_US`.
  ///
  /// - Parameter milliunits: the price, in thousandths of the currency's unit.
  package static func nonConsumable(
    _ productID: String, _ milliunits: Int64, name: String? = nil, description: String = ""
  ) -> ProductDefinition {
    product(productID, .nonConsumable, milliunits, name, description)
  }

  private static func product(
    _ productID: String, _ type: ProductType, _ milliunits: Int64, _ name: String?, _ description: String
  ) -> ProductDefinition {
    ProductDefinition(
      productID: ProductID(productID), type: type, price: Milliunits(milliunits),
      localizations: name.map { [Localization(locale: "en_US", displayName: $0, description: description)] } ?? [])
  }
}
