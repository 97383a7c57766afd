import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The list of an app's products, and the page of one.
enum ProductPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    (OperatorAddress.products, list), (OperatorAddress.product, product),
  ]

  private static let list: OperatorPages.PageMaker = { page in
    let (app, after, rows) = (page.app, page.query["after"], try page.rows())
    let list = try await page.answer(
      of: ServiceEndpoints.productsForOperator, app, query: [("after", after), ("limit", "\(rows)")])
    let filter =
      page.apps.count > 1 ? FilterForm(OperatorAddress.products, [page.appFilter()], title: "Show").html : ""
    let table = DataTable(
      caption: "Products", columns: ["Product", "Type", "Gives", "Name", "Listed", "Files", "Changed"],
      rows: list.products.map { row($0, of: app) }
    ).html(orNone: "No product is published.")
    let end = ListEnd(rows: rows, older: list.next.map { OperatorAddress.products(of: app, after: $0.text) }) {
      OperatorAddress.products(of: app, after: after, rows: $0)
    }
    return page.page(
      "Products",
      """
      <div class="between"><h1>Products</h1><a href="\(OperatorAddress.offerings(of: app))">Offerings</a></div>
      \(filter)\(adding(to: app, page))<div id="products" data-live>\(table)\(end.html)</div>
      """)
  }

  private static func row(_ published: PublishedProduct, of app: String) -> [HTML] {
    let product = published.product
    let address = OperatorAddress.product(product.id.rawValue, of: app)
    let files: HTML = published.contentVersion > 0 ? "version \(published.contentVersion)" : ""
    return [
      "<a href=\"\(address)\">\(HTML.identifier(product.id.rawValue, limit: 120))</a>", "\(product.type.text)",
      product.gives, product.firstName.map { .shortName($0, limit: 60) } ?? "", product.listedBadge, files,
      published.changed.html,
    ]
  }

  /// The form that opens the page of a product that does not exist yet.
  private static func adding(to app: String, _ page: OperatorPageRequest) -> HTML {
    guard page.site.allows(ServiceEndpoints.publishProduct) else { return "" }
    return """
      <form class="filters" action="\(OperatorAddress.product)" method="get" aria-label="Add a product">
      <input type="hidden" name="app" value="\(app)"><input type="hidden" name="new" value="yes">
      <div class="field field-name"><label for="new-id">New product’s id</label>\
      <input type="text" id="new-id" name="id" required maxlength="255" autocomplete="off"></div>
      <button type="submit">Add</button></form>
      """
  }

  private static let product: OperatorPages.PageMaker = { page in
    let (app, id) = (try page.query.required("app"), try page.query.required("id"))
    let view: PublishedProductView?
    do {
      view = try await page.answer(of: ServiceEndpoints.productForOperator, app, id)
    } catch let refusal as PageRefusal {
      guard refusal.status == .notFound, page.query["new"] != nil, page.apps.contains(BundleID(app)) else {
        throw refusal
      }
      view = nil
    }
    let content = ProductPage(app: app, id: id, view: view, language: page.query["language"], page: page)
    return page.page("Product", content.html)
  }
}

extension LedgerProduct {
  /// What a purchase gives.
  var gives: HTML {
    switch type {
    case .consumable: credits.map { "\($0.amount) \(HTML.name($0.unit.rawValue))" } ?? "no credits"
    case .nonConsumable: "access for ever"
    case .nonRenewingSubscription: "access for \(accessDays ?? 0) days"
    case .autoRenewableSubscription: "access while it renews"
    }
  }

  var listedBadge: HTML {
    isListed ? "<span class=\"badge badge-good\">listed</span>" : "<span class=\"badge\">not listed</span>"
  }

  /// The names of what it gives, as a form has them.
  var namesText: String { entitlements.map(\.rawValue).joined(separator: " ") }

  /// The English name, or else the first in the order of the languages.
  var firstName: String? {
    (localisations["en"] ?? localisations.min { $0.key < $1.key }?.value)?.name
  }
}
