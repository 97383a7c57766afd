import Foundation
import StoreModel

extension SubscriptionPeriod {
  /// The period in words, such as `1 month`.
  var text: String {
    let unit =
      switch unit {
      case .day: "day"
      case .week: "week"
      case .month: "month"
      case .year: "year"
      }
    return "\(value) \(unit)\(value == 1 ? "" : "s")"
  }
}

extension PaymentQuote {
  /// The language and the country of the storefront.
  var locale: Locale { Locale(identifier: localeIdentifier) }

  var unitPriceText: String { unitPrice.formatted(locale: locale) }

  var totalText: String { total.formatted(locale: locale) }

  /// An offer of the quoted plan in words, such as `free for 1 week`.
  func text(of offer: SubscriptionOffer) -> String {
    let price = Price(amount: offer.price, currency: unitPrice.currency).formatted(locale: locale)
    return switch offer.paymentMode {
    case .freeTrial: "free for \(offer.period.text)"
    case .payUpFront: "\(price) for \(offer.period.text)"
    case .payAsYouGo: "\(price) for each of \(offer.numberOfPeriods) × \(offer.period.text)"
    }
  }
}
