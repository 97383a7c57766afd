/// The state of a buy button. Documentation/purchase-kit.md has a table of the rules.
public enum PurchaseButton: Hashable, Sendable {
  /// The price was not fetched yet.
  case loading
  /// The product can be bought; the value is the price in the storefront's format.
  case price(String)
  /// A payment is under way.
  case purchasing
  /// A payment waits for another person's approval (Ask to Buy).
  case waitingForApproval
  /// The store could not be reached. The manager repeats the request.
  case networkDown
  /// This device may not buy.
  case disabled
  /// The product could not be delivered now; the value is the reason.
  case withheld(String)
  /// The store does not know the product. For a developer: check the product's id, and its status in the store.
  case invalidProduct

  /// The button's text.
  public var title: String {
    switch self {
    case .loading: "Loading…"
    case .price(let price): "Buy \(price)"
    case .purchasing: "Purchasing…"
    case .waitingForApproval: "Waiting for approval"
    case .networkDown: "Network down?"
    case .disabled: "AppStore disabled"
    case .withheld(let reason): reason
    case .invalidProduct: "Not for sale in the App Store at the moment"
    }
  }

  /// Whether the button can be pressed: only if it shows a price.
  public var isEnabled: Bool {
    if case .price = self { true } else { false }
  }
}
