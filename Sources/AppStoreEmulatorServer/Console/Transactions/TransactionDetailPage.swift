import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The page of a transaction: its properties, its timeline, the answers of all APIs, and the actions.
struct TransactionDetailPage {
  /// The subscription to which the transaction belongs; nil if it is not a subscription period.
  let subscription: SubscriptionDetails?
  let details: TransactionDetails
  let timeline: [TimelineEntry]
  /// The signed data and the answers of the APIs; nil if the customer's app receipt lists more than ``largestReceipt``
  /// transactions.
  let signed: (proofs: TransactionProofs, answers: ProofAnswers)?
  let names: ProductNames
  let command: ShellCommand

  /// The maximum number of transactions in a receipt that a page shows. Larger receipts take seconds to sign and to
  /// read.
  static let largestReceipt = 500

  private var stored: StoredTransaction { details.stored }
  private var record: TransactionRecord { stored.record }
  private var actions: TransactionActions { TransactionActions(stored: stored, command: command) }
  private var name: String { names.name(record.productID, of: record.bundleID) }

  var title: String { "Transaction \(record.transactionID.rawValue)" }

  func html() throws -> HTML {
    """
    <p class="crumb"><a href="/">Transactions</a></p>
    <div id="head" data-live class="headline"><h1>\(HTML.shortName(name))</h1>\(stored.stateBadges)
    <span class="muted">\(Money.text(record.price, record.currency))</span></div>
    <div class="two">
    <section class="card" id="details" data-live aria-labelledby="details-title"><h2 id="details-title">The record</h2>\(properties)</section>
    <section class="card" id="actions" data-live aria-labelledby="actions-title"><h2 id="actions-title">\(actions.title)</h2>\(actions.html)</section>
    </div>
    <section class="card" id="timeline" data-live aria-labelledby="timeline-title"><h2 id="timeline-title">What happened</h2>\
    \(TimelineList(entries: timeline).html)</section>
    <section id="doors" data-live aria-labelledby="doors-title"><h2 id="doors-title">API responses</h2>
    \(try EndpointCards(details: details, answers: signed?.answers).html())</section>
    <section id="signed" data-live aria-labelledby="signed-title"><h2 id="signed-title">What is signed</h2>
    \(try signed.map { try SignedDataCards(proofs: $0.proofs).html() } ?? tooLarge)</section>
    """
  }

  private var tooLarge: HTML {
    """
    <p class="card">The customer’s app receipt lists more than \(Self.largestReceipt) transactions, too many for a page. \
    The control API has it: <span class="mono">GET /control/v1/transactions/\(record.transactionID.rawValue)/proofs</span></p>
    """
  }

  private var properties: HTML {
    var list = DetailList()
    for property in TransactionView(stored).properties { list.add(property.label, property.value.map(html)) }
    list.add(
      "Subscription",
      subscription.map {
        "<a href=\"\(ConsoleAddress.subscription($0.originalTransactionID))\">Timeline and changes</a>"
      })
    return list.html
  }

  private func html(_ value: DisplayProperty.Value) -> HTML {
    switch value {
    case .text(let text): "\(text)"
    case .identifier(let text): "<span class=\"mono\">\(text)</span>"
    case .name(let text): .name(text)
    case .date(let date): date.html
    case .money(let amount, let currency): "\(Money.text(amount, currency))"
    case .transaction(let id): link(id)
    case .product(let product, let app):
      """
      \(ConsoleAddress.link(ConsoleAddress.product(product, of: app), .name(name))) \
      <span class="sub mono muted">\(HTML.name(product.rawValue))</span>
      """
    case .customer(let name, let environment):
      ConsoleAddress.link(ConsoleAddress.customer(name, environment), .name(name.rawValue))
    case .storefront(let code): "\(StorefrontText.title(code))"
    }
  }

  private func link(_ id: TransactionID) -> HTML {
    "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
  }
}

/// The timeline of a purchase, oldest entry first.
struct TimelineList {
  let entries: [TimelineEntry]

  var html: HTML {
    "<ol class=\"timeline\">\(entries.map { "<li>\($0.date.html)<span>\(Self.text($0.event))</span></li>\n" as HTML })</ol>"
  }

  private static func text(_ event: TimelineEntry.Event) -> HTML {
    switch event {
    case .request(let request):
      let fault: HTML = request.fault.map { " · fault \(HTML.shortName($0.id.rawValue, limit: 40)) struck" } ?? ""
      return
        "<span class=\"mono\">\(request.metadata.kind.rawValue)</span>: \(OutcomeText.text(request.outcome))\(fault)"
    case .approvalAwaited(_, let installation):
      return "Confirmed on \(HTML.name(installation.rawValue)); waits for approval"
    case .approved: return "Approved"
    case .purchased(let charge):
      guard let charge else { return "Bought; nothing was to pay" }
      return "Bought: \(Money.text(charge.amount, charge.currency)) charged"
    case .shared(let id): return "Shared by the family: it is \(link(id)) of another member"
    case .sharedWith(let account, let id): return "Shared with \(HTML.shortName(account.rawValue)) as \(link(id))"
    case .finished(let id, let installation):
      let place: HTML = installation.map { " on \(HTML.name($0.rawValue))" } ?? ""
      return "Finished\(place) as <span class=\"mono\">\(id.rawValue)</span>"
    case .redelivered(let redelivery):
      return """
        Delivered once more to \(HTML.name(redelivery.installationID.rawValue)), without charge, as \
        <span class="mono">\(redelivery.transactionID.rawValue)</span>
        """
    case .refunded(let refund): return "Refunded: \(Money.text(refund.amount, refund.currency)) given back"
    case .refundReversed(let refund):
      return "Refund reversed: \(Money.text(Milliunits(-refund.amount.rawValue), refund.currency)) paid after all"
    case .revoked: return "Revoked, without a refund"
    }
  }

  private static func link(_ id: TransactionID) -> HTML {
    "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
  }
}
