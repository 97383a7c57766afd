import StoreModel

extension LedgerTransaction {
  /// The number of rows that are read at a time.
  static let passPage = 128

  /// Computes and stores the end of access of the passes (non-renewing subscriptions) that a schedule names, and of those
  /// that follow them. Writes only rows that change. Passes whose entitlement has ended are skipped. Unscheduled changes of the
  /// same products are included.
  func apply(_ schedule: PassSchedule) throws {
    for (passes, places) in schedule.changed {
      try require(.customer(passes.customer))
      var places = try places.union(takeUnscheduled(passes)).sorted()[...]
      while let first = places.first {
        let last = try reschedule(passes, from: first, changed: places)
        places = places.drop { $0 <= last }
      }
    }
  }

  /// Schedules passes from `first` on, until a period after all read changes stays the same.
  ///
  /// - Returns: the place up to which the passes were scheduled. All changes up to there are taken into account.
  private func reschedule(
    _ passes: PassSchedule.Passes, from first: PassSchedule.Place, changed: ArraySlice<PassSchedule.Place>
  ) throws -> PassSchedule.Place {
    var (end, place, isFirstPage) = (try passEnd(before: first, of: passes), first, true)
    while true {
      let rows = try passRows(passes, isFirstPage ? ">=" : ">", place, "e.begun, e.source", limit: Self.passPage)
      // The last pass of the page, if its period stays the same. Then all periods after it do, up to the next change. Grants
      // may follow it in the page, and changes between them.
      var unchanged: PassSchedule.Place?
      for row in rows {
        guard let days = row.days else { continue }
        let until = PassSchedule.end(purchased: row.place.purchased, days: days, after: end)
        unchanged = row.claimUntil == until && row.until == until ? row.place : nil
        if unchanged == nil { try setPassEnd(until, of: row, passes) }
        end = until
      }
      guard let last = rows.last?.place, rows.count == Self.passPage else {
        return max(place, rows.last?.place ?? place, changed.last ?? place)
      }
      if let unchanged { return unchanged }
      (place, isFirstPage) = (last, false)
    }
  }

  /// Returns the end of the last active period before `place`; nil if there is none.
  private func passEnd(before place: PassSchedule.Place, of passes: PassSchedule.Passes) throws -> StoreDate? {
    var (place, limit) = (place, 1)
    while true {
      let rows = try passRows(passes, "<", place, "e.begun DESC, e.source DESC", limit: limit)
      if let pass = rows.first(where: { $0.days != nil }) { return pass.until }
      guard let last = rows.last, rows.count == limit else { return nil }
      (place, limit) = (last.place, Self.passPage)
    }
  }

  /// Returns a page of the entitlements that have not ended, in the order of purchase.
  ///
  /// The claim is read by subqueries: a join could make the database read all claims of the app.
  private func passRows(
    _ passes: PassSchedule.Passes, _ comparison: String, _ place: PassSchedule.Place, _ order: String, limit: Int
  ) throws -> [PassRow] {
    let claim = """
      FROM claim c
      WHERE c.app = e.app AND c.id = e.source AND c.environment IN ('Production', 'Sandbox', 'Xcode')
        AND (c.customer = e.customer) IS TRUE AND c.product = e.product AND c.access_days IS NOT NULL LIMIT 1
      """
    return try rows(
      """
      SELECT e.begun, e.source, e.access_until, (SELECT c.access_days \(claim)) AS access_days,
        (SELECT c.access_until \(claim)) AS claim_until
      FROM entitlement e
      WHERE e.customer = $1 AND e.app = $2 AND e.product = $3 AND e.ended IS NULL AND (e.begun, e.source) \(comparison) ($4, $5)
      ORDER BY \(order) LIMIT $6
      """, passes.customer, passes.app, passes.product, place.purchased, place.source, limit
    ).map(PassRow.init)
  }

  private func setPassEnd(_ until: StoreDate, of row: PassRow, _ passes: PassSchedule.Passes) throws {
    try executeLater(
      """
      UPDATE claim SET access_until = $4 WHERE app = $1 AND id = $2 AND environment IN ('Production', 'Sandbox', 'Xcode')
        AND (customer = $3) IS TRUE AND access_days IS NOT NULL
      """, passes.app, row.place.source, passes.customer, until)
    try executeLater(
      """
      UPDATE entitlement SET access_until = $5, changed = $6, cause = $7
      WHERE customer = $1 AND app = $2 AND product = $3 AND source = $4
      """, passes.customer, passes.app, passes.product, row.place.source, until, change?.date, change?.cause)
  }
}

/// An entitlement, with the ends of access that are stored for it.
private struct PassRow {
  let place: PassSchedule.Place
  let until: StoreDate?
  /// Nil if the entitlement is no pass, but an operator's grant of the product.
  let days: Int64?
  let claimUntil: StoreDate?

  init(_ row: SQLRow) throws {
    place = PassSchedule.Place(purchased: try row.date("begun"), source: try row.text("source"))
    until = try row.optionalDate("access_until")
    days = try row.optionalInteger("access_days")
    claimUntil = try row.optionalDate("claim_until")
  }
}
