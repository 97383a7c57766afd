import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The properties of a transaction, with links to the records that they name.
struct TransactionProperties {
  let stored: StoredTransaction
  /// The subscription to which the transaction belongs; nil if it is not a subscription period.
  let subscription: RenewalRecord?
  let names: ProductNames

  var html: HTML {
    var list = DetailList()
    for property in TransactionView(stored).properties { list.add(property.label, property.value.map(html)) }
    list.add(
      "Subscription",
      subscription.map {
        "<a href=\"\(ConsoleAddress.subscription($0.originalTransactionID))\">Timeline and changes</a>"
      })
    list.add(
      "Notifications",
      "<a href=\"\(ConsoleAddress.notifications(about: stored.record.transactionID))\">Sent to your server</a>")
    return "<div class=\"card\">\(list.html)</div>"
  }

  private func html(_ value: DisplayProperty.Value) -> HTML {
    switch value {
    case .text(let text): "\(text)"
    case .identifier(let text): "<span class=\"mono\">\(text)</span>"
    case .name(let text): .identifier(text)
    case .date(let date): date.html
    case .money(let amount, let currency): "\(Money.text(amount, currency))"
    case .transaction(let id): "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
    case .product(let product, let app):
      """
      \(ConsoleAddress.link(ConsoleAddress.product(product, of: app), .name(names.name(product, of: app)))) \
      <span class="sub mono muted">\(HTML.identifier(product.rawValue))</span>
      """
    case .customer(let name, let environment):
      ConsoleAddress.link(ConsoleAddress.customer(name, environment), .name(name.rawValue))
    case .storefront(let code): "\(StorefrontText.title(code))"
    }
  }
}
