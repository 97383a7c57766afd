import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The page of all customers, of payments that wait for approval, and a form to add a customer.
struct CustomerListPage {
  let customers: [Customer]
  /// Whether there are more customers than shown.
  let isCut: Bool
  let search: String?
  let environment: StoreEnvironment?
  let approvals: [ApprovalRow]
  let calls: CallContext

  /// The maximum number of customers shown. The search finds the others.
  static let largestNumber = 200

  var html: HTML {
    """
    <h1>Customers</h1>
    <section id="approvals" data-live aria-labelledby="approvals-title">\(approvalsSection)</section>
    \(FilterForm(
      "/console/customers",
      [FilterForm.search(search, "Name or family"), Choices.environments(chosen: environment)]
    ).html)
    <div id="customers" data-live>\(table)</div>
    <section class="card" aria-labelledby="new-title"><h2 id="new-title">Another customer</h2>
    \(addition.html)</section>
    """
  }

  private var addition: CallForm {
    CallForm(
      call: APICall(
        "customer", ControlEndpoints.addCustomer,
        fields: [CustomerFields.name, CustomerFields.environment] + CustomerFields.changeable(nil, isNew: true)),
      title: "Add", calls: calls, style: "button-primary", done: "Added.")
  }

  private var approvalsSection: HTML {
    guard !approvals.isEmpty else {
      return "<h2 id=\"approvals-title\" class=\"sr-only\">No payment waits for approval</h2>"
    }
    return """
      <h2 id="approvals-title">Waiting for approval</h2>
      \(ApprovalTable(approvals: approvals, calls: calls).html)
      """
  }

  private var table: HTML {
    if customers.isEmpty { return "<p class=\"card\">No customer is like that.</p>" }
    let rows = customers.map { customer -> [HTML] in
      [
        ConsoleAddress.link(
          ConsoleAddress.customer(customer.name, customer.environment), .shortName(customer.name.rawValue)),
        "\(customer.environment.rawValue)", "\(StorefrontText.title(customer.storefrontCountryCode))",
        Self.badge(customer.paymentMethod),
        customer.needsApproval ? "needed" : "<span class=\"muted\">not needed</span>",
        customer.family.map { .shortName($0, limit: 40) } ?? "",
        "<a href=\"\(ConsoleAddress.transactions(of: customer.name, in: customer.environment))\">Purchases<span class=\"sr-only\"> of \(HTML.shortName(customer.name.rawValue))</span></a>",
      ]
    }
    let table = DataTable(
      caption: "Customers",
      columns: ["Name", "Environment", "Storefront", "Payment method", "Approval", "Family", "Purchases"].map {
        .init($0)
      },
      rows: rows)
    let rest: HTML = isCut ? "<p class=\"muted\">There are more. Search for the others.</p>" : ""
    return "\(table.html)\(rest)"
  }

  static func badge(_ method: Customer.PaymentMethod) -> HTML {
    let style = method == .valid ? "badge-good" : method == .declined ? "badge-bad" : "badge-wait"
    return "<span class=\"badge \(style)\">\(CustomerFields.text(method))</span>"
  }
}
