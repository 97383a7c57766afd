import StoreModel

/// The balances of a credit account at the moments of a chart, found from its newest movement back.
struct BalanceWalk: Hashable, Sendable {
  private let moments: [StoreDate]
  /// The balance at each moment; 0 where no movement is that old.
  private(set) var balances: [Int64]
  /// The number of moments, from the first, whose balance is not known yet.
  private var open: Int

  /// - Parameter moments: in ascending order.
  init(_ moments: [StoreDate]) {
    self.moments = moments
    balances = [Int64](repeating: 0, count: moments.count)
    open = moments.count
  }

  /// Whether older movements make no difference.
  var isComplete: Bool { open == 0 }

  /// Adds the movement that comes before the one that was added last.
  ///
  /// - Parameter balance: the balance after it.
  mutating func add(_ date: StoreDate, balance: Int64) {
    while open > 0, moments[open - 1] >= date {
      balances[open - 1] = balance
      open -= 1
    }
  }
}

/// An account of a chart, with its newest movements.
struct ChartAccount: Hashable, Sendable {
  /// A movement: its number, its date, and the balance after it.
  struct Movement: Hashable, Sendable {
    let sequence: Int64
    let date: StoreDate
    let balance: Int64
  }

  let account: CreditAccount
  /// When the customer was erased; nil if the customer was not.
  let erased: StoreDate?
  /// From the newest one back. If the balances of all moments follow from them, older ones may be missing.
  var movements: [Movement]
}

/// The credits that customers have, at the moments of a chart.
struct OutstandingCredits {
  private struct Sums {
    var outstanding: [ChartSum]
    var owed: [ChartSum]
    var accounts: [Int64]
  }

  private let range: ChartRange
  /// The moment of each month.
  let moments: [StoreDate]
  private let none: Sums
  private var units: [CreditUnit: Sums] = [:]

  init(_ range: ChartRange) {
    self.range = range
    // The first moment is the one before the range.
    moments = Array(range.moments.dropFirst())
    let sums = [ChartSum](repeating: ChartSum(), count: moments.count)
    none = Sums(outstanding: sums, owed: sums, accounts: [Int64](repeating: 0, count: moments.count))
  }

  /// - Parameter balances: the balance of the account at each moment.
  mutating func add(_ account: ChartAccount, _ balances: [Int64]) {
    var sums = units[account.account.unit] ?? none
    for (month, balance) in balances.enumerated() {
      if let erased = account.erased, erased <= moments[month] { continue }
      if balance > 0 {
        sums.outstanding[month].add(balance)
        sums.accounts[month] += 1
      } else if balance < 0 {
        sums.owed[month].add(-balance)
      }
    }
    units[account.account.unit] = sums
  }

  func series() -> [ChartSeries] {
    units.sorted { $0.key < $1.key }.map { unit, sums in
      ChartSeries(
        unit: unit,
        range.rows { month in
          [
            .outstanding: sums.outstanding[month].value, .owed: sums.owed[month].value,
            .accounts: sums.accounts[month],
          ]
        })
    }
  }
}
