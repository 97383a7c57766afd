/// How fast subscriptions renew in a test store. The raw values are those of StoreKitTest's `SKTestSession.TimeRate`
/// and of `_timeRate` in a `.storekit` file.
///
/// A rate changes how long a period lasts. It does not change the speed of the store's clock.
public enum RenewalRate: Int, Hashable, Codable, Sendable, CaseIterable {
  case realTime = 0
  case oneHourIsOneDay = 1
  case thirtyMinutesIsOneDay = 2
  case fiveMinutesIsOneDay = 3
  case oneMinuteIsOneDay = 4
  case thirtySecondsIsOneDay = 5
  case oneSecondIsOneDay = 6
  case monthlyRenewalEveryHour = 10
  case monthlyRenewalEveryThirtyMinutes = 11
  case monthlyRenewalEveryFifteenMinutes = 12
  case monthlyRenewalEveryFiveMinutes = 13
  case monthlyRenewalEveryThirtySeconds = 15
  case oneRenewalEveryFifteenMinutes = 1000
  case oneRenewalEveryFiveMinutes = 1001
  case oneRenewalEveryMinute = 1002
  case oneRenewalEveryThirtySeconds = 1003
  case oneRenewalEveryTenSeconds = 1004
  case oneRenewalEveryTwoSeconds = 1005

  /// The basic lengths, in seconds, from which all other durations are computed.
  private enum Lengths {
    /// Periods last as long as in the calendar.
    case calendar
    /// A day of the calendar lasts this long.
    case day(Int64)
    /// A week and a month last this long, a year twelve months. `weeklyGrace` is the grace period after a week.
    case weekAndMonth(week: Int64, month: Int64, weeklyGrace: Int64)
    /// Every period lasts this long.
    case fixed(Int64)
  }

  private var lengths: Lengths {
    switch self {
    case .realTime: .calendar
    case .oneHourIsOneDay: .day(3600)
    case .thirtyMinutesIsOneDay: .day(1800)
    case .fiveMinutesIsOneDay: .day(300)
    case .oneMinuteIsOneDay: .day(60)
    case .thirtySecondsIsOneDay: .day(30)
    case .oneSecondIsOneDay: .day(1)
    case .monthlyRenewalEveryHour: .weekAndMonth(week: 900, month: 3600, weeklyGrace: 771)
    case .monthlyRenewalEveryThirtyMinutes: .weekAndMonth(week: 600, month: 1800, weeklyGrace: 514)
    case .monthlyRenewalEveryFifteenMinutes: .weekAndMonth(week: 300, month: 900, weeklyGrace: 257)
    case .monthlyRenewalEveryFiveMinutes: .weekAndMonth(week: 180, month: 300, weeklyGrace: 154)
    case .monthlyRenewalEveryThirtySeconds: .weekAndMonth(week: 10, month: 30, weeklyGrace: 9)
    case .oneRenewalEveryFifteenMinutes: .fixed(900)
    case .oneRenewalEveryFiveMinutes: .fixed(300)
    case .oneRenewalEveryMinute: .fixed(60)
    case .oneRenewalEveryThirtySeconds: .fixed(30)
    case .oneRenewalEveryTenSeconds: .fixed(10)
    case .oneRenewalEveryTwoSeconds: .fixed(2)
    }
  }

  /// Returns the end of the last of several successive periods.
  ///
  /// All ends are computed from the same start, so that a monthly subscription that begins on January 31 renews on the
  /// last day of each month.
  ///
  /// - Parameters:
  ///   - count: the number of periods, at least 0.
  ///   - start: the start of the first period.
  public func end(of period: CalendarPeriod, count: Int = 1, from start: StoreDate) -> StoreDate {
    let value = Int64(period.value) * Int64(count)
    switch lengths {
    case .calendar: return period.end(from: start, count: count)
    case .day(let length):
      let milliseconds = period.end(from: start, count: count).millisecondsSince1970 - start.millisecondsSince1970
      return start.adding(seconds: milliseconds / 86_400_000 * length)
    case .fixed(let length): return start.adding(seconds: Int64(count) * length)
    case .weekAndMonth(let week, let month, _):
      switch period.unit {
      // Rounded to a second, because receipts have whole seconds. Each period lasts at least one second.
      case .day: return start.adding(seconds: max(Int64(count), (value * week + 3) / 7))
      case .week: return start.adding(seconds: value * week)
      case .month: return start.adding(seconds: value * month)
      case .year: return start.adding(seconds: value * 12 * month)
      }
    }
  }

  /// The standard length of the billing grace period after a period, in seconds: 6 days for weekly subscriptions and 16
  /// days for longer ones, shortened like the periods.
  public func standardGraceSeconds(after period: CalendarPeriod) -> Int64 {
    let isWeekly = period == CalendarPeriod(value: 1, unit: .week)
    return switch lengths {
    case .calendar: (isWeekly ? 6 : 16) * 86_400
    case .day(let length): (isWeekly ? 6 : 16) * length
    case .weekAndMonth(_, let month, let weeklyGrace): isWeekly ? weeklyGrace : month / 2
    case .fixed(let length): length
    }
  }

  /// How long the store tries to charge a renewal that failed, in seconds: 60 days, shortened like the periods.
  public var retrySeconds: Int64 {
    switch lengths {
    case .calendar: 60 * 86_400
    case .day(let length): 60 * length
    case .weekAndMonth(_, let month, _): 2 * month
    case .fixed(let length): 2 * length
    }
  }
}
