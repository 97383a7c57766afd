import StoreModel

/// Which subscriptions were active at each moment of a chart.
struct SubscriptionMoments: Sendable {
  /// The moments at which a subscription had a period of each kind, a bit for each moment.
  private struct Marks: Sendable {
    var paid: UInt64 = 0
    var priceUnknown: UInt64 = 0
    var free: UInt64 = 0

    var any: UInt64 { paid | priceUnknown | free }
  }

  private let range: ChartRange
  private var subscriptions: [TransactionID: Marks] = [:]

  init(_ range: ChartRange) {
    // A bit for each moment.
    precondition(range.moments.count <= UInt64.bitWidth)
    self.range = range
  }

  mutating func add(_ period: ChartPeriod) {
    var bits: UInt64 = 0
    for (place, moment) in range.moments.enumerated() where period.isActive(at: moment) { bits |= 1 << UInt64(place) }
    guard bits != 0 else { return }
    var marks = subscriptions[period.claim] ?? Marks()
    switch period.price?.milliunits {
    case nil: marks.priceUnknown |= bits
    case let price? where price > 0: marks.paid |= bits
    default: marks.free |= bits
    }
    subscriptions[period.claim] = marks
  }

  /// The series of the chart of active subscriptions.
  func active() -> ChartSeries {
    let none = [Int64](repeating: 0, count: range.moments.count)
    var (paid, unknown, free) = (none, none, none)
    for marks in subscriptions.values {
      for place in none.indices {
        let bit: UInt64 = 1 << UInt64(place)
        if marks.paid & bit != 0 {
          paid[place] += 1
        } else if marks.priceUnknown & bit != 0 {
          unknown[place] += 1
        } else if marks.free & bit != 0 {
          free[place] += 1
        }
      }
    }
    // The first moment is the one before the range.
    return ChartSeries(
      range.rows { month in
        let place = month + 1
        return [
          .active: paid[place] + unknown[place] + free[place], .paid: paid[place], .priceUnknown: unknown[place],
          .free: free[place],
        ]
      })
  }

  /// The series of the chart of churn.
  func churn() -> ChartSeries {
    let none = [Int64](repeating: 0, count: range.months.count)
    var (paying, lost, unknown, unknownLost) = (none, none, none, none)
    for marks in subscriptions.values {
      for month in none.indices {
        let (before, now): (UInt64, UInt64) = (1 << UInt64(month), 1 << UInt64(month + 1))
        let isLost = marks.any & now == 0
        if marks.paid & before != 0 {
          paying[month] += 1
          if isLost { lost[month] += 1 }
        } else if marks.priceUnknown & before != 0 {
          unknown[month] += 1
          if isLost { unknownLost[month] += 1 }
        }
      }
    }
    return ChartSeries(
      range.rows { month in
        [
          .paying: paying[month], .lost: lost[month], .priceUnknown: unknown[month],
          .priceUnknownLost: unknownLost[month],
        ]
      })
  }
}
