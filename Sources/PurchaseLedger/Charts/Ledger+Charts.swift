import StoreModel

extension Ledger {
  /// The number of rows that a chart reads at once. Other requests wait for one page at most.
  enum ChartLimit {
    static let rows = 1_000
    static let accounts = 100
    /// The movements of each account that are read with the account.
    static let movements = 50
  }

  /// Makes a chart from the ledger's rows. Documentation/charts.md defines its numbers, and says what is read.
  ///
  /// It is read in pages, each with its own transaction. If the task is cancelled, it ends after the page.
  ///
  /// - Throws: ``LedgerError``: `unknownApp`; `invalid` if the range has no months, more than 36 or a month that has not begun, or if
  ///   the chart has no such currency or environment; ``LedgerDatabaseError``; `CancellationError`.
  public func chart(_ name: ChartName, _ request: ChartRequest) async throws -> Chart {
    _ = try settings(of: request.app)
    try request.check(for: name)
    // Movements of credits have dates of the ledger's clock, purchases of the store's.
    let date = name == .creditsOutstanding ? clock.now : now
    let range = try ChartRange(from: request.from, until: request.until, now: date)
    let scope = ChartScope(app: request.app, environment: request.environment ?? .production)
    let series = try await series(of: name, scope, range, currency: request.currency)
    return Chart(
      name: name, app: scope.app, environment: name.hasEnvironment ? scope.environment : nil, from: range.months[0],
      until: range.months[range.months.count - 1], date: date, series: series)
  }

  private func series(
    of name: ChartName, _ scope: ChartScope, _ range: ChartRange, currency: String?
  ) async throws -> [ChartSeries] {
    switch name {
    case .activeSubscriptions: return [try await moments(of: scope, range).active()]
    case .churn: return [try await moments(of: scope, range).churn()]
    case .recurringRevenue:
      var revenue = RecurringRevenue(range, currency: currency)
      try await readPeriods(of: scope, endingFrom: range.begins) { revenue.add($0) }
      return revenue.series()
    case .trialsToPaid:
      var trials = TrialCounts(range)
      try await readPages(from: .before(range.begins)) { transaction, position in
        try transaction.chartTrials(of: scope, after: position, in: range, limit: ChartLimit.rows)
      } _: {
        trials.add($0)
      }
      return [trials.series()]
    case .refunds:
      var refunds = RefundSums(range, currency: currency)
      try await readPages(from: .before(range.begins)) { transaction, position in
        try transaction.chartRefunds(of: scope, after: position, before: range.ends, limit: ChartLimit.rows)
      } _: {
        refunds.add($0)
      }
      return refunds.series()
    case .creditsOutstanding: return try await credits(of: scope.app, range).series()
    }
  }

  private func moments(of scope: ChartScope, _ range: ChartRange) async throws -> SubscriptionMoments {
    var moments = SubscriptionMoments(range)
    // A grace period can reach into the range.
    let start = range.moments[0].adding(milliseconds: -ChartPeriod.longestGraceMilliseconds)
    try await readPeriods(of: scope, endingFrom: start) { moments.add($0) }
    return moments
  }

  private func readPeriods(
    of scope: ChartScope, endingFrom date: StoreDate, _ use: (ChartPeriod) -> Void
  ) async throws {
    try await readPages(from: .before(date)) { transaction, position in
      try transaction.chartPeriods(of: scope, after: position, limit: ChartLimit.rows)
    } _: {
      use($0)
    }
  }

  private func credits(of app: BundleID, _ range: ChartRange) async throws -> OutstandingCredits {
    var credits = OutstandingCredits(range)
    let moments = credits.moments
    var position: ChartAccountPosition? = .start
    while let place = position {
      let page = try await readPage { transaction in
        try transaction.chartAccounts(
          of: app, after: place, since: moments[0], limit: ChartLimit.accounts, movementLimit: ChartLimit.movements)
      }
      for account in page.rows { credits.add(account, try await balances(of: account, at: moments)) }
      position = page.next
    }
    return credits
  }

  /// Returns the balances of an account, for which older movements are read as far as they are needed.
  private func balances(of account: ChartAccount, at moments: [StoreDate]) async throws -> [Int64] {
    var walk = BalanceWalk(moments)
    for movement in account.movements { walk.add(movement.date, balance: movement.balance) }
    var lowest = account.lowest
    while !walk.isComplete, lowest > 1 {
      let sequence = lowest
      let older = try await readPage { transaction in
        try transaction.chartMovements(of: account.account, before: sequence, limit: ChartLimit.rows)
      }
      guard let oldest = older.last else { break }
      for movement in older { walk.add(movement.date, balance: movement.balance) }
      lowest = oldest.sequence
    }
    return walk.balances
  }

  // MARK: Pages

  /// Reads all pages, and calls `use` with each row.
  private func readPages<Row: Sendable>(
    from first: ChartPosition,
    _ read: @escaping @Sendable (LedgerTransaction, ChartPosition) throws -> ChartPage<Row, ChartPosition>,
    _ use: (Row) -> Void
  ) async throws {
    var position: ChartPosition? = first
    while let place = position {
      let page = try await readPage { try read($0, place) }
      for row in page.rows { use(row) }
      position = page.next
    }
  }

  /// Runs a short read, when all charts and exports that wait have had their turns.
  private func readPage<Value: Sendable>(
    _ read: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await exportTurns.run(for: .page) { try await database.read(read) }
  }
}
