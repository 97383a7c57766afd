import AppStoreEmulator
import StoreModel
import WebPages

/// A transaction: what the store knows of it, what happened to it, what every door says of it, and what can be done.
struct TransactionDetailPage {
  let details: TransactionDetails
  let timeline: [TimelineEntry]
  let proofs: TransactionProofs
  let answers: ProofAnswers
  let names: ProductNames
  let command: ShellCommand

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
    <section class="card" id="facts" data-live aria-labelledby="facts-title"><h2 id="facts-title">The record</h2>\(facts)</section>
    <section class="card" id="actions" data-live aria-labelledby="actions-title"><h2 id="actions-title">\(actions.title)</h2>\(actions.html)</section>
    </div>
    <section class="card" id="timeline" data-live aria-labelledby="timeline-title"><h2 id="timeline-title">What happened</h2>\
    \(TimelineList(entries: timeline).html)</section>
    <section id="doors" data-live aria-labelledby="doors-title"><h2 id="doors-title">What each door says</h2>
    \(try DoorCards(details: details, answers: answers).html())</section>
    <section id="signed" data-live aria-labelledby="signed-title"><h2 id="signed-title">What is signed</h2>
    \(try SignedDataCards(proofs: proofs).html())</section>
    """
  }

  private var facts: HTML {
    var facts = FactList()
    facts.add("Transaction", "<span class=\"mono\">\(record.transactionID.rawValue)</span>")
    if record.originalTransactionID != record.transactionID {
      facts.add("Original", link(record.originalTransactionID))
    }
    facts.add("Product", productLink)
    facts.add("Type", text: record.type.words)
    facts.add("Quantity", text: "\(record.quantity)")
    facts.add("Price", text: Money.text(record.price, record.currency))
    facts.add("Customer", customerLink)
    facts.add("Environment", text: record.environment.rawValue)
    facts.add("App", chosen: record.bundleID.rawValue)
    facts.add("Storefront", text: StorefrontWords.title(record.storefrontCountryCode))
    facts.add("Bought", record.purchaseDate.html)
    facts.add("Finished", stored.finishedDate?.html)
    facts.add("Expires", record.expiresDate?.html)
    facts.add("Taken back", record.revocationDate?.html)
    facts.add(
      "Why", text: record.revocationReason.map { $0 == .issueWithApp ? "an issue with the app" : "another reason" })
    facts.add("Share taken back", text: record.revocationPercentage.map(Percentage.words))
    facts.add("Shared purchase", stored.sharedTransactionID.map(link))
    facts.add("Installation", chosen: stored.installationID?.rawValue)
    facts.add("Payment", chosen: stored.paymentID?.rawValue)
    facts.add("Application username", chosen: record.applicationUsername)
    facts.add("App account token", text: record.appAccountToken?.uuidString.lowercased())
    facts.add("Subscription group", chosen: record.subscriptionGroupID?.rawValue)
    return facts.html
  }

  private var productLink: HTML {
    "\(ConsoleAddress.link(ConsoleAddress.product(record.productID, of: record.bundleID), .name(name))) <span class=\"sub mono muted\">\(HTML.name(record.productID.rawValue))</span>"
  }

  private var customerLink: HTML {
    ConsoleAddress.link(ConsoleAddress.customer(stored.account, record.environment), .name(stored.account.rawValue))
  }

  private func link(_ id: TransactionID) -> HTML {
    "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
  }
}

/// What happened to a purchase, oldest first.
struct TimelineList {
  let entries: [TimelineEntry]

  var html: HTML {
    "<ol class=\"timeline\">\(entries.map { "<li>\($0.date.html)<span>\(Self.words($0.event))</span></li>\n" as HTML })</ol>"
  }

  private static func words(_ event: TimelineEntry.Event) -> HTML {
    switch event {
    case .request(let request):
      let fault: HTML = request.fault.map { " · fault \(HTML.shortName($0.id.rawValue, limit: 40)) struck" } ?? ""
      return
        "<span class=\"mono\">\(request.metadata.kind.rawValue)</span>: \(OutcomeWords.words(request.outcome))\(fault)"
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
      return "Refund taken back: \(Money.text(Milliunits(-refund.amount.rawValue), refund.currency)) paid after all"
    case .revoked: return "Taken back, without money"
    }
  }

  private static func link(_ id: TransactionID) -> HTML {
    "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
  }
}
