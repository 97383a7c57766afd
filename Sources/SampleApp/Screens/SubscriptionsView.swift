import SampleModel
import StoreModel
import WebSupport

/// The part of the phone's settings where a person sees and changes subscriptions.
struct SubscriptionsView: Hashable, Sendable {
  /// A subscription, with the names of its products.
  struct Item: Hashable, Sendable {
    let subscription: SubscriptionSummary
    let name: String
    let renewalName: String
    /// The price of the next period, in the format of the storefront.
    let price: String
    let priceToAgree: String?
    let winBackOffers: [WinBack]
  }

  struct WinBack: Hashable, Sendable {
    let product: String
    let offer: String
    let text: String
  }

  let items: [Item]
  /// The reason why the subscriptions are not shown; nil if they are shown.
  let problem: String?

  var html: HTML {
    """
    <p class="crumb"><a href="\(AppScreen.settings.address)">Settings</a> › Subscriptions</p>
    <h1>Subscriptions</h1>
    <div id="subscriptions" data-live>\(content)</div>
    <form method="post" action="/app/subscription/redeem" class="group" data-quiet>
    <label for="offer-code">Redeem an offer code</label>
    <div class="spend-row"><input id="offer-code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="100" required>
    <button id="redeem-code">Redeem</button></div>
    </form>
    """
  }

  private var content: HTML {
    if let problem { return "<p class=\"hint\" id=\"subscriptions-problem\">\(.shortName(problem, limit: 300))</p>" }
    guard !items.isEmpty else {
      return """
        <p class="hint">You have no subscriptions in Monkey Shop.</p><div class="actions"><a class="button" href="\(AppScreen.club.address)">See the photo club</a></div>
        """
    }
    return "\(items.map(section))"
  }

  private func section(_ item: Item) -> HTML {
    """
    <section class="group" aria-labelledby="subscription-name">
    <h2 id="subscription-name">\(.shortName(item.name))</h2>
    <p id="subscription-state">\(Self.text(item))</p>
    \(priceIncrease(item))
    <div class="actions">\(buttons(item))</div>
    </section>
    """
  }

  private static func text(_ item: Item) -> HTML {
    let subscription = item.subscription
    let (renewal, access) = (subscription.renewalDate.day, subscription.accessEnd.day)
    let next: HTML =
      subscription.productID == subscription.renewalProductID
      ? "Renews on \(renewal) for \(item.price)."
      : "Changes to \(.shortName(item.renewalName)) on \(renewal), for \(item.price)."
    switch subscription.state {
    case .active where subscription.isAutoRenewOn: return next
    case .active: return "Ends on \(renewal). It does not renew."
    case .gracePeriod:
      return
        "Your payment method was declined. You keep access until \(access). Change your payment method in the store."
    case .billingRetry:
      return
        "Your payment method was declined on \(renewal), and your access has ended. Change your payment method in the store."
    case .expired: return "Ended on \(renewal)."
    case .revoked: return "Refunded."
    }
  }

  private func priceIncrease(_ item: Item) -> HTML {
    guard let price = item.priceToAgree else { return .empty }
    return """
      <p id="price-increase">From \(item.subscription.renewalDate.day) on it costs \(price). Without your consent it ends then.</p>
      <div class="actions">\(Self.button("price", item, "agree", "true", "Agree to \(price)"))\(Self.button("price", item, "decline", "false", "Decline"))</div>
      """
  }

  private func buttons(_ item: Item) -> HTML {
    switch item.subscription.state {
    case .active, .gracePeriod, .billingRetry:
      let change: HTML = "<a class=\"button\" id=\"change-plan\" href=\"\(AppScreen.club.address)\">Change plan</a>"
      let renewal =
        item.subscription.isAutoRenewOn
        ? Self.button("renewal", item, "cancel", "false", "Cancel subscription")
        : Self.button("renewal", item, "renew", "true", "Renew again")
      return "\(change)\(renewal)"
    case .expired, .revoked:
      let offers = item.winBackOffers.enumerated().map { index, offer in
        """
        <form method="post" action="/app/subscription/come-back" data-quiet>
        <input type="hidden" name="product" value="\(offer.product)"><input type="hidden" name="offer" value="\(offer.offer)">
        <button class="button-primary" id="come-back-\(index)">\(.shortName(offer.text, limit: 120))</button></form>
        """ as HTML
      }
      return "\(offers)<a class=\"button\" href=\"\(AppScreen.club.address)\">All plans</a>"
    }
  }

  private static func button(_ act: String, _ item: Item, _ id: String, _ value: String, _ title: String) -> HTML {
    """
    <form method="post" action="/app/subscription/\(act)" data-quiet>
    <input type="hidden" name="subscription" value="\(item.subscription.originalTransactionID.rawValue)">
    <button id="subscription-\(id)" name="on" value="\(value)">\(title)</button></form>
    """
  }
}

extension StoreDate {
  /// The day in UTC, such as `2026-01-31`.
  fileprivate var day: String { String(text.prefix(10)) }
}
