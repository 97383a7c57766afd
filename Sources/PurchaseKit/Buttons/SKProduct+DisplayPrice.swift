import StoreKit

extension SKProduct {
  /// The price in the format of the product's storefront.
  public var displayPrice: String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = priceLocale
    return formatter.string(from: price) ?? "\(price)"
  }
}
