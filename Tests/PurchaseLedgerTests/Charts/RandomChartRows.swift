import Foundation
import StoreModel

@testable import PurchaseLedger

/// Random purchases, subscriptions, refunds and credits of two years, as rows of a ledger. The dates of periods have whole seconds.
struct RandomChartRows {
  private var generator: SeededGenerator
  private let now: StoreDate
  private let customers: [CustomerID]
  private var statements: [(sql: String, arguments: [SQLValue])] = []
  private var next: UInt64 = 1_000

  private static let app = TestLedger.app
  private static let day: Int64 = 86_400

  /// Fills the ledger of a fixture, whose clock says what is now.
  static func fill(_ fixture: TestLedger, seed: UInt64) async throws {
    var customers: [CustomerID] = []
    for number in 0..<12 { customers.append(try await fixture.identified("customer \(number)").customer) }
    var rows = RandomChartRows(seed: seed, now: fixture.clock.now, customers)
    for _ in 0..<200 { rows.addSubscription() }
    for _ in 0..<40 { rows.addPurchase() }
    for place in customers.indices { rows.addAccounts(place) }
    let statements = rows.statements
    try await fixture.database.write(locking: []) { transaction in
      for (sql, arguments) in statements { _ = try transaction.rows(sql, arguments: arguments) }
    }
  }

  private init(seed: UInt64, now: StoreDate, _ customers: [CustomerID]) {
    generator = SeededGenerator(seed: seed)
    self.now = now
    self.customers = customers
  }

  private mutating func chance(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  private mutating func choose<Element>(_ list: [Element]) -> Element { list[chance(list.count)] }

  /// A date within two years before now, or the first or last second of a month.
  private mutating func date() -> StoreDate {
    let date = now.adding(seconds: -Int64(chance(730 * 86_400))).wholeSeconds
    switch chance(8) {
    case 0: return ChartMonth(containing: date).begins
    case 1: return ChartMonth(containing: date).begins.adding(seconds: -1)
    default: return date
    }
  }

  private mutating func add(_ sql: String, _ arguments: any SQLValueConvertible...) {
    statements.append((sql, arguments.map(\.sqlValue)))
  }

  private mutating func price() -> PurchasePrice? {
    guard chance(6) > 0 else { return nil }
    return PurchasePrice(
      milliunits: choose([0, 1, 990, 9_990, 119_990, 1_234_567_000]), currency: choose(["EUR", "EUR", "USD", "JPY"]))
  }

  private mutating func addClaim(
    _ id: UInt64, _ type: ProductType, _ price: PurchasePrice?
  ) -> (BundleID, StoreEnvironment) {
    let app: BundleID = chance(10) == 0 ? "com.example.other" : Self.app
    let environment: StoreEnvironment = chance(6) == 0 ? .sandbox : .production
    let ownership: OwnershipType = chance(8) == 0 ? .familyShared : .purchased
    let customer = choose(customers)
    add(
      """
      INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, price, currency)
      VALUES ($1, $2, $3, $4, 'p', $5, 1, $6, 0, 0, $7, $8)
      """, app, environment, TransactionID(id), customer, type, ownership, price?.milliunits, price?.currency)
    return (app, environment)
  }

  private mutating func addStatus(
    _ id: UInt64, _ app: BundleID, _ environment: StoreEnvironment, after date: StoreDate
  ) {
    let isRefunded = chance(4) == 0
    let refunded: StoreDate? = isRefunded ? date.adding(seconds: Int64(chance(40 * 86_400)) - Self.day) : nil
    let percentage: Int64 = isRefunded ? choose([100_000, 50_000, 33_333, 1, Int64(1 + chance(100_000))]) : 0
    add(
      """
      INSERT INTO statement (app, environment, id, revoked, date, percentage, stated, learnt)
      VALUES ($1, $2, $3, $4, $5, $6, 0, 0)
      """, app, environment, TransactionID(id), isRefunded, refunded, percentage)
  }

  private mutating func addSubscription() {
    let claim = next
    let (app, environment) = addClaim(claim, .autoRenewableSubscription, nil)
    // Some are not redeemed.
    let owner = chance(12) == 0 ? claim + 500_000 : claim
    let length = choose([7, 30, 31, 365]) * Self.day
    var start = date()
    var periods: [(id: UInt64, ends: StoreDate)] = []
    for number in 0..<1 + chance(9) {
      let isOdd = chance(8) == 0
      var lasts: Int64 = isOdd ? Int64(chance(40 * 86_400)) : length
      if chance(12) == 0 { lasts = 0 }
      let end = start.adding(seconds: lasts)
      let isTrial = number == 0 && chance(2) == 0
      let paid = isTrial ? PurchasePrice(milliunits: 0, currency: "EUR") : price()
      add(
        """
        INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated, price, currency)
        VALUES ($1, $2, $3, $4, 'p', $5, $6, 0, $7, $8)
        """, app, environment, TransactionID(next), TransactionID(owner), start, end, paid?.milliunits, paid?.currency)
      addStatus(next, app, environment, after: start)
      periods.append((next, end))
      next += 1
      // The next one follows, or after a pause, or overlaps, or begins in the same second.
      switch chance(6) {
      case 0: start = end.adding(seconds: Int64(chance(90 * 86_400)))
      case 1: start = end.adding(seconds: -min(lasts, Int64(chance(10 * 86_400))))
      case 2 where number > 0: break
      default: start = end
      }
    }
    if chance(3) > 0 {
      let period = choose(periods)
      let seconds = Int64(chance(90 * 86_400)) - 5 * Self.day
      let grace: StoreDate? = chance(3) == 0 ? nil : period.ends.adding(seconds: seconds)
      add(
        """
        INSERT INTO subscription_renewal (app, environment, claim, period, product, auto_renew, billing_retry, grace_until, stated)
        VALUES ($1, $2, $3, $4, 'p', 1, 0, $5, 0)
        """, app, environment, TransactionID(owner), TransactionID(period.id), grace)
    }
  }

  private mutating func addPurchase() {
    let type = choose([ProductType.consumable, .nonConsumable, .nonRenewingSubscription])
    let paid = price()
    let (app, environment) = addClaim(next, type, paid)
    let bought = date()
    addStatus(next, app, environment, after: bought)
    next += 1
  }

  /// Adds a customer's accounts, some with more movements than are read at once, and perhaps erases the customer.
  private mutating func addAccounts(_ place: Int) {
    let customer = customers[place]
    for unit in ["coins", "gems"] where chance(3) > 0 {
      let count = choose([1, 3, 20, 120, 400])
      var (movements, balance): ([(date: StoreDate, amount: Int64, balance: Int64)], Int64) = ([], 0)
      var moved = date()
      for _ in 0..<count {
        let drawn = Int64(chance(30)) - 12
        let amount = drawn == 0 ? 5 : drawn
        balance += amount
        movements.append((moved, amount, balance))
        let step = Int64(chance(20 * 86_400))
        // Sometimes the clock was set back.
        moved = min(moved.adding(seconds: chance(15) == 0 ? -step : step), now)
      }
      let app: BundleID = chance(8) == 0 ? "com.example.other" : Self.app
      add(
        "INSERT INTO credit_account (customer, app, unit, balance, movements) VALUES ($1, $2, $3, $4, $5)", customer,
        app, unit, balance, count)
      for (number, movement) in movements.enumerated() {
        add(
          """
          INSERT INTO credit_movement
            (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
          VALUES ($1, $2, $3, $4, $5, $6, 'grants', 'grant', $7, $8)
          """, customer, app, unit, number + 1, movement.amount, movement.balance, "\(number)", movement.date)
      }
    }
    if chance(4) == 0 {
      let erased = date()
      add("UPDATE customer SET erased = $2 WHERE id = $1", customer, erased)
    }
  }
}
