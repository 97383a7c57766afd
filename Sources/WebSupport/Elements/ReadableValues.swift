import StoreModel

/// Amounts in lists: `3.49 USD`. They contain the currency code, because several currencies share a symbol.
package enum Money {
  package static func text(_ amount: Milliunits, _ currency: String) -> String {
    amount.digits(in: currency).replacing("-", with: "−") + " \(currency)"
  }

  /// The amount for a form field: without a currency, and with as few decimals as possible, but at least two.
  package static func field(_ amount: Milliunits) -> String { amount.digits(fewestDecimals: 2) }
}

extension ProductType {
  package var text: String {
    switch self {
    case .consumable: "consumable"
    case .nonConsumable: "non-consumable"
    case .nonRenewingSubscription: "non-renewing subscription"
    case .autoRenewableSubscription: "auto-renewable subscription"
    }
  }
}

extension StoreDate {
  /// The date as a `<time>` element.
  package var html: HTML { "<time datetime=\"\(description)\">\(text)</time>" }
}
