import StoreModel

/// A first period of a subscription that is free, or of which the price is unknown.
struct ChartTrial: Hashable, Sendable {
  /// What became of it.
  enum Outcome: String, CaseIterable, Sendable {
    case converted, outcomeUnknown, running, lapsed
    /// Its own price is unknown, so that it may be no trial.
    case priceUnknown
  }

  let purchased: StoreDate
  let outcome: Outcome
}

/// What became of the trials of each month.
struct TrialCounts {
  private let range: ChartRange
  private var counts: [[ChartTrial.Outcome: Int64]]

  init(_ range: ChartRange) {
    self.range = range
    counts = range.months.map { _ in [:] }
  }

  mutating func add(_ trial: ChartTrial) {
    guard let month = range.month(of: trial.purchased) else { return }
    counts[month][trial.outcome, default: 0] += 1
  }

  func series() -> ChartSeries {
    ChartSeries(
      range.rows { month in
        func count(_ outcome: ChartTrial.Outcome) -> Int64 { counts[month][outcome] ?? 0 }
        let trials = count(.converted) + count(.outcomeUnknown) + count(.running) + count(.lapsed)
        return [
          .trials: trials, .converted: count(.converted), .outcomeUnknown: count(.outcomeUnknown),
          .running: count(.running), .lapsed: count(.lapsed), .priceUnknown: count(.priceUnknown),
        ]
      })
  }
}
