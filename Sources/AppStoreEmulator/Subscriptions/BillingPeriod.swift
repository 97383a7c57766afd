import StoreModel

/// A period of a subscription. The customer was charged for it, or an offer makes it free.
///
/// Successive periods of one length are all computed from one anchor date, so that monthly periods keep the day of the
/// month.
struct BillingPeriod: Hashable, Codable, Sendable {
  let start: StoreDate
  /// The date at which the subscription renews or expires.
  var end: StoreDate
  let length: CalendarPeriod
  /// The start of the first of the successive periods.
  private(set) var anchor: StoreDate
  /// The number of periods from the anchor to the end.
  private(set) var count: Int

  /// Makes a first period, whose start is the anchor.
  init(of length: CalendarPeriod, from start: StoreDate, at rate: RenewalRate) {
    (self.start, self.length, anchor, count) = (start, length, start, 1)
    end = rate.end(of: length, from: start)
  }

  /// The period after `previous`, without a gap. If it has the same length, and the rate has not changed, it is computed
  /// from the same anchor.
  init(of length: CalendarPeriod, after previous: BillingPeriod, at rate: RenewalRate) {
    self.init(of: length, from: previous.end, at: rate)
    guard length == previous.length else { return }
    let end = rate.end(of: length, count: previous.count + 1, from: previous.anchor)
    // The rate may have changed since the anchor.
    guard rate.end(of: length, count: previous.count, from: previous.anchor) == previous.end, end > start else {
      return
    }
    (anchor, count, self.end) = (previous.anchor, previous.count + 1, end)
  }

  /// Moves the end to another date, which is the anchor of later periods.
  mutating func move(endTo date: StoreDate) {
    end = date
    (anchor, count) = (date, 0)
  }

  /// The share of the period that remains at a date, in thousandths of a percent, rounded down.
  func remainingShare(at date: StoreDate) -> Int {
    let total = end.millisecondsSince1970 - start.millisecondsSince1970
    let remaining = end.millisecondsSince1970 - date.millisecondsSince1970
    guard total > 0, remaining > 0 else { return 0 }
    // Seconds, because milliseconds times 100,000 overflow after 2,900 years.
    return remaining >= total
      ? Percentage.whole : Int(remaining / 1000 * Int64(Percentage.whole) / max(1, total / 1000))
  }
}
