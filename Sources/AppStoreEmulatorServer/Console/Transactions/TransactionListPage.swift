import AppStoreEmulator
import Foundation
import StoreModel
import WebSupport

/// The list of transactions, newest first.
struct TransactionListPage: Sendable {
  let query: TransactionListQuery
  let transactions: [StoredTransaction]
  /// The cursor of the next page; nil on the last page.
  let next: Int64?
  let count: Int
  let names: ProductNames
  let apps: [StoreApp]
  let approvals: [ApprovalRow]
  /// The names that the filters suggest.
  let known: KnownNames
  /// Nil if there are no transactions.
  let sales: SalesHistory?
  /// Shown while the store has an app but no transactions, and no filter is set; nil otherwise.
  let guide: ConnectionGuide?

  var html: HTML {
    """
    <div class="between headline"><h1>Transactions</h1>\
    <a class="button" href="\(ConsoleAddress.purchase())">Buy for a customer</a></div>
    \(filters)\(known.html)
    <div id="sales" data-live>\(sales.map { SalesChart(sales: $0).html })</div>
    <div id="transactions" data-live>
    <p class="count" role="status">\(countWords)</p>
    \(table)\(further)\(guide?.html)
    </div>
    """
  }

  private var countWords: String {
    if query.state == .waiting {
      return approvals.count == 1 ? "1 payment waits for approval" : "\(approvals.count) payments wait for approval"
    }
    let number = count.formatted(.number.locale(.init(identifier: "en_US")))
    let what = count == 1 ? "1 transaction" : "\(number) transactions"
    return query.isFiltered ? "\(what) found" : what
  }

  private var filters: HTML {
    let states = FilterForm.choices(
      "state", "State", TransactionListQuery.State.allCases.map { ($0.rawValue, $0.title) },
      chosen: query.state?.rawValue)
    return FilterForm(
      "/",
      [
        FilterForm.search(query.search, "Transaction, product, customer"),
        Choices.environments(chosen: query.environment),
        apps.count > 1 || query.app != nil ? Choices.apps(apps, chosen: query.app) : "", states,
        FilterForm.line("product", "Product id", query.product?.rawValue, .products),
        FilterForm.line("customer", "Customer", query.customer?.rawValue, .customers),
      ], all: query.isFiltered ? "/" : nil
    ).html
  }

  private static let columns: [DataTable.Column] = [
    .init("Time"), .init("Product"), .init("Customer"), .init("Quantity", isNumber: true),
    .init("Price", isNumber: true), .init("State"), .init("Environment"), .init("App"),
  ]

  /// The number of columns. The last one, the app, is left out if the store has one app.
  private var width: Int { Self.columns.count - (apps.count > 1 ? 0 : 1) }

  private var table: HTML {
    if transactions.isEmpty && approvals.isEmpty {
      return query.isFiltered
        ? "<p class=\"card\">Nothing is like that. <a href=\"/\">See all transactions</a></p>"
        : """
        <p class="card">Nothing has been bought yet. A device's purchase appears here as it happens; or \
        <a href="\(ConsoleAddress.purchase())">buy for a customer</a>.</p>
        """
    }
    return DataTable(
      caption: "Transactions, newest first", columns: Array(Self.columns.prefix(width)),
      rows: (approvals.map(\.row) + transactions.map(row)).map { Array($0.prefix(width)) }
    ).html
  }

  private func row(_ stored: StoredTransaction) -> [HTML] {
    let record = stored.record
    let address = ConsoleAddress.transaction(record.transactionID)
    let id = record.transactionID.rawValue
    return [
      "<a href=\"\(address)\" id=\"t-\(id)\">\(record.purchaseDate.html)</a><span class=\"sub mono\">\(id)</span>",
      names.cell(record.productID, of: record.bundleID),
      ConsoleAddress.link(
        ConsoleAddress.customer(stored.account, record.environment), .shortName(stored.account.rawValue)),
      "\(record.quantity)", "\(Money.text(record.price, record.currency))", stored.stateBadges,
      "\(record.environment.rawValue)", .identifier(record.bundleID.rawValue, limit: 40),
    ]
  }

  private var further: HTML {
    ListEnd(rows: query.rows, older: next.map { query.address(before: $0) }) {
      query.address(before: query.before, rows: $0)
    }.html
  }
}
