import WebSupport

/// The App Store on the phone: the products of the app, and what StoreKit's views show on Apple's platforms: the plans of a
/// subscription, and the way to subscriptions, offer codes and refunds.
///
/// A purchase that begins here is continued by the app, which receives it from its StoreKit: as a promoted payment, or as a
/// `PurchaseIntent`.
struct AppStoreView: Hashable, Sendable {
  /// The installation of the app, which the store asks to continue a purchase.
  let installation: String
  /// Nil if it could not be requested.
  let listing: AppStoreListing?
  /// Why it could not be requested; nil if it could.
  let problem: String?
  /// The offers with which the customer can subscribe again.
  let winBackOffers: [SubscriptionsView.WinBack]

  var html: HTML {
    """
    <h1>App Store</h1>
    <div id="app-store" data-live>\(content)</div>
    <div class="actions">
    <a class="button" id="store-subscriptions" href="\(AppScreen.subscriptions.address)">Subscriptions and offer codes</a>
    <a class="button" id="store-purchases" href="\(AppScreen.purchases.address)">Purchases and refunds</a>
    </div>
    """
  }

  private var content: HTML {
    guard let listing else {
      return "<p class=\"hint\" id=\"app-store-problem\">\(problem ?? "The App Store is loading.")</p>"
    }
    return """
      <p class="hint">What you choose here is bought in Monkey Shop.</p>
      \(offers)
      <h2>In Monkey Shop</h2>
      <ul class="lines" id="promoted">\(listing.products.enumerated().map { row($1, "promoted-\($0)") })</ul>
      <h2>Photo club</h2>
      <ul class="lines" id="plans">\(listing.plans.enumerated().map { row($1, "plan-\($0)") })</ul>
      """
  }

  private var offers: HTML {
    guard !winBackOffers.isEmpty else { return .empty }
    let forms = winBackOffers.enumerated().map { index, offer in
      form(
        offer.product, offer: offer.offer, kind: "",
        button: """
          <button class="button-primary" id="win-back-\(index)">\(.shortName(offer.text, limit: 120))</button>
          """)
    }
    return """
      <section class="group" aria-labelledby="win-back-title">
      <h2 id="win-back-title">Come back</h2>
      <div class="actions">\(forms)</div>
      </section>
      """
  }

  private func row(_ item: AppStoreListing.Item, _ id: String) -> HTML {
    """
    <li class="line" data-product="\(item.productID)">
    <div class="line-body">
    <p class="line-title" id="\(id)">\(.shortName(item.name))</p>
    <p class="line-text">\(.shortName(item.text, limit: 160))</p>
    </div>
    \(form(item.productID, offer: nil, kind: "line-form", button: "<button class=\"pill\" id=\"\(id)-button\" aria-describedby=\"\(id)\">Get for \(item.price)</button>"))
    </li>
    """
  }

  /// A form that the phone answers: it asks the store to begin the purchase.
  private func form(_ product: String, offer: String?, kind: String, button: HTML) -> HTML {
    let chosen: HTML = offer.map { "<input type=\"hidden\" name=\"offer\" value=\"\($0)\">" } ?? .empty
    return """
      <form method="post" action="/phone/promoted-purchase" class="\(kind)" data-quiet>
      <input type="hidden" name="screen" value="\(AppScreen.appStore.rawValue)">
      <input type="hidden" name="installation" value="\(installation)">
      <input type="hidden" name="product" value="\(product)">
      \(chosen)
      \(button)
      </form>
      """
  }
}
