import StoreKit

extension SKProduct {
  /// The price as the product's storefront writes it.
  public var displayPrice: String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = priceLocale
    return formatter.string(from: price) ?? "\(price)"
  }
}
