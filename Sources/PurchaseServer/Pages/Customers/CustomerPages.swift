import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The search for customers, the page of a customer, and the list of a credit account's movements.
enum CustomerPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    ("/operator", { $0.page("Customers", home) }), ("/operator/search", search), ("/operator/customer", customer),
    ("/operator/movements", movements),
  ]

  private static let home: HTML = """
    <h1>Customers</h1>
    <section class="card"><p>Look up a customer by one of these:</p>
    <ul><li>the customer’s id, a UUID. An app sets it as <span class="mono">applicationUsername</span> and \
    <span class="mono">appAccountToken</span></li>
    <li>the issuer and subject of your identity system, with a space between</li>
    <li>a transaction id: of a consumable its own, of other products the original one</li></ul>
    <form class="filters" role="search" aria-label="Customers" action="/operator/search" method="get">
    <div class="field field-search"><label for="q">Customer or transaction</label>\
    <input type="search" id="q" name="q" required></div>
    <button class="button-primary" type="submit">Find</button></form></section>
    """

  /// Redirects to the customer, if there is exactly one. Otherwise lists the customers.
  private static let search: OperatorPages.PageMaker = { page in
    let text = page.query["q"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !text.isEmpty else { return .seeOther(OperatorSite.home) }
    if let id = CustomerID(text) { return .seeOther(OperatorAddress.customer(id)) }
    let name = TransactionID(rawValue: text) == nil ? "subject" : "transactionId"
    let found = try await page.answer(of: ServiceEndpoints.findCustomers, query: [(name, text)]).customers
    if found.count == 1, let only = found.first { return .seeOther(OperatorAddress.customer(only)) }
    let rows = found.map { id -> [HTML] in
      ["<a class=\"mono\" href=\"\(OperatorAddress.customer(id))\">\(id.description)</a>"]
    }
    let list = DataTable(caption: "Customers", columns: ["Customer"], rows: rows)
      .html(orNone: "No customer has this id, subject or transaction.")
    return page.page("Search", "<h1>Search for \(HTML.shortName(text))</h1>\(list)")
  }

  private static let customer: OperatorPages.PageMaker = { page in
    let id = try customerID(page.query)
    let summary = try await page.answer(
      of: ServiceEndpoints.customerSummary, "\(id)", query: [("order", ListOrder.newest.rawValue)])
    var movements: [[CreditMovement]] = []
    for account in summary.accounts.prefix(CustomerPage.mostAccounts) {
      movements.append(
        try await page.answer(
          of: ServiceEndpoints.movementsOfCustomer, account.app.rawValue, "\(summary.customer)",
          account.unit.rawValue, query: [("limit", "\(MovementTable.shortPage)")]
        ).movements)
    }
    let content = CustomerPage(
      summary: summary, movements: movements, apps: page.apps, site: page.site, calls: page.calls)
    return page.page("Customer", content.html)
  }

  private static let movements: OperatorPages.PageMaker = { page in
    let query = page.query
    let (id, app, unit) = (try customerID(query), try query.required("app"), try query.required("unit"))
    let (before, rows) = (try query.number("before", 1...Int64.max), try page.rows())
    let movements = try await page.answer(
      of: ServiceEndpoints.movementsOfCustomer, app, "\(id)", unit,
      query: [("limit", "\(rows)"), ("before", before.map(String.init))]
    ).movements
    func address(_ before: Int64?, _ rows: Int?) -> String {
      OperatorAddress.movements(of: id, app: app, unit: unit, before: before, rows: rows)
    }
    let next = movements.last.flatMap { $0.sequence > 1 ? address($0.sequence, nil) : nil }
    let end = ListEnd(rows: rows, older: next) { address(before, $0) }
    return page.page(
      "Credits",
      """
      <p class="crumb"><a href="\(OperatorAddress.customer(id))">Customer</a></p>
      <h1>Credits: \(HTML.name(unit)) <span class="muted small">\(HTML.identifier(app))</span></h1>
      <div id="movements" data-live>\(MovementTable(movements: movements).html)\(end.html)</div>
      """)
  }

  private static func customerID(_ query: AddressQuery) throws(PageRefusal) -> CustomerID {
    let text = try query.required("id")
    guard let id = CustomerID(text) else {
      throw PageRefusal(.badRequest, "\(text) is no customer’s id, which is a UUID.")
    }
    return id
  }
}
