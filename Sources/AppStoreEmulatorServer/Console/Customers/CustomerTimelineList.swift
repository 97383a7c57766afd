import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// A page of a customer's timeline, newest event first.
struct CustomerTimelineList {
  let page: CustomerEventPage
  let names: ProductNames

  /// The maximum number of events on a page.
  static let pageSize = 100

  var html: HTML {
    guard !page.events.isEmpty else { return "<p class=\"card\">Nothing has happened yet.</p>" }
    return "<ol class=\"timeline card\">\(page.events.map(item))</ol>"
  }

  /// The products that the events name.
  static func products(of page: CustomerEventPage) -> [(app: BundleID, product: ProductID)] {
    page.events.compactMap { event in
      switch event.kind {
      case .transaction(let stored, _), .revoked(let stored), .redelivered(_, let stored):
        (stored.record.bundleID, stored.record.productID)
      case .refunded(let refund), .refundReversed(let refund): (refund.bundleID, refund.productID)
      case .approvalAsked(let payment), .approvalDecided(let payment), .refused(let payment):
        (payment.bundleID, payment.productID)
      case .subscription(_, let subscription): (subscription.bundleID, subscription.productID)
      case .request(let request):
        request.metadata.bundleID.flatMap { app in request.metadata.productIDs.first.map { (app, $0) } }
      }
    }
  }

  private func item(_ event: CustomerEvent) -> HTML {
    let (badge, style, text) = parts(event.kind)
    return """
      <li>\(event.date.html)<span><span class="badge\(" badge-\(style)", if: !style.isEmpty)">\(badge)</span> \(text)</span></li>

      """
  }

  /// The badge, its style, and the text of an event.
  private func parts(_ kind: CustomerEvent.Kind) -> (badge: String, style: String, text: HTML) {
    switch kind {
    case .transaction(let stored, let charge): return transaction(stored, charge)
    case .redelivered(let redelivery, let stored):
      return (
        "redelivered", "",
        "\(link(stored)) to \(HTML.shortName(redelivery.installationID.rawValue, limit: 40)), without a charge"
      )
    case .refunded(let refund):
      return ("refunded", "bad", "\(link(refund)): \(Money.text(refund.amount, refund.currency))")
    case .refundReversed(let refund):
      let amount = Money.text(Milliunits(-refund.amount.rawValue), refund.currency)
      return ("refund reversed", "good", "\(link(refund)): \(amount) charged again")
    case .revoked(let stored): return ("revoked", "bad", "\(link(stored)), without a refund")
    case .approvalAsked(let payment):
      let total = payment.total.map { ": \(Money.text($0.amount, $0.currency))" } ?? ""
      return ("approval asked", "wait", "\(name(payment.productID, payment.bundleID))\(total)")
    case .approvalDecided(let payment): return decision(payment)
    case .refused(let payment): return ("refused", "bad", refusal(payment))
    case .subscription(let step, let subscription):
      let name = name(subscription.productID, subscription.bundleID)
      let address = ConsoleAddress.subscription(subscription.originalTransactionID)
      return ("subscription", "", "<a href=\"\(address)\">\(name)</a>: \(step.text)")
    case .request(let request): return ("request", "bad", text(request))
    }
  }

  private func transaction(
    _ stored: StoredTransaction, _ charge: Charge?
  ) -> (badge: String, style: String, text: HTML) {
    if stored.sharedTransactionID != nil { return ("shared", "", "\(link(stored)), by a member of the family") }
    let quantity: HTML = stored.record.quantity > 1 ? " × \(stored.record.quantity)" : ""
    let price = charge.map { "\(Money.text($0.amount, $0.currency)) charged" } ?? "nothing was to pay"
    return (stored.record.reason == .renewal ? "renewed" : "bought", "good", "\(link(stored))\(quantity): \(price)")
  }

  private func decision(_ payment: CustomerPayment) -> (badge: String, style: String, text: HTML) {
    if let id = payment.transactionID {
      return ("approved", "good", link(id, payment.productID, payment.bundleID))
    }
    return (payment.refusal?.code == .approvalDeclined ? "declined" : "refused", "bad", refusal(payment))
  }

  private func refusal(_ payment: CustomerPayment) -> HTML {
    "\(name(payment.productID, payment.bundleID)): \(payment.refusal?.message)"
  }

  private func text(_ request: JournaledRequest) -> HTML {
    let metadata = request.metadata
    let product: HTML? = metadata.productIDs.first.map { product in
      metadata.bundleID.map { name(product, $0) } ?? .identifier(product.rawValue, limit: 80)
    }
    let subject: HTML =
      metadata.transactionID.map { id in
        "<a href=\"\(ConsoleAddress.transaction(id))\">\(product ?? "\(id.rawValue)")</a>"
      } ?? product ?? ""
    let fault: HTML = request.fault.map { ", by fault \(HTML.shortName($0.id.rawValue, limit: 40))" } ?? ""
    return """
      <span class="mono">\(metadata.kind.rawValue)</span> \(subject): \(OutcomeText.text(request.outcome))\(fault)
      """
  }

  // MARK: Products

  private func link(_ stored: StoredTransaction) -> HTML {
    link(stored.record.transactionID, stored.record.productID, stored.record.bundleID)
  }

  private func link(_ refund: Refund) -> HTML { link(refund.transactionID, refund.productID, refund.bundleID) }

  private func link(_ id: TransactionID, _ product: ProductID, _ app: BundleID) -> HTML {
    "<a href=\"\(ConsoleAddress.transaction(id))\">\(name(product, app))</a>"
  }

  private func name(_ product: ProductID, _ app: BundleID) -> HTML {
    "\(names.icon(product, of: app))\(HTML.shortName(names.name(product, of: app)))"
  }
}
