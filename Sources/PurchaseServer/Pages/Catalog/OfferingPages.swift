import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The list of an app's offerings, and the page of one with the forms that publish and remove it.
enum OfferingPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    (OperatorAddress.offerings, list), (OperatorAddress.offering, offering),
  ]

  private static let list: OperatorPages.PageMaker = { page in
    let app = page.app
    let offerings = try await page.answer(of: ServiceEndpoints.offeringsForOperator, app).offerings
    let filter =
      page.apps.count > 1 ? FilterForm(OperatorAddress.offerings, [page.appFilter()], title: "Show").html : ""
    let table = DataTable(
      caption: "Offerings", columns: ["Offering", "State", "Products", "Changed"],
      rows: offerings.map { row($0, of: app) }
    ).html(orNone: "There is no offering: apps show what is built into them.")
    return page.page(
      "Offerings",
      """
      <p class="crumb"><a href="\(OperatorAddress.products(of: app))">Products</a></p>
      <h1>Offerings</h1>\(filter)\(adding(to: app, page))<div id="offerings" data-live>\(table)</div>
      """)
  }

  private static func row(_ offering: PublishedOfferingView, of app: String) -> [HTML] {
    let (id, unlisted) = (offering.id.rawValue, Set(offering.unlisted))
    let products = offering.products.map { product -> HTML in
      let note: HTML = unlisted.contains(product) ? " <span class=\"badge\">not listed</span>" : ""
      return "<span class=\"sub\">\(HTML.identifier(product.rawValue, limit: 120))\(note)</span>"
    }
    return [
      "<a href=\"\(OperatorAddress.offering(id, of: app))\">\(HTML.identifier(id))</a>", offering.stateBadge,
      HTML(products), offering.changed.html,
    ]
  }

  /// The form that opens the page of an offering that does not exist yet.
  private static func adding(to app: String, _ page: OperatorPageRequest) -> HTML {
    guard page.site.allows(ServiceEndpoints.publishOffering) else { return "" }
    return """
      <form class="filters" action="\(OperatorAddress.offering)" method="get" aria-label="Add an offering">
      <input type="hidden" name="app" value="\(app)"><input type="hidden" name="new" value="yes">
      <div class="field field-name"><label for="new-id">New offering’s id</label>\
      <input type="text" id="new-id" name="id" required maxlength="64" autocomplete="off"></div>
      <button type="submit">Add</button></form>
      """
  }

  private static let offering: OperatorPages.PageMaker = { page in
    let (app, id) = (try page.query.required("app"), try page.query.required("id"))
    guard OfferingID(rawValue: id) != nil else {
      throw PageRefusal(
        .badRequest,
        """
        \(id.prefix(80)) is no offering’s id: 1 to 64 letters, digits, hyphens, underscores or dots, except . and .. alone.
        """)
    }
    let offerings = try await page.answer(of: ServiceEndpoints.offeringsForOperator, app).offerings
    let known = offerings.first { $0.id.rawValue == id }
    guard known != nil || page.query["new"] != nil else {
      throw PageRefusal(.notFound, "There is no offering \(id).")
    }
    return page.page("Offering", OfferingPage(app: app, id: id, offering: known, page: page).html)
  }
}

/// The page of an offering.
struct OfferingPage {
  let app: String
  let id: String
  /// Nil if the offering is not published yet.
  let offering: PublishedOfferingView?
  let page: OperatorPageRequest

  private static let publishing = EndpointFields(of: ServiceEndpoints.publishOffering.endpoint)
  private static let removing = EndpointFields(ofQuery: ServiceEndpoints.removeOffering.endpoint)

  var html: HTML {
    """
    <p class="crumb"><a href="\(OperatorAddress.offerings(of: app))">Offerings</a></p>
    <div class="headline" id="head" data-live><h1>\(HTML.identifier(id))</h1>\(offering?.stateBadge)</div>
    <section class="card" id="details" data-live aria-labelledby="details-title"><h2 id="details-title">Offering</h2>\(details)</section>
    \(publication)<div id="removing" data-live>\(removal)</div>
    """
  }

  private var details: HTML {
    guard let offering else { return "<p>It is not published yet.</p>" }
    var list = DetailList()
    list.add("App", chosen: app)
    list.add("Changed", offering.changed.html)
    list.add("Products", HTML(offering.products.map(line)))
    let metadata = PrettyJSON.text(Data(offering.metadata.text.utf8))
    return "\(list.html)<h3>Metadata</h3>\(CopyableText(id: "metadata", title: "Metadata", text: metadata).html)"
  }

  private func line(_ product: ProductID) -> HTML {
    let isUnlisted = offering?.unlisted.contains(product) ?? false
    return """
      <span class="sub"><a href="\(OperatorAddress.product(product.rawValue, of: app))">\(HTML.identifier(product.rawValue))</a>\
      \(" <span class=\"badge\">not listed</span>", if: isUnlisted)</span>
      """
  }

  private var publication: HTML {
    guard page.site.allows(ServiceEndpoints.publishOffering) else { return "" }
    let fields = Self.publishing
    let call = APICall(
      "publish", ServiceEndpoints.publishOffering, app, id,
      fields: [
        fields.field(
          "products", "Products", text: (offering?.products ?? []).map(\.rawValue).joined(separator: " "),
          hint: "The ids of published products, with spaces between, in the order in which the app shows them."),
        fields.field(
          "isCurrent", "Current", text: "\(offering?.isCurrent ?? false)",
          hint: "Apps show it unless they ask for another one. The app’s other offerings are no longer current."),
        fields.field(
          "metadata", "Metadata", text: editableMetadata,
          hint: "A JSON object for the app, at most 16,384 bytes without white space. Empty: {}."),
        fields.reason,
      ])
    let form = CallForm(
      call: call, title: "Publish", calls: page.calls, style: "button-primary", done: "Published.",
      next: OperatorAddress.offering(id, of: app))
    return """
      <section class="card" id="actions" aria-labelledby="publish-title"><h2 id="publish-title" data-live>\(offering == nil ? "Publish" : "Change")</h2>
      <p>What is published replaces what was.</p>\(form.html)</section>
      """
  }

  /// The metadata in lines, unless the form would become too large to be sent.
  private var editableMetadata: String {
    guard let text = offering?.metadata.text else { return "" }
    let pretty = PrettyJSON.text(Data(text.utf8))
    return pretty.utf8.count <= 16 << 10 ? pretty : text
  }

  private var removal: HTML {
    guard offering != nil, page.site.allows(ServiceEndpoints.removeOffering) else { return "" }
    let call = APICall(
      "remove", ServiceEndpoints.removeOffering, app, id, fields: [Self.removing.reason], in: .query)
    let form = CallForm(
      call: call, title: "Remove", calls: page.calls, style: "button-danger", done: "Removed.",
      next: OperatorAddress.offerings(of: app), confirmation: "Remove this offering: apps no longer show it")
    return """
      <section class="card" aria-labelledby="remove-title"><h2 id="remove-title">Remove</h2>\(form.html)</section>
      """
  }
}

extension PublishedOfferingView {
  fileprivate var stateBadge: HTML { isCurrent ? "<span class=\"badge badge-good\">current</span>" : "" }
}
