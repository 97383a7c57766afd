import Foundation
import StoreModel

extension Product {
  /// A calendar duration. Implements Apple's `Product.SubscriptionPeriod`.
  public struct SubscriptionPeriod: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    public let unit: Unit
    /// At least 1.
    public let value: Int

    init(value: Int, unit: Unit) {
      self.value = value
      self.unit = unit
    }

    init(_ period: CalendarPeriod) { self.init(value: period.value, unit: Unit(period.unit)) }

    public static var weekly: SubscriptionPeriod { SubscriptionPeriod(value: 1, unit: .week) }
    public static var monthly: SubscriptionPeriod { SubscriptionPeriod(value: 1, unit: .month) }
    public static var yearly: SubscriptionPeriod { SubscriptionPeriod(value: 1, unit: .year) }
    public static var everyThreeDays: SubscriptionPeriod { SubscriptionPeriod(value: 3, unit: .day) }
    public static var everyTwoWeeks: SubscriptionPeriod { SubscriptionPeriod(value: 2, unit: .week) }
    public static var everyTwoMonths: SubscriptionPeriod { SubscriptionPeriod(value: 2, unit: .month) }
    public static var everyThreeMonths: SubscriptionPeriod { SubscriptionPeriod(value: 3, unit: .month) }
    public static var everySixMonths: SubscriptionPeriod { SubscriptionPeriod(value: 6, unit: .month) }

    /// The time from a date to the end of a period that begins then, in the Gregorian calendar and UTC.
    public func dateRange(referenceDate: Date = .now) -> Range<Date> {
      let end = Calendar.ofPeriods.date(byAdding: DateComponents(subscriptionPeriod: self), to: referenceDate)
      // Nil only for dates that the calendar does not have.
      return referenceDate..<max(referenceDate, end ?? referenceDate)
    }

    /// The period as text, such as `3 months`, with `Product.subscriptionPeriodFormatStyle`.
    public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
    where S: Foundation.FormatStyle, S.FormatInput == Range<Date> {
      format.format(dateRange(referenceDate: referenceDate))
    }

    /// The period from a date as text, with a style of Foundation for durations.
    public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
    where S: Foundation.FormatStyle, S.FormatInput == Duration {
      let range = dateRange(referenceDate: referenceDate)
      return format.format(.seconds(range.upperBound.timeIntervalSince(range.lowerBound)))
    }

    public var debugDescription: String { "\(value) \(unit.debugDescription)\(value == 1 ? "" : "s")" }
  }
}

extension DateComponents {
  /// The components with the period's unit only: days, weeks of the year, months or years.
  public init(subscriptionPeriod period: Product.SubscriptionPeriod) {
    self.init()
    switch period.unit {
    case .day: day = period.value
    case .week: weekOfYear = period.value
    case .month: month = period.value
    case .year: year = period.value
    }
  }
}

extension Calendar {
  /// The calendar in which subscriptions renew. A device's own calendar may have other months.
  static let ofPeriods: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
