import AppStoreEmulator
import StoreModel
import WebSupport

/// The names of a page's products.
struct ProductNames: Sendable {
  private let names: [BundleID: [ProductID: String]]

  /// Looks up the products of these purchases.
  init(of purchases: [(app: BundleID, product: ProductID)], in store: EmulatedAppStore) async throws {
    let wanted = Dictionary(grouping: purchases, by: \.app).mapValues { Set($0.map(\.product)) }
    var names: [BundleID: [ProductID: String]] = [:]
    for (app, products) in wanted {
      names[app] = try await store.products(products, of: app).mapValues(\.shownName)
    }
    self.names = names
  }

  /// The product's name; its id if it is no longer in the catalog.
  func name(_ product: ProductID, of app: BundleID) -> String { names[app]?[product] ?? product.rawValue }

  /// The product's name and id, with a link if it is in the catalog.
  func cell(_ product: ProductID, of app: BundleID) -> HTML {
    guard let name = names[app]?[product] else {
      return "\(HTML.shortName(product.rawValue))<span class=\"sub\">no longer in the catalog</span>"
    }
    let link = ConsoleAddress.link(ConsoleAddress.product(product, of: app), .shortName(name))
    return "\(link)<span class=\"sub mono\">\(HTML.shortName(product.rawValue, limit: 60))</span>"
  }
}

extension ProductDefinition {
  /// The name for customers, or else the developer's name, or else the id.
  var shownName: String {
    let names = [localization(for: "en_US")?.displayName, referenceName, productID.rawValue]
    return names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? productID.rawValue
  }
}
