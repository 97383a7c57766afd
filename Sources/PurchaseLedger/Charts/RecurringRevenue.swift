import StoreModel

/// What was paid for subscriptions, spread over the time that it was paid for.
struct RecurringRevenue {
  private struct Sums {
    var gross: [ChartSum]
    var refunded: [ChartSum]
  }

  private let range: ChartRange
  private let only: String?
  private let none: Sums
  private var currencies: [String: Sums] = [:]
  private var priceUnknown: [Int64]

  /// - Parameter currency: the only currency of the chart; nil for all.
  init(_ range: ChartRange, currency: String?) {
    self.range = range
    only = currency
    let sums = [ChartSum](repeating: ChartSum(), count: range.months.count)
    none = Sums(gross: sums, refunded: sums)
    priceUnknown = [Int64](repeating: 0, count: range.months.count)
    if let currency { currencies[currency] = none }
  }

  mutating func add(_ period: ChartPeriod) {
    guard period.purchased < range.ends, period.accessUntil > range.begins else { return }
    for month in range.months.indices {
      let (start, end) = (range.bounds[month], range.bounds[month + 1])
      guard period.purchased < end, period.accessUntil > start else { continue }
      guard let price = period.price else {
        priceUnknown[month] += 1
        continue
      }
      guard only == nil || only == price.currency else { return }
      let refunded = period.refund.map { price.refunded($0.percentage) } ?? 0
      let none = none
      currencies[price.currency, default: none].gross[month]
        .add(period.part(of: price.milliunits, from: start, until: end))
      currencies[price.currency, default: none].refunded[month]
        .add(period.part(of: refunded, from: start, until: end))
    }
  }

  func series() -> [ChartSeries] {
    let known = currencies.sorted { $0.key < $1.key }.map { currency, sums in
      ChartSeries(
        currency: currency,
        range.rows { month in
          let (gross, refunded) = (sums.gross[month].value, sums.refunded[month].value)
          return [.net: gross - refunded, .gross: gross, .refunded: refunded]
        })
    }
    return known + [ChartSeries(range.rows { [.priceUnknown: priceUnknown[$0]] })]
  }
}
