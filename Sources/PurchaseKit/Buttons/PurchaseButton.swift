/// What a buy button shows, and whether it can be pressed. The rules are a table in Documentation/purchase-kit.md.
public enum PurchaseButton: Hashable, Sendable {
  /// The price has not arrived yet.
  case loading
  /// Can be pressed; the price as the storefront writes it.
  case price(String)
  /// A payment is under way.
  case purchasing
  /// A payment waits for somebody else's approval (Ask to Buy).
  case waitingForApproval
  /// The store could not be reached. It is asked again by itself.
  case networkDown
  /// This device may not buy.
  case disabled
  /// What it sells could not be given now, and this is why.
  case withheld(String)
  /// The store does not know the product.
  case invalidProduct

  /// What the button reads.
  public var title: String {
    switch self {
    case .loading: "loading…"
    case .price(let price): "Buy \(price)"
    case .purchasing: "purchasing…"
    case .waitingForApproval: "waiting for approval"
    case .networkDown: "Network down?"
    case .disabled: "AppStore disabled"
    case .withheld(let reason): reason
    case .invalidProduct: "Not for sale: check the product's id and its status in the store"
    }
  }

  /// Whether it can be pressed: only with a price on it.
  public var isEnabled: Bool {
    if case .price = self { true } else { false }
  }
}
