import StoreModel

/// The months of a chart.
struct ChartRange: Hashable, Sendable {
  /// The maximum number of months.
  static let most = 36
  /// The number of months without a first one.
  static let usual = 12

  let months: [ChartMonth]
  /// The dates at which the months begin, and the one at which the last month ends.
  let bounds: [StoreDate]
  /// The last millisecond of the month before the first one, and then of each month; of the present month, now.
  let moments: [StoreDate]
  let now: StoreDate

  /// - Parameters:
  ///   - first: nil for 12 months.
  ///   - last: nil for the present month.
  /// - Throws: ``LedgerError/invalid(_:)`` if there are no months or more than 36, or if the last one has not begun.
  init(from first: ChartMonth?, until last: ChartMonth?, now: StoreDate) throws(LedgerError) {
    let present = ChartMonth(containing: now)
    let last = last ?? present
    guard last <= present else { throw .invalid("The month \(last) has not begun. The present month is \(present).") }
    let first = first ?? last.adding(1 - Self.usual)
    guard first <= last else { throw .invalid("The first month, \(first), is after the last one, \(last).") }
    let count = first.distance(to: last) + 1
    guard count <= Self.most else { throw .invalid("A chart has at most \(Self.most) months; these are \(count).") }
    months = (0..<count).map { first.adding($0) }
    bounds = months.map(\.begins) + [last.ends]
    moments = bounds.map { min($0.adding(milliseconds: -1), now) }
    self.now = now
  }

  /// The first millisecond of the first month.
  var begins: StoreDate { bounds[0] }
  /// The first millisecond after the last month.
  var ends: StoreDate { bounds[months.count] }

  /// The index of the month that contains a date; nil if the date is outside the range.
  func month(of date: StoreDate) -> Int? {
    guard date >= begins, let end = bounds.firstIndex(where: { date < $0 }) else { return nil }
    return end - 1
  }

  /// The rows of a series.
  ///
  /// - Parameter values: returns the values of the month with an index.
  func rows(_ values: (Int) -> [ChartColumn: Int64]) -> [ChartRow] {
    months.indices.map { ChartRow(month: months[$0], values($0)) }
  }
}
