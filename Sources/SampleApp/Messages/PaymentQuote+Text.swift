import Foundation
import StoreModel

extension PaymentQuote {
  /// The language and the country of the storefront.
  var locale: Locale { Locale(identifier: localeIdentifier) }

  var unitPriceText: String { unitPrice.formatted(locale: locale) }

  var totalText: String { total.formatted(locale: locale) }
}
