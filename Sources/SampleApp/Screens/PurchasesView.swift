import WebSupport

/// The part of the phone's settings where a person sees the purchases of the app, and requests refunds.
struct PurchasesView: Hashable, Sendable {
  /// Newest first; nil until they were read.
  let items: [ShownPurchase]?

  var html: HTML {
    """
    <p class="crumb"><a href="\(AppScreen.settings.address)">Settings</a> › Purchases</p>
    <h1>Purchases</h1>
    <div id="purchases" data-live>\(content)</div>
    """
  }

  private var content: HTML {
    guard let items else { return "<p class=\"hint\">The purchases are being read.</p>" }
    guard !items.isEmpty else {
      return "<p class=\"hint\" id=\"no-purchases\">There are no purchases in Monkey Shop.</p>"
    }
    return "\(items.map(section))"
  }

  private func section(_ item: ShownPurchase) -> HTML {
    let id = item.transactionID.rawValue
    let act: HTML =
      item.isRefunded
      ? "<p>Refunded.</p>"
      : """
      <form method="post" action="/app/refund" data-quiet>
      <input type="hidden" name="transaction" value="\(id)">
      <button id="refund-\(id)">Request a refund</button></form>
      """
    return """
      <section class="group" aria-labelledby="purchase-\(id)">
      <h2 id="purchase-\(id)">\(.shortName(item.name))\(" × \(item.quantity)", if: item.quantity > 1)</h2>
      <p>Bought on \(String(item.date.text.prefix(10))).</p>
      <div class="actions">\(act)</div>
      </section>
      """
  }
}
