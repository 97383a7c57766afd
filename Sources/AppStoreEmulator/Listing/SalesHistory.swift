import StoreModel

/// Charges and refunds over the store's time, in intervals of the same length.
package struct SalesHistory: Hashable, Sendable {
  /// The charges and refunds of one currency in one interval.
  package struct Entry: Hashable, Sendable {
    /// The beginning of the interval.
    package let start: StoreDate
    package let currency: String
    /// The number of charges.
    package let purchases: Int
    package let charged: Milliunits
    /// The refunds minus the reversals of refunds. Negative if more was reversed than refunded.
    package let refunded: Milliunits
  }

  /// The length of an interval, in hours.
  package let intervalHours: Int64
  /// The intervals in which something was charged or refunded, by date and currency.
  package let entries: [Entry]

  /// The maximum number of intervals from the first one to the last one.
  package static let largestNumber: Int64 = 60
  /// The possible lengths of an interval, in hours: an hour, six hours, a day, a week, 30 days, 90 days and 365 days.
  /// With the last one, the dates of the store's clock (2014 to 2063) fit into ``largestNumber`` intervals.
  private static let lengths: [Int64] = [1, 6, 24, 168, 720, 2_160, longest]
  private static let longest: Int64 = 8_760

  /// Adds up the hours of each interval. Uses the shortest length with which there are at most ``largestNumber``
  /// intervals.
  package init(_ sales: HourlySales) {
    let hours = sales.sums.keys.map(\.hour)
    let (first, last) = (hours.min() ?? 0, hours.max() ?? 0)
    let length = Self.lengths.first { last / $0 - first / $0 < Self.largestNumber } ?? Self.longest
    var sums: [HourlySales.Key: HourlySales.Sums] = [:]
    for (key, more) in sales.sums {
      let start = HourlySales.Key(hour: key.hour / length * length, currency: key.currency)
      sums[start, default: HourlySales.Sums()] += more
    }
    intervalHours = length
    entries = sums.sorted { ($0.key.hour, $0.key.currency) < ($1.key.hour, $1.key.currency) }.map { key, sums in
      Entry(
        start: StoreDate(millisecondsSince1970: key.hour * 3_600_000), currency: key.currency,
        purchases: sums.purchases, charged: sums.charged, refunded: sums.refunded)
    }
  }
}
