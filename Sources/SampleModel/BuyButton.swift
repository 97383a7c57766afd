import PurchaseKit
import StoreKit

/// What a buy button says, and whether it can be pressed.
public enum BuyButton: Hashable, Sendable {
  /// The price has not arrived yet.
  case loading
  /// The price as the storefront writes it.
  case price(String)
  /// A payment is under way.
  case purchasing
  /// The store could not be reached.
  case networkDown
  /// This device may not buy.
  case disabled
  /// The store does not know the product.
  case invalidProduct

  public var title: String {
    switch self {
    case .loading: "loading…"
    case .price(let price): "Buy \(price)"
    case .purchasing: "purchasing…"
    case .networkDown: "Network down?"
    case .disabled: "AppStore disabled"
    case .invalidProduct: "Not for sale: check the product's id and its status in the store"
    }
  }

  public var isEnabled: Bool {
    if case .price = self { true } else { false }
  }
}

extension SKProduct {
  /// The price as the product's storefront writes it.
  public var displayPrice: String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = priceLocale
    return formatter.string(from: price) ?? "\(price)"
  }
}
