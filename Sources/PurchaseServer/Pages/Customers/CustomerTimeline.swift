import Foundation
import PurchaseLedger
import StoreModel
import WebSupport

/// Purchases, renewals, refunds, transfers and operators' changes of a customer, newest first.
struct CustomerTimeline {
  let summary: CustomerSummary
  /// The newest movements of the first accounts, in the order of the accounts.
  let movements: [[CreditMovement]]

  /// The maximum number of events.
  static let largestNumber = 200

  private struct Event {
    let date: StoreDate
    let badge: String
    var style: HTML = ""
    let text: HTML
  }

  var html: HTML {
    let events = all.enumerated().sorted { ($1.element.date, $1.offset) < ($0.element.date, $0.offset) }.map(\.element)
    guard !events.isEmpty else { return "<p class=\"card\">Nothing has happened yet.</p>" }
    let rest: HTML =
      events.count > Self.largestNumber
      ? "<p class=\"muted\">The newest \(Self.largestNumber) of these \(events.count) events.</p>" : ""
    return "<ol class=\"timeline card\">\(events.prefix(Self.largestNumber).map(item))</ol>\(rest)"
  }

  private func item(_ event: Event) -> HTML {
    """
    <li>\(event.date.html)<span><span class="badge \(event.style)">\(event.badge)</span> \(event.text)</span></li>

    """
  }

  private var all: [Event] { purchases + periods + reversals + transfers + actions }

  private var purchases: [Event] {
    summary.purchases.flatMap { purchase -> [Event] in
      let name: HTML =
        "\(product(purchase.product)) <span class=\"mono small\">\(purchase.claim.rawValue)</span>\(purchase.quantity > 1 ? " × \(purchase.quantity)" : "")"
      let given: HTML =
        purchase.credits.map { credits -> HTML in
          let lost: HTML =
            credits.taken > 0 || credits.shortfall > 0
            ? "; \(credits.taken) taken back, \(credits.shortfall) written off" : ""
          return ": \(credits.given) \(HTML.name(credits.unit.rawValue))\(lost)"
        } ?? ""
      var events = [
        Event(
          date: purchase.purchased, badge: "bought", style: "badge-good",
          text: "\(name), \(purchase.environment.rawValue)"),
        Event(date: purchase.claimed, badge: "redeemed", text: "\(name)\(given)"),
      ]
      if let refund = refund(purchase.refund, name) { events.append(refund) }
      if let renewal = purchase.renewal {
        let state: HTML =
          renewal.isInBillingRetry
          ? "the store retries the charge" : renewal.isAutoRenewOn ? "renews" : "does not renew"
        events.append(
          Event(
            date: renewal.stated, badge: "renewal stated", text: "\(name): \(state), next \(product(renewal.product))"))
      }
      return events
    }
  }

  private var periods: [Event] {
    summary.periods.flatMap { period -> [Event] in
      let name: HTML = "\(product(period.product)) until \(period.accessUntil.html)"
      // The claim's id is the original transaction id, which is that of the first period.
      let isFirst = period.transaction == period.claim
      let begun = Event(
        date: period.purchased, badge: isFirst ? "period begun" : "renewed", style: "badge-good", text: name)
      return [begun] + [refund(period.refund, name)].compactMap(\.self)
    }
  }

  private func refund(_ refund: CustomerExport.Refund?, _ name: HTML) -> Event? {
    // A purchase that was never refunded is stated as such, like one whose refund was reversed.
    guard let refund, refund.isRevoked else { return nil }
    let share = Double(refund.percentage) / 1_000
    return Event(
      date: refund.date ?? refund.learnt, badge: "refunded", style: "badge-bad",
      text: "\(name): \(share.description) %, learnt \(refund.learnt.html)")
  }

  /// Reversals of refunds that have given credits back. Of other products, the ledger keeps only the present state.
  private var reversals: [Event] {
    zip(summary.accounts, movements).flatMap { account, movements in
      movements.filter { $0.cause == .refundReversed }.map { movement in
        Event(
          date: movement.date, badge: "refund reversed", style: "badge-good",
          text:
            "\(movement.amount) \(HTML.name(account.unit.rawValue)) <span class=\"mono small\">\(HTML.shortName(movement.key, limit: 80))</span>"
        )
      }
    }
  }

  private var transfers: [Event] {
    summary.transfers.map { transfer in
      let isReceived = transfer.direction == .received
      return Event(
        date: transfer.date, badge: isReceived ? "received" : "given away", style: isReceived ? "" : "badge-wait",
        text: "<span class=\"mono\">\(transfer.claim.rawValue)</span> \(isReceived ? "from" : "to") another customer")
    }
  }

  private var actions: [Event] {
    summary.operatorActions.map { action in
      Event(date: action.date, badge: "operator: \(action.action)", text: .shortName(action.detail, limit: 400))
    }
  }

  private func product(_ id: ProductID) -> HTML { .identifier(id.rawValue, limit: 120) }
}
