import Foundation
import StoreModel

extension Product {
  /// Writes amounts as the storefront does: `price.formatted(product.priceFormatStyle)`.
  public var priceFormatStyle: Decimal.FormatStyle.Currency {
    Decimal.FormatStyle.Currency(code: listing.price.currency, locale: listing.priceLocale)
  }

  /// Writes periods in the language of the storefront: `period.formatted(product.subscriptionPeriodFormatStyle)`.
  ///
  /// On Apple's platforms it is a `Date.ComponentsFormatStyle`, which cannot be made on Linux.
  public var subscriptionPeriodFormatStyle: SubscriptionPeriodRangeFormatStyle {
    SubscriptionPeriodRangeFormatStyle(locale: Locale(identifier: listing.localeIdentifier))
  }

  /// Writes units in the language of the storefront: `period.unit.formatted(product.subscriptionPeriodUnitFormatStyle)`.
  public var subscriptionPeriodUnitFormatStyle: SubscriptionPeriod.Unit.FormatStyle {
    SubscriptionPeriod.Unit.FormatStyle(locale: Locale(identifier: listing.localeIdentifier))
  }

  /// Writes the time between two dates in calendar units, such as `1 month`. Not part of Apple's API: it is in the place of
  /// `Date.ComponentsFormatStyle`.
  public struct SubscriptionPeriodRangeFormatStyle: FormatStyle {
    public typealias FormatInput = Range<Date>
    public typealias FormatOutput = String

    private var language: Locale

    init(locale: Locale) { language = locale }

    /// The largest units that fit, in UTC: a period of 12 months is `1 year`.
    public func format(_ value: Range<Date>) -> String {
      let calendar = Calendar.ofPeriods
      let parts = calendar.dateComponents([.month, .day], from: value.lowerBound, to: value.upperBound)
      var (months, restDays) = (parts.month ?? 0, parts.day ?? 0)
      // A period that begins on the 31st ends on the last day of a shorter month, which is no whole month later for the
      // calendar's difference.
      if restDays > 0, calendar.date(byAdding: .month, value: months + 1, to: value.lowerBound) == value.upperBound {
        (months, restDays) = (months + 1, 0)
      }
      let (weeks, days) = restDays.quotientAndRemainder(dividingBy: 7)
      let counts: [(Int, SubscriptionPeriod.Unit)] = [
        (months / 12, .year), (months % 12, .month), (weeks, .week), (days, .day),
      ]
      let words = PeriodWords(locale: language)
      let texts = counts.filter { $0.0 != 0 }.map { words.text($0.0, $0.1) }
      return texts.isEmpty ? words.text(0, .day) : texts.joined(separator: ", ")
    }

    /// The same style in another language.
    public func locale(_ locale: Locale) -> SubscriptionPeriodRangeFormatStyle {
      SubscriptionPeriodRangeFormatStyle(locale: locale)
    }
  }
}
