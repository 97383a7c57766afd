import AppStoreEmulator
import StoreModel
import WebSupport

/// The page of a transaction: its actions, and one of its tabs.
struct TransactionDetailPage {
  let stored: StoredTransaction
  let tab: TransactionTab
  /// The content of the tab.
  let content: HTML
  let refundRequests: [RequestedRefund]
  let names: ProductNames
  let calls: CallContext

  private var record: TransactionRecord { stored.record }
  private var actions: TransactionActions { TransactionActions(stored: stored, calls: calls) }

  var title: String { "Transaction \(record.transactionID.rawValue)" }

  var html: HTML {
    """
    <p class="crumb"><a href="/">Transactions</a></p>
    <div id="head" data-live class="headline">\(names.icon(record.productID, of: record.bundleID))\
    <h1>\(HTML.shortName(names.name(record.productID, of: record.bundleID)))</h1>\(stored.stateBadges)
    <span class="muted">\(Money.text(record.price, record.currency))</span></div>
    <nav class="tabs" aria-label="Parts of the transaction"><ul>\(TransactionTab.allCases.map(link))</ul></nav>
    <div class="record">
    <section id="\(tab.rawValue)" data-live aria-labelledby="\(tab.rawValue)-title">\
    <h2 id="\(tab.rawValue)-title" class="sr-only">\(tab.title)</h2>
    \(content)</section>
    <div>
    <section class="card" id="actions" data-live aria-labelledby="actions-title"><h2 id="actions-title">\(actions.title)</h2>\(actions.html)</section>
    <div id="refund-requests" data-live>\(RefundRequestCard(stored: stored, requests: refundRequests, calls: calls).html)</div>
    </div>
    </div>
    """
  }

  private func link(_ other: TransactionTab) -> HTML {
    let address = ConsoleAddress.transaction(record.transactionID, tab: other)
    return """
      <li><a href="\(address)" id="tab-\(other.rawValue)"\(" aria-current=\"page\"", if: other == tab)>\(other.title)</a></li>
      """
  }
}

/// A tab of a transaction's page. The page's address contains the tab's name.
enum TransactionTab: String, CaseIterable {
  case details, timeline, responses, signed

  var title: String {
    switch self {
    case .details: "Details"
    case .timeline: "Timeline"
    case .responses: "API responses"
    case .signed: "Signed payloads"
    }
  }
}
