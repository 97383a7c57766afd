import AppStoreEmulator
import StoreModel
import WebSupport

/// The page of a customer: properties, purchases, installations, and the forms to change them.
struct CustomerPage {
  let customer: Customer
  let subscriptions: [SubscriptionDetails]
  let purchases: TransactionPage
  let count: Int
  let names: ProductNames
  let approvals: [ApprovalRow]
  let installations: [Installation]
  let command: ShellCommand

  private var path: [String] { [customer.environment.lowercaseName, customer.name.rawValue] }

  var html: HTML {
    """
    <p class="crumb"><a href="/console/customers">Customers</a></p>
    <div class="headline" id="head" data-live><h1>\(HTML.name(customer.name.rawValue))</h1>
    <span class="badge">\(customer.environment.rawValue)</span>\(CustomerListPage.badge(customer.paymentMethod))\
    \("<span class=\"badge badge-wait\">needs approval</span>", if: customer.needsApproval)</div>
    <section id="approvals" data-live aria-label="Waiting for approval">\(waiting)</section>
    <section id="subscriptions" data-live aria-label="Subscriptions">\(subscriptionTable)</section>
    <section id="purchases" data-live aria-labelledby="purchases-title"><div class="between"><h2 id="purchases-title">Purchases</h2>\
    <a class="button" href="\(ConsoleAddress.purchase(by: customer.name, in: customer.environment))">Buy for this customer</a></div>
    \(purchasesTable)</section>
    <section id="installations" data-live aria-labelledby="devices-title"><h2 id="devices-title">Signed in on</h2>\
    \(installationsTable)</section>
    <div class="two">
    <section class="card" aria-labelledby="change-title"><h2 id="change-title">Change</h2>
    \(change.html)</section>
    <section class="card" aria-labelledby="remove-title"><h2 id="remove-title">Take away</h2>
    <p>Only a customer who is in no books: nothing bought, nothing tried to buy.</p>
    \(removal.html)</section>
    </div>
    """
  }

  private var change: CallForm {
    CallForm(
      call: ControlCall(
        "change", .patch, "customers", path[0], path[1], fields: CustomerFields.changeable(customer, isNew: false)),
      title: "Change", command: command, style: "button-primary", done: "Changed.")
  }

  private var removal: CallForm {
    CallForm(
      call: ControlCall("remove", .delete, "customers", path[0], path[1]), title: "Take away", command: command,
      style: "button-danger", next: "/console/customers")
  }

  private var waiting: HTML {
    approvals.isEmpty
      ? "" : "<h2>Waiting for approval</h2>\(ApprovalTable(approvals: approvals, command: command).html)"
  }

  private var subscriptionTable: HTML {
    subscriptions.isEmpty
      ? "" : "<h2>Subscriptions</h2>\(SubscriptionTable(subscriptions: subscriptions, names: names).html)"
  }

  private var purchasesTable: HTML {
    guard !purchases.transactions.isEmpty else { return "<p class=\"card\">Nothing was bought yet.</p>" }
    let rows = purchases.transactions.map { stored -> [HTML] in
      let record = stored.record
      return [
        "<a href=\"\(ConsoleAddress.transaction(record.transactionID))\">\(record.purchaseDate.html)</a>",
        names.cell(record.productID, of: record.bundleID), "\(record.quantity)",
        "\(Money.text(record.price, record.currency))", stored.stateBadges,
        .shortName(record.bundleID.rawValue, limit: 40),
      ]
    }
    let table = DataTable(
      caption: "Purchases, newest first",
      columns: [
        .init("Time"), .init("Product"), .init("Quantity", isNumber: true), .init("Price", isNumber: true),
        .init("State"), .init("App"),
      ], rows: rows)
    let all = ConsoleAddress.transactions(of: customer.name, in: customer.environment)
    return """
      \(table.html)
      \(count > purchases.transactions.count ? "<p><a href=\"\(all)\">All \(count) purchases</a></p>" : "" as HTML)
      """
  }

  private var installationsTable: HTML {
    guard !installations.isEmpty else { return "<p class=\"card\">On no device.</p>" }
    let rows = installations.enumerated().map { number, installation -> [HTML] in
      let id = installation.installationID.rawValue
      let form = CallForm(
        call: ControlCall("signout-\(number)", .post, "installations", id, "signOut"), title: "Sign out",
        command: command, isCompact: true)
      return [
        .shortName(id), .shortName(installation.bundleID.rawValue, limit: 40), "\(installation.applicationVersion)",
        installation.registrationDate.html, form.html,
      ]
    }
    return DataTable(
      caption: "Installations where the customer is signed in",
      columns: ["Installation", "App", "Version", "Registered", "Sign out"].map { .init($0) }, rows: rows
    ).html
  }
}
