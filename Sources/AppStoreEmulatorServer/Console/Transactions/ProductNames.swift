import AppStoreEmulator
import StoreModel
import WebSupport

/// What the products of a page are called.
struct ProductNames: Sendable {
  private let names: [BundleID: [ProductID: String]]

  /// Of the products of these transactions.
  init(of purchases: [(app: BundleID, product: ProductID)], in store: EmulatedAppStore) async throws {
    let wanted = Dictionary(grouping: purchases, by: \.app).mapValues { Set($0.map(\.product)) }
    var names: [BundleID: [ProductID: String]] = [:]
    for (app, products) in wanted {
      names[app] = try await store.products(products, of: app).mapValues(\.shownName)
    }
    self.names = names
  }

  /// The product's id where it is no longer in the catalog.
  func name(_ product: ProductID, of app: BundleID) -> String { names[app]?[product] ?? product.rawValue }

  /// Name and id, with a link to the product where there still is one.
  func cell(_ product: ProductID, of app: BundleID) -> HTML {
    guard let name = names[app]?[product] else {
      return "\(HTML.shortName(product.rawValue))<span class=\"sub\">no longer in the catalog</span>"
    }
    let link = ConsoleAddress.link(ConsoleAddress.product(product, of: app), .shortName(name))
    return "\(link)<span class=\"sub mono\">\(HTML.shortName(product.rawValue, limit: 60))</span>"
  }
}

extension ProductDefinition {
  /// What customers call it, or else the developer, or else its id.
  var shownName: String {
    let names = [localization(for: "en_US")?.displayName, referenceName, productID.rawValue]
    return names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? productID.rawValue
  }
}
