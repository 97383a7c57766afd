import StoreModel

/// A refund of a transaction that charts count.
struct ChartRefund: Hashable, Sendable {
  let date: StoreDate
  /// Thousandths of a percent.
  let percentage: Int64
  /// The price of the transaction; nil if it is unknown.
  let price: PurchasePrice?
}

/// The refunds of each month.
struct RefundSums {
  private struct Sums {
    var counts: [Int64]
    var amounts: [ChartSum]
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
    let count = range.months.count
    none = Sums(
      counts: [Int64](repeating: 0, count: count), amounts: [ChartSum](repeating: ChartSum(), count: count))
    priceUnknown = [Int64](repeating: 0, count: count)
    if let currency { currencies[currency] = none }
  }

  mutating func add(_ refund: ChartRefund) {
    guard let month = range.month(of: refund.date) else { return }
    guard let price = refund.price else {
      priceUnknown[month] += 1
      return
    }
    guard only == nil || only == price.currency else { return }
    let none = none
    currencies[price.currency, default: none].counts[month] += 1
    currencies[price.currency, default: none].amounts[month].add(price.refunded(refund.percentage))
  }

  func series() -> [ChartSeries] {
    let known = currencies.sorted { $0.key < $1.key }.map { currency, sums in
      ChartSeries(
        currency: currency, range.rows { [.refunds: sums.counts[$0], .amount: sums.amounts[$0].value] })
    }
    return known + [ChartSeries(range.rows { [.priceUnknown: priceUnknown[$0]] })]
  }
}
