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
  /// `Date.ComponentsFormatStyle`, and has the same properties.
  public struct SubscriptionPeriodRangeFormatStyle: FormatStyle {
    public typealias FormatInput = Range<Date>
    public typealias FormatOutput = String

    /// How units are written. Foundation on Linux has no short words for units, so all of these write `1 month`.
    public enum Style: Codable, Hashable, Sendable {
      case wide, abbreviated, condensedAbbreviated, narrow, spellOut
    }

    /// A unit that may be written. Periods of subscriptions have no hours.
    public enum Field: Codable, Hashable, Sendable {
      case day, week, month, year
    }

    public var style = Style.wide
    /// English is used if the words of its language are not known.
    public var locale: Locale
    /// In which months and years are counted: Gregorian, in UTC, if the app does not set it.
    public var calendar = Calendar.ofPeriods
    /// The units that may be written. All of them if nil.
    public var fields: Set<Field>?

    init(locale: Locale) { self.locale = locale }

    private typealias CountedUnit = (
      field: Field, unit: SubscriptionPeriod.Unit, component: Calendar.Component, size: Int
    )
    private static let countedUnits: [CountedUnit] = [
      (.year, .year, .year, 1), (.month, .month, .month, 1), (.week, .week, .day, 7), (.day, .day, .day, 1),
    ]

    /// The largest units that fit: a period of 12 months is `1 year`.
    public func format(_ value: Range<Date>) -> String {
      let words = PeriodWords(locale: locale)
      var texts: [String] = []
      var begin = value.lowerBound
      for counted in Self.countedUnits where fields?.contains(counted.field) ?? true {
        let count = whole(counted.component, from: begin, to: value.upperBound) / counted.size
        guard count > 0, let end = date(count * counted.size, counted.component, after: begin) else { continue }
        texts.append(words.text(count, counted.unit))
        begin = end
      }
      return texts.isEmpty ? words.text(0, .day) : texts.joined(separator: ", ")
    }

    private func whole(_ component: Calendar.Component, from begin: Date, to end: Date) -> Int {
      let count = calendar.dateComponents([component], from: begin, to: end).value(for: component) ?? 0
      // A period that begins on the 31st ends on the last day of a shorter month, which is no whole month later for the
      // calendar's difference.
      guard let next = date(count + 1, component, after: begin), next <= end else { return count }
      return count + 1
    }

    private func date(_ count: Int, _ component: Calendar.Component, after begin: Date) -> Date? {
      calendar.date(byAdding: component, value: count, to: begin)
    }

    /// The same style in another language.
    public func locale(_ locale: Locale) -> SubscriptionPeriodRangeFormatStyle {
      var style = self
      style.locale = locale
      return style
    }

    /// The same style with another calendar.
    public func calendar(_ calendar: Calendar) -> SubscriptionPeriodRangeFormatStyle {
      var style = self
      style.calendar = calendar
      return style
    }
  }
}
