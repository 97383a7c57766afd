import Foundation
import StoreModel

extension CalendarPeriod {
  /// The period in words, such as `1 month`.
  var text: String { "\(value) \(unitText)\(value == 1 ? "" : "s")" }

  fileprivate var unitText: String {
    switch unit {
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .year: "year"
    }
  }
}

extension PaymentQuote {
  /// The language and the country of the storefront.
  var locale: Locale { Locale(identifier: localeIdentifier) }

  var unitPriceText: String { unitPrice.formatted(locale: locale) }

  var totalText: String { total.formatted(locale: locale) }

  /// An offer of the quoted plan in words, such as `free for 1 week`.
  func text(of offer: SubscriptionOffer) -> String {
    Price(amount: offer.price, currency: unitPrice.currency).text(of: offer, locale: locale)
  }
}

extension Price {
  /// An offer at this price in words, such as `free for 1 week`.
  func text(of offer: SubscriptionOffer, locale: Locale = Locale(identifier: "en_US")) -> String {
    let price = formatted(locale: locale)
    return switch offer.paymentMode {
    case .freeTrial: "free for \(offer.period.text)"
    case .payUpFront: "\(price) for \(offer.period.text)"
    case .payAsYouGo where offer.period.value == 1:
      "\(price) a \(offer.period.unitText) for \(offer.numberOfPeriods) \(offer.period.unitText)s"
    case .payAsYouGo: "\(price) every \(offer.period.text), \(offer.numberOfPeriods) times"
    }
  }
}
