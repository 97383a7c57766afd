import PurchaseLedger
import StoreModel
import WebSupport

/// The forms with which an operator changes what a customer has. Each needs a reason, which the audit log keeps. A form that the
/// operator's role does not allow is left out.
struct CustomerActions {
  let summary: CustomerSummary
  let serverApps: [BundleID]
  let site: OperatorSite
  let calls: CallContext

  private static let grant = EndpointFields(of: ServiceEndpoints.grant.endpoint)
  private static let revoke = EndpointFields(of: ServiceEndpoints.revoke.endpoint)
  private static let move = EndpointFields(of: ServiceEndpoints.movePurchase.endpoint)
  private static let lift = EndpointFields(of: ServiceEndpoints.liftBlock.endpoint)
  private static let reverify = EndpointFields(of: ServiceEndpoints.reverify.endpoint)
  private static let erase = EndpointFields(of: ServiceEndpoints.erase.endpoint)
  private static let exporting = EndpointFields(of: ServiceEndpoints.recordedExportOfCustomer.endpoint)

  private var customer: String { "\(summary.customer)" }

  /// The apps of the customer's rows, and then the server's other apps.
  private var apps: [String] {
    let own = Set(
      summary.installations.map(\.app) + summary.purchases.map(\.app) + summary.entitlements.map(\.app)
        + summary.accounts.map(\.app)
    ).map(\.rawValue).sorted()
    return own + serverApps.map(\.rawValue).filter { !own.contains($0) }
  }

  /// The maximum number of apps with forms. The API changes what a customer has in any app.
  private static let mostApps = 5

  var html: HTML {
    let sections = apps.prefix(Self.mostApps).map(section)
    let notAllowed: HTML =
      site.allows(ServiceEndpoints.grant)
      ? "" : "<p class=\"muted\">Your key has the role \(site.identity?.role.rawValue): it changes nothing.</p>"
    let rest: HTML =
      apps.count > Self.mostApps && site.allows(ServiceEndpoints.grant)
      ? "<p class=\"muted\">The forms of \(Self.mostApps) of \(apps.count) apps. Use the API for the others.</p>" : ""
    return "\(notAllowed)\(sections)\(rest)<div class=\"grid\">\(export)\(erasure)</div>"
  }

  private func section(_ app: String) -> HTML {
    guard site.allows(ServiceEndpoints.grant) else { return "" }
    let units = Set(summary.accounts.filter { $0.app.rawValue == app }.map(\.unit.rawValue)).sorted()
    let credits = APICall(
      APICall.id("credits", ofRow: app), ServiceEndpoints.grant, app, customer,
      fields: [
        .requestName("key"), Self.grant.field("credits.unit", "Unit", text: units.first ?? "", isRequired: true),
        Self.grant.field("credits.amount", "Amount", hint: "Negative to take credits.", isRequired: true),
        Self.grant.reason,
      ])
    let product = APICall(
      APICall.id("product", ofRow: app), ServiceEndpoints.grant, app, customer,
      fields: [
        .requestName("key"), Self.grant.field("productId", "Product id", isRequired: true),
        Self.grant.field("accessUntil", "Access until", .date, hint: "In UTC. Empty: for ever."),
        Self.grant.reason,
      ])
    let move = APICall(
      APICall.id("move", ofRow: app), ServiceEndpoints.movePurchase, app, customer,
      fields: [
        Self.move.field("transactionId", "Transaction", hint: "The original transaction id of a purchase that lasts."),
        Self.move.field("environment", "Environment", text: StoreEnvironment.production.rawValue),
        Self.move.reason,
      ])
    let again = APICall(
      APICall.id("reverify", ofRow: app), ServiceEndpoints.reverify,
      fields: [
        Self.reverify.constant("bundleId", app), Self.reverify.constant("customer", customer),
        Self.reverify.reason,
      ])
    return """
      <h3>\(HTML.identifier(app))</h3><div class="grid">
      \(card("Grant credits", credits.id, form(credits, "Grant credits")))
      \(card("Grant a product", product.id, form(product, "Grant the product")))
      \(card("Move a purchase here", move.id, form(move, "Move the purchase")))
      \(card("Ask the store again", again.id, form(again, "Ask the store", done: "The store has answered.")))
      </div>
      """
  }

  private func form(_ call: APICall, _ title: String, done: String = "Done.") -> HTML {
    CallForm(call: call, title: title, calls: calls, style: "button-primary", done: done).html
  }

  private func card(_ title: String, _ id: String, _ content: HTML) -> HTML {
    "<section class=\"card\" aria-labelledby=\"\(id)-title\"><h4 id=\"\(id)-title\">\(title)</h4>\(content)</section>\n"
  }

  /// The form that revokes an entitlement.
  func revocation(_ owned: CustomerExport.OwnedProduct) -> HTML {
    guard site.allows(ServiceEndpoints.revoke) else { return "" }
    let entitlement = owned.entitlement
    let call = APICall(
      APICall.id("revoke", ofRow: owned.app.rawValue, entitlement.source, entitlement.product.rawValue),
      ServiceEndpoints.revoke, owned.app.rawValue, customer,
      fields: [
        Self.revoke.constant("productId", entitlement.product.rawValue),
        Self.revoke.constant("source", entitlement.source), Self.revoke.reason,
      ])
    let form = CallForm(
      call: call, title: "Revoke", calls: calls, style: "button-danger", done: "Revoked.", isCompact: true)
    return """
      <details id="\(call.id)-open"><summary>Revoke<span class="sr-only"> \(HTML.shortName(entitlement.product.rawValue))</span></summary>\
      \(form.html)</details>
      """
  }

  /// The form that lets the customer spend again. The credits that were refunded after they were spent stay written off.
  func lift(_ account: CustomerExport.Account) -> HTML {
    guard site.allows(ServiceEndpoints.liftBlock) else { return "" }
    let call = APICall(
      APICall.id("lift", ofRow: account.app.rawValue, account.unit.rawValue), ServiceEndpoints.liftBlock,
      account.app.rawValue, customer,
      fields: [Self.lift.constant("unit", account.unit.rawValue), Self.lift.reason])
    return CallForm(
      call: call, title: "Write off, and lift the block", calls: calls, done: "The customer can spend again.",
      isCompact: true
    ).html
  }

  private var export: HTML {
    let call = APICall(
      "export", ServiceEndpoints.recordedExportOfCustomer, customer, fields: [Self.exporting.reason])
    let form = CallForm(call: call, title: "Export", calls: calls, download: "customer-\(customer).json")
    return card(
      "Export all data", "export", "<p>Everything that is stored about the customer, as JSON.</p>\(form.html)")
  }

  private var erasure: HTML {
    guard site.allows(ServiceEndpoints.erase) else { return "" }
    let call = APICall("erase", ServiceEndpoints.erase, customer, fields: [Self.erase.reason])
    let form = CallForm(
      call: call, title: "Erase", calls: calls, style: "button-danger", next: OperatorSite.home,
      confirmation: "Erase this customer’s personal data for ever")
    return card(
      "Erase", "erase",
      "<p>Removes subject, devices and proofs, and ends what the customer owns. Purchases stay, without a person.</p>\(form.html)"
    )
  }
}
