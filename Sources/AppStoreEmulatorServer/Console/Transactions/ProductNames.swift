import AppStoreEmulator
import StoreModel
import WebSupport

/// The names and icons of a page's products.
struct ProductNames: Sendable {
  private let products: [BundleID: [ProductID: ProductDefinition]]
  /// The cells of these products. A table may show a product in many rows.
  private let cells: [BundleID: [ProductID: HTML]]

  /// Looks up the products of these purchases.
  init(of purchases: [(app: BundleID, product: ProductID)], in store: EmulatedAppStore) async throws {
    let wanted = Dictionary(grouping: purchases, by: \.app).mapValues { Set($0.map(\.product)) }
    var found: [BundleID: [ProductID: ProductDefinition]] = [:]
    for (app, products) in wanted { found[app] = try await store.products(products, of: app) }
    products = found
    cells = Dictionary(
      uniqueKeysWithValues: found.map { app, products in
        (
          app,
          products.mapValues {
            Self.cell(of: $0, address: ConsoleAddress.product($0.productID, of: app))
          }
        )
      })
  }

  /// The product's name; its id if it is no longer in the catalog.
  func name(_ product: ProductID, of app: BundleID) -> String {
    products[app]?[product]?.shownName ?? product.rawValue
  }

  func icon(_ product: ProductID, of app: BundleID) -> HTML {
    ProductIcon(product: product, type: products[app]?[product]?.type).html
  }

  /// The product's icon, name and id, with a link if it is in the catalog.
  func cell(_ product: ProductID, of app: BundleID) -> HTML {
    cells[app]?[product]
      ?? Self.cell(
        icon(product, of: app),
        "\(HTML.identifier(product.rawValue, limit: 80))<span class=\"sub\">no longer in the catalog</span>")
  }

  /// The icon, name and id of a product, with a link to `address`.
  static func cell(of definition: ProductDefinition, address: String) -> HTML {
    let id = definition.productID
    return cell(
      ProductIcon(product: id, type: definition.type).html,
      """
      \(ConsoleAddress.link(address, .shortName(definition.shownName)))\
      <span class="sub mono">\(HTML.identifier(id.rawValue, limit: 60))</span>
      """)
  }

  private static func cell(_ icon: HTML, _ text: HTML) -> HTML {
    "<div class=\"product\">\(icon)<div>\(text)</div></div>"
  }
}

extension ProductDefinition {
  /// The name for customers, or else the developer's name, or else the id.
  var shownName: String {
    let names = [localization(for: ["en_US"])?.displayName, referenceName, productID.rawValue]
    return names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? productID.rawValue
  }
}
