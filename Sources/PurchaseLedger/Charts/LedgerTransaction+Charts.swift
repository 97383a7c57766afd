import StoreModel

/// The purchases that a chart is about.
struct ChartScope: Hashable, Sendable {
  let app: BundleID
  let environment: StoreEnvironment
}

/// A page of what a chart reads.
struct ChartPage<Row: Sendable, Position: Sendable>: Sendable {
  let rows: [Row]
  /// Where the next page begins; nil if this is the last one.
  let next: Position?
}

/// A place among rows that are ordered by a date and an id.
struct ChartPosition: Hashable, Sendable {
  let date: StoreDate
  let id: String

  /// Before all rows with this date.
  static func before(_ date: StoreDate) -> ChartPosition { ChartPosition(date: date, id: "") }
}

/// A place among the credit accounts of all apps, in the order of their primary key.
struct ChartAccountPosition: Hashable, Sendable {
  let customer: String
  let app: String
  let unit: String

  static let start = ChartAccountPosition(customer: "", app: "", unit: "")
}

/// The statements of charts. Each reads a page of one table in the order of an index, and then what belongs to its rows, by primary
/// keys. The page is cut first, so that a statement reads few rows whatever is in the other tables.
enum ChartStatement {
  /// The next periods by their ends. `$1` and `$2` are the scope, `$3` and `$4` the place before, `$5` the number of rows.
  private static let page = """
    SELECT app, environment, id, claim, purchased, access_until, price, currency FROM claim_period
    WHERE app = $1 AND environment = $2 AND (access_until, id) > ($3, $4) ORDER BY access_until, id LIMIT $5
    """

  private static let claim = """
    LEFT JOIN claim c ON c.app = p.app AND c.environment = p.environment AND c.id = p.claim
    """

  static let periods = """
    SELECT p.id, p.claim, p.purchased, p.access_until, p.price, p.currency, c.type, c.ownership, s.date AS refunded,
      s.percentage, r.grace_until
    FROM (\(page)) p
    \(claim)
    LEFT JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 1
    LEFT JOIN subscription_renewal r
      ON r.app = p.app AND r.environment = p.environment AND r.claim = p.claim AND r.period = p.id
    ORDER BY p.access_until, p.id
    """

  /// `$6` and `$7` are the range of the trials' beginnings, `$8` is now. Only for a row that may be a trial, the other periods of its
  /// subscription are looked up.
  static let trials = """
    SELECT p.id, p.access_until, p.purchased, c.type, c.ownership,
      CASE WHEN p.purchased >= $6 AND p.purchased < $7 AND \(lasts("p"))
        AND (p.price IS NULL OR p.price = 0)
        AND NOT \(otherPeriod("(o.purchased, length(o.id), o.id) < (p.purchased, length(p.id), p.id)"))
      THEN CASE
        WHEN p.price IS NULL THEN 'priceUnknown'
        WHEN \(otherPeriod("o.price > 0")) THEN 'converted'
        WHEN \(otherPeriod("o.price IS NULL")) THEN 'outcomeUnknown'
        WHEN \(otherPeriod("o.access_until > $8")) THEN 'running'
        WHEN EXISTS (
          SELECT 1 FROM subscription_renewal r
          WHERE r.app = p.app AND r.environment = p.environment AND r.claim = p.claim AND r.grace_until > $8)
        THEN 'running'
        ELSE 'lapsed' END
      END AS outcome
    FROM (\(page)) p
    \(claim)
    ORDER BY p.access_until, p.id
    """

  /// The next refunds by their dates, before `$5`. `$6` is the number of rows.
  static let refunds = """
    SELECT s.id, s.date, s.percentage, p.id AS period, p.price AS period_price, p.currency AS period_currency, c.type,
      c.ownership, c.price, c.currency
    FROM (
      SELECT app, environment, id, date, percentage FROM statement
      WHERE app = $1 AND environment = $2 AND revoked = 1 AND (date, id) > ($3, $4) AND date < $5
      ORDER BY date, id LIMIT $6
    ) s
    LEFT JOIN claim_period p ON p.app = s.app AND p.environment = s.environment AND p.id = s.id
    LEFT JOIN claim c ON c.app = s.app AND c.environment = s.environment AND c.id = COALESCE(p.claim, s.id)
    ORDER BY s.date, s.id
    """

  /// The next accounts of all apps after `$1` to `$3`; `$4` is their number. Those of the app `$5` that have moved after `$6` come with
  /// their newest `$7` movements, a row for each. The last movement's number is the number of movements.
  static let accounts = """
    SELECT a.customer, a.app, a.unit, a.balance AS last_balance, k.erased, l.sequence AS last_sequence, l.date AS last_date,
      m.sequence, m.date, m.balance
    FROM (
      SELECT customer, app, unit, balance, movements FROM credit_account
      WHERE (customer, app, unit) > ($1, $2, $3) ORDER BY customer, app, unit LIMIT $4
    ) a
    JOIN customer k ON k.id = a.customer
    LEFT JOIN credit_movement l
      ON l.customer = a.customer AND l.app = a.app AND l.unit = a.unit AND l.sequence = a.movements
    LEFT JOIN credit_movement m
      ON m.customer = a.customer AND m.app = a.app AND m.unit = a.unit AND m.sequence > a.movements - $7
        AND a.app = $5 AND l.date > $6
    ORDER BY a.customer, a.app, a.unit, m.sequence DESC
    """

  static let movements = """
    SELECT sequence, date, balance FROM credit_movement
    WHERE customer = $1 AND app = $2 AND unit = $3 AND sequence < $4 ORDER BY sequence DESC LIMIT $5
    """

  private static func lasts(_ period: String) -> String {
    "\(period).access_until - \(period).purchased >= \(ChartPeriod.shortestMilliseconds)"
  }

  /// A condition: the subscription of `p` has a period `o` that counts and meets another condition. It can be `p` itself.
  ///
  /// SQLite uses the index of a claim's periods only for `k`, because it needs no other columns of `k`. For `o` alone, it would read
  /// all periods of the app. `CROSS JOIN` keeps it from beginning with `o`.
  private static func otherPeriod(_ condition: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM claim_period k CROSS JOIN claim_period o
      WHERE k.app = p.app AND k.environment = p.environment AND k.claim = p.claim
        AND o.app = k.app AND o.environment = k.environment AND o.id = k.id AND \(lasts("o")) AND \(condition))
    """
  }
}

extension LedgerTransaction {
  /// Reads the next periods by their ends. Those that do not count are left out.
  func chartPeriods(
    of scope: ChartScope, after position: ChartPosition, limit: Int
  ) throws -> ChartPage<ChartPeriod, ChartPosition> {
    let rows = try rows(
      ChartStatement.periods, scope.app, scope.environment, position.date, position.id, limit)
    return ChartPage(
      rows: try rows.compactMap(ChartPeriod.init(row:)), next: try rows.next(by: "access_until", limit))
  }

  /// Reads the next periods by their ends, and returns those that begin in a range and are a trial, or may be one.
  func chartTrials(
    of scope: ChartScope, after position: ChartPosition, in range: ChartRange, limit: Int
  ) throws -> ChartPage<ChartTrial, ChartPosition> {
    let rows = try rows(
      ChartStatement.trials, scope.app, scope.environment, position.date, position.id, limit, range.begins, range.ends,
      range.now)
    let trials = try rows.compactMap { row -> ChartTrial? in
      guard try row.isSoldSubscription, try row.optionalText("outcome") != nil else { return nil }
      return ChartTrial(purchased: try row.date("purchased"), outcome: try row.value("outcome"))
    }
    return ChartPage(rows: trials, next: try rows.next(by: "access_until", limit))
  }

  /// Reads the next refunds by their dates. Those that do not count are left out.
  func chartRefunds(
    of scope: ChartScope, after position: ChartPosition, before end: StoreDate, limit: Int
  ) throws -> ChartPage<ChartRefund, ChartPosition> {
    let rows = try rows(
      ChartStatement.refunds, scope.app, scope.environment, position.date, position.id, end, limit)
    return ChartPage(rows: try rows.compactMap(ChartRefund.init(row:)), next: try rows.next(by: "date", limit))
  }

  /// Reads the next accounts of all apps, and returns those of one app.
  ///
  /// - Parameters:
  ///   - moment: the first moment whose balance is wanted.
  ///   - movementLimit: the maximum number of movements of each account.
  func chartAccounts(
    of app: BundleID, after position: ChartAccountPosition, since moment: StoreDate, limit: Int, movementLimit: Int
  ) throws -> ChartPage<ChartAccount, ChartAccountPosition> {
    let rows = try rows(
      ChartStatement.accounts, position.customer, position.app, position.unit, limit, app, moment, movementLimit)
    var accounts: [ChartAccount] = []
    var last: ChartAccountPosition?
    var count = 0
    for row in rows {
      let place = ChartAccountPosition(
        customer: try row.text("customer"), app: try row.text("app"), unit: try row.text("unit"))
      let isNew = place != last
      if isNew { count += 1 }
      last = place
      guard place.app == app.rawValue else { continue }
      if isNew { accounts.append(try ChartAccount(row: row)) }
      // The first row of an account has its last movement, which is there already.
      guard let sequence = try row.optionalInteger("sequence"), sequence < accounts[accounts.count - 1].lowest else {
        continue
      }
      accounts[accounts.count - 1].movements.append(
        ChartAccount.Movement(
          sequence: sequence, date: try row.date("date"), balance: try row.integer("balance")))
    }
    return ChartPage(rows: accounts, next: count < limit ? nil : last)
  }

  /// Reads older movements of an account, the newest of them first.
  func chartMovements(
    of account: CreditAccount, before sequence: Int64, limit: Int
  ) throws -> [ChartAccount.Movement] {
    try rows(ChartStatement.movements, account.customer, account.app, account.unit, sequence, limit).map { row in
      ChartAccount.Movement(
        sequence: try row.integer("sequence"), date: try row.date("date"), balance: try row.integer("balance"))
    }
  }
}

extension [SQLRow] {
  /// Where the next page begins; nil if this page has fewer rows than it could have.
  fileprivate func next(by date: String, _ limit: Int) throws -> ChartPosition? {
    guard count == limit, let last else { return nil }
    return ChartPosition(date: try last.date(date), id: try last.text("id"))
  }
}

extension SQLRow {
  /// Whether the row's purchase was redeemed, and bought by its owner.
  fileprivate var isSold: Bool {
    get throws { try optionalText("ownership") == OwnershipType.purchased.rawValue }
  }

  fileprivate var isSubscription: Bool {
    get throws { try optionalText("type") == ProductType.autoRenewableSubscription.rawValue }
  }

  fileprivate var isSoldSubscription: Bool {
    get throws {
      let (isSold, isSubscription) = (try isSold, try isSubscription)
      return isSold && isSubscription
    }
  }
}

extension ChartPeriod {
  /// Nil if the period does not count.
  fileprivate init?(row: SQLRow) throws {
    let (purchased, accessUntil) = (try row.date("purchased"), try row.date("access_until"))
    let length = accessUntil.millisecondsSince1970 - purchased.millisecondsSince1970
    guard try row.isSoldSubscription, length >= Self.shortestMilliseconds else { return nil }
    let percentage = try row.optionalInteger("percentage")
    let refunded = try row.optionalDate("refunded")
    self.init(
      claim: try row.value("claim"), purchased: purchased, accessUntil: accessUntil,
      price: try row.price(),
      refund: percentage.map { Refund(date: refunded, percentage: $0) },
      graceUntil: try row.optionalDate("grace_until"))
  }
}

extension ChartRefund {
  /// Nil if the refund does not count.
  fileprivate init?(row: SQLRow) throws {
    guard try row.isSold else { return nil }
    let isPeriod = try row.optionalText("period") != nil
    // The status of a subscription's first period has the claim's id, and is about the period.
    guard try row.isSubscription == isPeriod else { return nil }
    let price = isPeriod ? try row.price("period_price", "period_currency") : try row.price()
    self.init(date: try row.date("date"), percentage: try row.integer("percentage"), price: price)
  }
}

extension ChartAccount {
  /// The number of the oldest movement that was read; 0 if there is none.
  var lowest: Int64 { movements.last?.sequence ?? 0 }

  /// The account of a row, with its last movement.
  fileprivate init(row: SQLRow) throws {
    let account = CreditAccount(
      customer: try row.customer("customer"), app: try row.identifier("app"), unit: try row.value("unit"))
    var movements: [Movement] = []
    if let last = try row.optionalInteger("last_sequence") {
      movements.append(
        Movement(
          sequence: last, date: try row.date("last_date"), balance: try row.integer("last_balance")))
    }
    self.init(account: account, erased: try row.optionalDate("erased"), movements: movements)
  }
}
