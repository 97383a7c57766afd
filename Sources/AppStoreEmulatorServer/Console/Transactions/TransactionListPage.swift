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
    """
    <form class="filters" role="search" action="/" method="get">
    <div class="field field-search"><label for="q">Search</label>\
    <input type="search" id="q" name="q" value="\(query.search ?? "")" placeholder="Transaction, product, customer"></div>
    \(Choices.environments(chosen: query.environment))
    \(apps.count > 1 || query.app != nil ? Choices.apps(apps, chosen: query.app) : "")
    \(Choices.html("state", "State", TransactionListQuery.State.allCases.map { ($0.rawValue, $0.title) }, chosen: query.state?.rawValue))
    <div class="field field-name"><label for="product">Product id</label>\
    <input type="text" id="product" name="product"\(KnownNames.List.products.attribute) value="\(query.product?.rawValue ?? "")"></div>
    <div class="field field-name"><label for="customer">Customer</label>\
    <input type="text" id="customer" name="customer"\(KnownNames.List.customers.attribute) value="\(query.customer?.rawValue ?? "")"></div>
    <button type="submit">Find</button>\("<a class=\"button button-plain\" href=\"/\">All</a>", if: query.isFiltered)
    </form>
    """
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

  /// The links at the end of the list. The page's script follows the first one when it comes into view: it loads more
  /// rows, up to a maximum. The second link opens the next page.
  private var further: HTML {
    guard let next else { return "" }
    let rows = min(query.rows + TransactionListQuery.pageSize, TransactionListQuery.largestPage)
    let more: HTML =
      query.rows < TransactionListQuery.largestPage
      ? "<a class=\"button\" data-more href=\"\(query.address(before: query.before, rows: rows))\">Show more</a>" : ""
    return """
      <p class="older">\(more)<a class="button" href="\(query.address(before: next))">Older</a></p>
      """
  }
}
