import AppStoreEmulator
import StoreModel
import WebSupport

/// A page of the apps and their products, with the prices of one storefront.
struct CatalogPage {
  let sections: [AppOnSale]
  /// The app after which the next page begins; nil on the last page.
  let next: BundleID?
  let storefront: Territory
  let search: String?

  /// The maximum number of products shown for one app. The search finds the others.
  static let largestNumber = 500
  /// The maximum number of apps on a page.
  static let mostApps = 50

  var html: HTML {
    """
    <h1>Catalog</h1>
    \(filters)
    <div id="catalog" data-live>\(sections.map(html))\(further)</div>
    """
  }

  private var filters: HTML {
    let storefronts = FilterForm.choices(
      "storefront", "Prices in", Choices.storefronts.map { ($0.value, $0.title) }, chosen: storefront.countryCode,
      any: nil)
    return FilterForm(
      "/console/catalog", [FilterForm.search(search, "Product id or name"), storefronts], title: "Show"
    ).html
  }

  private var further: HTML {
    guard let next else { return "" }
    let address = ConsoleAddress.catalog(after: next, storefront: storefront.countryCode, search: search)
    return "<p class=\"older\"><a class=\"button\" href=\"\(address)\">More apps</a></p>"
  }

  private func html(_ section: AppOnSale) -> HTML {
    let found = section.catalog.filter(isWanted)
    let shown = found.prefix(Self.largestNumber)
    let table = DataTable(
      caption: "Products of \(section.app.bundleID.rawValue)",
      columns: [.init("Product"), .init("Type"), .init("Price", isNumber: true), .init("On sale"), .init("Purchases")],
      rows: shown.map { row($0, of: section.app) })
    let rest: HTML =
      found.count > shown.count ? "<p class=\"muted\">And \(found.count - shown.count) more. Search for them.</p>" : ""
    return """
      <section><h2>\(HTML.identifier(section.app.bundleID.rawValue, limit: 80)) <span class="muted small">App Store number \
      \(section.app.appAppleID) · \(section.catalog.count == 1 ? "1 product" : "\(section.catalog.count) products")</span></h2>
      \(found.isEmpty ? "<p class=\"card\">No product is like that.</p>" : table.html)\(rest)</section>
      """
  }

  private func isWanted(_ entry: CatalogEntry) -> Bool {
    guard let search = search?.lowercased() else { return true }
    return [entry.product.productID.rawValue, entry.product.shownName, entry.product.referenceName].contains {
      $0.lowercased().contains(search)
    }
  }

  private func row(_ entry: CatalogEntry, of app: StoreApp) -> [HTML] {
    let product = entry.product
    let address = ConsoleAddress.product(product.productID, of: app.bundleID, storefront: storefront.countryCode)
    let listing = product.listing(in: storefront, of: app.catalogDefaults)
    return [
      ProductNames.cell(of: product, address: address),
      "\(product.type.text)", "\(listing.price.formatted(locale: listing.priceLocale))", Self.badge(entry.isOnSale),
      "<a href=\"\(ConsoleAddress.transactions(product: product.productID, app: app.bundleID))\">Purchases<span class=\"sr-only\"> of \(HTML.shortName(product.shownName))</span></a>",
    ]
  }

  static func badge(_ isOnSale: Bool) -> HTML {
    isOnSale ? "<span class=\"badge badge-good\">on sale</span>" : "<span class=\"badge\">not on sale</span>"
  }
}
