import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The page of a customer: sums, entitlements, timeline, subscriptions, installations, and the forms to change them.
struct CustomerPage {
  let customer: Customer
  let totals: CustomerTotals
  let entitlements: CustomerEntitlements
  let timeline: CustomerEventPage
  /// The number of newer events that the timeline omits.
  let skipped: Int
  let subscriptions: [RenewalRecord]
  let names: ProductNames
  let approvals: [ApprovalRow]
  let installations: [Installation]
  let calls: CallContext

  private var path: [String] { [customer.environment.lowercaseName, customer.name.rawValue] }

  var html: HTML {
    """
    <p class="crumb"><a href="/console/customers">Customers</a></p>
    <div class="between"><div class="headline" id="head" data-live><h1>\(HTML.name(customer.name.rawValue))</h1>
    <span class="badge">\(customer.environment.rawValue)</span>\(CustomerListPage.badge(customer.paymentMethod))\
    \("<span class=\"badge badge-wait\">needs approval</span>", if: customer.needsApproval)</div>
    <a class="button" href="\(ConsoleAddress.purchase(by: customer.name, in: customer.environment))">Buy for this customer</a></div>
    <section id="totals" data-live aria-label="Sums">\(CustomerSummary(totals: totals).html)</section>
    <section id="approvals" data-live aria-label="Waiting for approval">\(waiting)</section>
    <section id="entitlements" data-live aria-labelledby="entitlements-title"><h2 id="entitlements-title">Entitlements</h2>
    \(EntitlementTable(entitlements: entitlements, names: names).html)</section>
    <section id="timeline" data-live aria-labelledby="timeline-title"><div class="between"><h2 id="timeline-title">Timeline</h2>\
    <a href="\(ConsoleAddress.transactions(of: customer.name, in: customer.environment))">All purchases</a></div>
    \(CustomerTimelineList(page: timeline, names: names).html)\(further)</section>
    <section id="subscriptions" data-live aria-label="Subscriptions">\(subscriptionTable)</section>
    <section id="installations" data-live aria-labelledby="devices-title"><h2 id="devices-title">Signed in on</h2>\
    \(installationsTable)</section>
    <div class="two">
    <section class="card" aria-labelledby="change-title"><h2 id="change-title">Change</h2>
    \(change.html)</section>
    <section class="card" aria-labelledby="remove-title"><h2 id="remove-title">Remove</h2>
    <p>Possible for a customer without purchases and payments.</p>
    \(removal.html)</section>
    </div>
    """
  }

  /// The links to newer and older events.
  private var further: HTML {
    func link(_ title: String, skipping skipped: Int) -> HTML {
      let address = ConsoleAddress.customer(
        customer.name, customer.environment, skipping: skipped == 0 ? nil : skipped)
      return "<a class=\"button\" href=\"\(address)#timeline\">\(title)</a>"
    }
    let size = CustomerTimelineList.pageSize
    let newer: HTML = skipped > 0 ? link("Newer", skipping: max(0, skipped - size)) : ""
    let older: HTML = timeline.hasMore ? link("Older", skipping: skipped + size) : ""
    return newer.isEmpty && older.isEmpty ? "" : "<p class=\"older\">\(newer)\(older)</p>"
  }

  private var change: CallForm {
    CallForm(
      call: APICall(
        "change", ControlEndpoints.changeCustomer, path[0], path[1],
        fields: CustomerFields.changeable(customer, isNew: false)),
      title: "Change", calls: calls, style: "button-primary", done: "Changed.")
  }

  private var removal: CallForm {
    CallForm(
      call: APICall("remove", ControlEndpoints.removeCustomer, path[0], path[1]), title: "Remove", calls: calls,
      style: "button-danger", next: "/console/customers")
  }

  private var waiting: HTML {
    approvals.isEmpty
      ? "" : "<h2>Waiting for approval</h2>\(ApprovalTable(approvals: approvals, calls: calls).html)"
  }

  private var subscriptionTable: HTML {
    subscriptions.isEmpty
      ? "" : "<h2>Subscriptions</h2>\(SubscriptionTable(subscriptions: subscriptions, names: names).html)"
  }

  private var installationsTable: HTML {
    guard !installations.isEmpty else { return "<p class=\"card\">On no device.</p>" }
    let rows = installations.map { installation -> [HTML] in
      let id = installation.installationID.rawValue
      let form = CallForm(
        call: APICall(APICall.id("signout", ofRow: id), ControlEndpoints.signOut, id), title: "Sign out", calls: calls,
        isCompact: true)
      return [
        .shortName(id), .identifier(installation.bundleID.rawValue, limit: 40), "\(installation.applicationVersion)",
        installation.registrationDate.html, form.html,
      ]
    }
    return DataTable(
      caption: "Installations where the customer is signed in",
      columns: ["Installation", "App", "Version", "Registered", "Sign out"].map { .init($0) }, rows: rows
    ).html
  }
}

/// The row of sums at the top of a customer's page.
struct CustomerSummary {
  let totals: CustomerTotals

  var html: HTML {
    let spent = totals.spent.map { Money.text($0.amount, $0.currency) }
    let values: [(name: String, value: HTML)] = [
      ("Total spent", spent.isEmpty ? "nothing" : HTML(spent.map { "<span class=\"sum\">\($0)</span>" })),
      ("Purchases", "\(totals.purchases)"), ("Refunds", "\(totals.refunds)"),
      ("Failed attempts", "\(totals.refusedPayments)"),
    ]
    return "<dl class=\"summary\">\(values.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>" as HTML })</dl>"
  }
}
