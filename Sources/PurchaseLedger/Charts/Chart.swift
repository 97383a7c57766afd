import StoreModel

/// The charts. Documentation/charts.md defines each number.
public enum ChartName: String, CaseIterable, Codable, Sendable {
  case activeSubscriptions, recurringRevenue, trialsToPaid, churn, refunds, creditsOutstanding

  /// Whether the chart has sums of money, with a series for each currency.
  public var hasMoney: Bool { self == .recurringRevenue || self == .refunds }

  /// Whether the chart is about one environment. Credit accounts have none.
  public var hasEnvironment: Bool { self != .creditsOutstanding }
}

/// A value of each month of a chart.
public enum ChartColumn: String, CaseIterable, Codable, Sendable {
  case active, paid, free
  case net, gross, refunded
  case trials, converted, running, lapsed, outcomeUnknown
  case paying, lost
  case refunds, amount
  case outstanding, owed, accounts
  /// Counts what has no known price.
  case priceUnknown
  case priceUnknownLost
}

/// What a chart is about.
public struct ChartRequest: Hashable, Sendable {
  public let app: BundleID
  /// Nil for production.
  public var environment: StoreEnvironment?
  /// The first month; nil for 12 months.
  public var from: ChartMonth?
  /// The last month; nil for the present one.
  public var until: ChartMonth?
  /// An ISO 4217 code, such as `EUR`; nil for all currencies.
  public var currency: String?

  public init(
    app: BundleID, environment: StoreEnvironment? = nil, from: ChartMonth? = nil, until: ChartMonth? = nil,
    currency: String? = nil
  ) {
    self.app = app
    self.environment = environment
    self.from = from
    self.until = until
    self.currency = currency
  }

  /// - Throws: ``LedgerError/invalid(_:)`` if the chart cannot be asked for that.
  func check(for name: ChartName) throws(LedgerError) {
    if environment != nil, !name.hasEnvironment {
      throw .invalid("Credit accounts have no environment. Leave environment out.")
    }
    guard let currency else { return }
    guard name.hasMoney else { throw .invalid("The chart \(name.rawValue) has no money in it. Leave currency out.") }
    guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw .invalid("A currency is three capital letters, such as EUR.")
    }
  }
}

/// A chart, with a value of each column for each month.
public struct Chart: Hashable, Sendable {
  public let name: ChartName
  public let app: BundleID
  /// Nil if the chart is about no environment.
  public let environment: StoreEnvironment?
  /// The first and the last month.
  public let from: ChartMonth
  public let until: ChartMonth
  /// When the chart was made: by the store's clock; of credits, by the ledger's.
  public let date: StoreDate
  /// A series for each currency or unit, in the order of their names. Charts of money end with a series without a currency, about
  /// what has no known price. A chart that only counts has one series.
  public let series: [ChartSeries]
}

/// The months of a chart, for one currency or unit.
public struct ChartSeries: Hashable, Codable, Sendable {
  /// An ISO 4217 code; nil if the series is about no currency.
  public let currency: String?
  /// The unit of credits; nil in other charts.
  public let unit: CreditUnit?
  public let months: [ChartRow]

  init(currency: String? = nil, unit: CreditUnit? = nil, _ months: [ChartRow]) {
    self.currency = currency
    self.unit = unit
    self.months = months
  }
}

/// A month of a series.
public struct ChartRow: Hashable, Codable, Sendable {
  public let month: ChartMonth
  /// The values by the names of their columns. Sums of money are in milliunits.
  public let values: [String: Int64]

  init(month: ChartMonth, _ values: [ChartColumn: Int64]) {
    self.month = month
    self.values = Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
  }

  /// The value of a column; nil if the series has no such column.
  public subscript(_ column: ChartColumn) -> Int64? { values[column.rawValue] }
}

/// Sums of a chart. They are at most `Int64.max`.
struct ChartSum {
  private(set) var value: Int64 = 0

  mutating func add(_ amount: Int64) { value = Milliunits(value).addingClamped(Milliunits(amount)).rawValue }
}
