import Foundation
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of a customer: entitlements, credits, the timeline, deliveries, proofs and devices, and the actions on them.
struct CustomerPage {
  let summary: CustomerSummary
  /// The newest movements of the first accounts, in the order of the accounts.
  let movements: [[CreditMovement]]
  /// The apps of the server.
  let apps: [BundleID]
  let site: OperatorSite
  let calls: CallContext

  /// The maximum number of accounts whose movements are on the page.
  static let mostAccounts = 8

  private var id: String { summary.customer.description }
  private var actions: CustomerActions {
    CustomerActions(summary: summary, serverApps: apps, site: site, calls: calls)
  }

  var html: HTML {
    """
    <p class="crumb"><a href="\(OperatorSite.home)">Customers</a></p>
    <div class="headline" id="head" data-live><h1>Customer</h1><span class="mono">\(id)</span></div>
    <section class="card" id="details" data-live aria-label="The customer">\(details)\(cut("formerIds"))</section>
    <section id="entitlements" data-live aria-labelledby="entitlements-title"><h2 id="entitlements-title">Entitlements</h2>
    \(entitlements)\(cut("entitlements"))\(named)\(cut("named"))</section>
    <section id="credits" data-live aria-labelledby="credits-title"><h2 id="credits-title">Credits</h2>\(credits)\(cut("accounts"))</section>
    <section id="timeline" data-live aria-labelledby="timeline-title"><h2 id="timeline-title">Timeline</h2>
    \(CustomerTimeline(summary: summary, movements: movements).html)\(cut("purchases", "periods", "transfers", "operatorActions"))</section>
    <section id="deliveries" data-live aria-labelledby="deliveries-title"><h2 id="deliveries-title">Deliveries</h2>
    \(deliveries)\(cut("deliveries"))</section>
    <section id="proofs" data-live aria-labelledby="proofs-title"><h2 id="proofs-title">Proofs</h2>\(proofs)\(cut("proofs"))</section>
    <section id="devices" data-live aria-labelledby="devices-title"><h2 id="devices-title">Devices</h2>
    \(devices)\(cut("installations"))</section>
    <section id="actions" aria-labelledby="actions-title"><h2 id="actions-title">Actions</h2>\(actions.html)</section>
    """
  }

  private static let titles = [
    "formerIds": "former ids", "installations": "devices", "operatorActions": "operators’ changes",
    "accounts": "credit accounts", "named": "names of entitlements",
  ]

  /// The lists of which the newest rows are on the page.
  private static let newest: Set<String> = ["installations", "operatorActions", "periods", "purchases"]

  /// Says which lists of these names can have more rows than the page.
  private func cut(_ names: String...) -> HTML {
    let cut = summary.cut.filter(names.contains)
    return """
      \(Self.cut(cut.filter(Self.newest.contains), "the newest \(CustomerSummary.rows) of each"))\
      \(Self.cut(cut.filter { !Self.newest.contains($0) }, "\(CustomerSummary.rows) of each, not always the newest ones"))
      """
  }

  private static func cut(_ names: [String], _ what: String) -> HTML {
    guard !names.isEmpty else { return "" }
    return """
      <p class="muted">There can be more of these: \(names.map { titles[$0] ?? $0 }.joined(separator: ", ")). The page has \(what). \
      An export has all.</p>
      """
  }

  private var details: HTML {
    var list = DetailList()
    list.add("Subject", summary.subject.map { HTML.name($0) } ?? "anonymous")
    list.add("Created", summary.created.html)
    for consent in summary.consents {
      let state = consent.consent.consumptionInformation ? "consents to" : "does not consent to"
      list.add("Consent", "\(state) consumption information in \(HTML.identifier(consent.app.rawValue))")
    }
    list.add(
      "Former ids",
      summary.formerIds.isEmpty
        ? nil : HTML(summary.formerIds.map { "<span class=\"mono sum\">\($0.description)</span> " }))
    return list.html
  }

  private var entitlements: HTML {
    let rows = summary.entitlements.map { owned -> [HTML] in
      let entitlement = owned.entitlement
      return [
        .identifier(entitlement.product.rawValue, limit: 120), badge(entitlement), "\(entitlement.origin.rawValue)",
        "<span class=\"mono\">\(HTML.shortName(entitlement.source, limit: 60))</span>", entitlement.begun.html,
        entitlement.accessUntil?.html ?? "never", .identifier(owned.app.rawValue, limit: 60),
        entitlement.ended == nil ? actions.revocation(owned) : "",
      ]
    }
    return DataTable(
      caption: "Entitlements", columns: ["Product", "State", "Origin", "Source", "Since", "Ends", "App", "Revoke"],
      rows: rows
    ).html(orNone: "The customer has had no product.")
  }

  /// What the customer has under the names of entitlements; nothing if no product of the customer has a name.
  private var named: HTML {
    guard !summary.named.isEmpty else { return "" }
    let rows = summary.named.map { named -> [HTML] in
      let entitlement = named.entitlement
      let state: HTML =
        entitlement.isActive
        ? "<span class=\"badge badge-good\">owned</span>" : "<span class=\"badge badge-wait\">ended</span>"
      let products = entitlement.products.map { "<span class=\"sub\">\(HTML.identifier($0.rawValue))</span>" as HTML }
      return [
        .name(entitlement.name.rawValue), state, entitlement.accessUntil?.html ?? "never", HTML(products),
        .identifier(named.app.rawValue, limit: 60),
      ]
    }
    let table = DataTable(
      caption: "Entitlements by name", columns: ["Name", "State", "Ends", "Products", "App"], rows: rows
    ).html
    return "<h3>By name</h3>\(table)"
  }

  private func badge(_ entitlement: LedgerEntitlement) -> HTML {
    if let reason = entitlement.endReason { return "<span class=\"badge badge-bad\">\(reason.rawValue)</span>" }
    guard entitlement.isActive(at: summary.date) else { return "<span class=\"badge badge-wait\">expired</span>" }
    let renewal: HTML =
      entitlement.renewal.map {
        $0.isAutoRenewOn ? "<span class=\"sub\">renews</span>" : "<span class=\"sub\">does not renew</span>"
      } ?? ""
    return "<span class=\"badge badge-good\">owned</span>\(renewal)"
  }

  private var credits: HTML {
    guard !summary.accounts.isEmpty else { return "<p class=\"card\">The customer has had no credits.</p>" }
    return HTML(
      summary.accounts.enumerated().map { number, account in
        let newest = number < movements.count ? movements[number] : []
        let all = OperatorAddress.movements(
          of: summary.customer, app: account.app.rawValue, unit: account.unit.rawValue)
        let blocked: HTML =
          account.blocked.map { "<span class=\"badge badge-bad\">spending is blocked</span> since \($0.html)" } ?? ""
        return """
          <section class="card" aria-labelledby="account-\(number)"><div class="between"><h3 id="account-\(number)">\
          \(account.balance) \(HTML.name(account.unit.rawValue)) <span class="muted small">\(HTML.identifier(account.app.rawValue))</span></h3>\
          <a href="\(all)">All \(account.movements) movements<span class="sr-only"> of \(account.unit.rawValue)</span></a></div>
          \(blocked)\(account.blocked == nil ? "" : actions.lift(account))
          \(MovementTable(movements: newest).html)</section>
          """ as HTML
      })
  }

  private var deliveries: HTML {
    let rows = summary.deliveries.map { delivery -> [HTML] in
      [
        .identifier(delivery.product.rawValue, limit: 120),
        delivery.ended == nil ? "<span class=\"badge badge-good\">open</span>" : "<span class=\"badge\">ended</span>",
        "<span class=\"mono\">\(HTML.shortName(delivery.source, limit: 60))</span>", delivery.begun.html,
        delivery.ended?.html ?? "", .identifier(delivery.app.rawValue, limit: 60),
      ]
    }
    return DataTable(
      caption: "Deliveries", columns: ["Product", "State", "Source", "Begun", "Ended", "App"], rows: rows
    ).html(orNone: "No files were delivered.")
  }

  private var proofs: HTML {
    let rows = summary.proofs.map { proof -> [HTML] in
      [
        "\(proof.kind)", "<span class=\"mono\">\(proof.digest.prefix(12))</span>", proof.stated.html, proof.due.html,
        "\(proof.environment.rawValue)", .identifier(proof.app.rawValue, limit: 60),
      ]
    }
    return DataTable(
      caption: "Stored proofs", columns: ["Kind", "Digest", "Signed", "Asked again", "Environment", "App"], rows: rows
    ).html(orNone: "No proof is stored.")
  }

  private var devices: HTML {
    let rows = summary.installations.map { installation -> [HTML] in
      [
        installation.device.map { .shortName($0, limit: 60) } ?? "not named", installation.issued.html,
        installation.revoked.map { "signed out \($0.html)" } ?? "<span class=\"badge badge-good\">registered</span>",
        .identifier(installation.app.rawValue, limit: 60),
      ]
    }
    return DataTable(caption: "Devices", columns: ["Device", "Registered", "State", "App"], rows: rows).html(
      orNone: "No device is registered.")
  }
}
