import StoreModel

extension Ledger {
  /// Returns events in the order of their commits, all of one moment. No event that is committed later comes before the page's end.
  ///
  /// - Parameters:
  ///   - cursor: where the page begins; nil for the beginning.
  ///   - limit: the maximum number of events: 1 to 1,000.
  ///   - app: only events of this app, which must be configured; nil for all events. The page then reads at most 1,000 events, so it
  ///     can have fewer than `limit`, or none, although there are more.
  /// - Throws: ``LedgerError``: `invalid`, `unknownApp`; `unknownCursor` if the cursor is of another ledger, or of a time that this
  ///   copy of the ledger has lost.
  public func events(
    after cursor: LedgerEventCursor? = nil, limit: Int, app: BundleID? = nil
  ) async throws -> LedgerEventPage {
    guard (1...LedgerEventPage.largest).contains(limit) else {
      throw LedgerError.invalid("A page has 1 to 1,000 events.")
    }
    if let app { _ = try settings(of: app) }
    return try await exportTurns.run(for: .page) {
      try await database.read { transaction in
        let end = try transaction.eventEnd()
        let start = try end.place(after: cursor)
        let rows = try transaction.events(
          after: start, before: end, limit: app == nil ? limit : LedgerEventPage.largest)
        var shown: [EventRow] = []
        var last: EventRow?
        for row in rows {
          if app == nil || row.app == app { shown.append(row) }
          last = row
          if shown.count == limit { break }
        }
        return LedgerEventPage(
          events: try transaction.withRecords(shown, end),
          next: last.map { LedgerEventCursor(generation: end.generation(of: $0.place), $0.place) }
            ?? cursor ?? LedgerEventCursor(generation: end.ids[0], .start))
      }
    }
  }
}

/// Up to where events can be read.
struct EventEnd: Sendable {
  /// The ids of all generations, in their order.
  let ids: [String]
  /// The first place that cannot be read yet; in SQLite, the last event.
  let place: LedgerEventPlace
  /// Whether the order is that of `number`, as in SQLite.
  let isByNumber: Bool

  /// Returns the place after which a page begins.
  ///
  /// - Throws: ``LedgerError/unknownCursor``.
  func place(after cursor: LedgerEventCursor?) throws(LedgerError) -> LedgerEventPlace {
    guard let cursor else { return .start }
    let place = cursor.place
    if place == .start, ids.contains(cursor.generation) { return place }
    let isPast =
      isByNumber
      ? place.number <= self.place.number && place.era == 0 && place.writer == 0
      : (place.era, place.writer) < (self.place.era, self.place.writer)
    guard isPast, let number = number(of: place), ids[number] == cursor.generation else { throw .unknownCursor }
    return place
  }

  /// Returns the id of the generation in which an event was recorded.
  func generation(of place: LedgerEventPlace) -> String { number(of: place).map { ids[$0] } ?? ids[0] }

  /// Returns the index of the generation of a place; nil if there is no such generation.
  private func number(of place: LedgerEventPlace) -> Int? {
    let number = isByNumber ? Int(place.number >> 40) : Int(place.era >> 32) - 1
    return ids.indices.contains(number) ? number : nil
  }
}

extension LedgerTransaction {
  /// Returns up to where events can be read now.
  func eventEnd() throws -> EventEnd {
    let row = try row("SELECT generation, ids, era, writer, number, by_number FROM ledger_event_end")
    guard let row else { throw LedgerDatabaseError.unexpectedRow("the ledger's generation is not there") }
    let ids = try row.text("ids").split(separator: " ").map(String.init)
    guard try ids.count == row.integer("generation"), !ids.isEmpty else {
      throw LedgerDatabaseError.unexpectedRow("the ledger's generations are not as many as their number")
    }
    return EventEnd(
      ids: ids,
      place: LedgerEventPlace(
        era: try row.integer("era"), writer: try row.integer("writer"), number: try row.integer("number")),
      isByNumber: try row.flag("by_number"))
  }

  /// Reads the rows after a place, in a range of the table's primary key.
  fileprivate func events(after start: LedgerEventPlace, before end: EventEnd, limit: Int) throws -> [EventRow] {
    let columns = """
      e.number, e.kind, e.version, e.filled_in, e.date, e.cause, e.app, e.environment, e.customer, e.claim, e.transaction_id,
      e.product, e.unit, e.sequence, e.source, e.delivery, e.details, c.subject,
      CASE WHEN c.erased IS NULL THEN 0 ELSE 1 END AS erased
      """
    if end.isByNumber {
      return try rows(
        """
        SELECT 0 AS era, 0 AS writer, \(columns) FROM ledger_event e LEFT JOIN customer c ON c.id = e.customer
        WHERE e.number > $1 ORDER BY e.number LIMIT $2
        """, start.number, limit
      ).map(EventRow.init)
    }
    return try rows(
      """
      SELECT e.era, e.writer, \(columns) FROM ledger_event e LEFT JOIN customer c ON c.id = e.customer
      WHERE (e.era, e.writer, e.number) > ($1, $2, $3) AND (e.era, e.writer) < ($4, $5)
      ORDER BY e.era, e.writer, e.number LIMIT $6
      """, start.era, start.writer, start.number, end.place.era, end.place.writer, limit
    ).map(EventRow.init)
  }
}

/// A row of `ledger_event`.
struct EventRow: Sendable {
  let place: LedgerEventPlace
  let type: String
  let version: Int64
  let date: StoreDate
  let isFilledIn: Bool
  let causeName: String?
  let app: BundleID?
  let environment: StoreEnvironment?
  let customer: CustomerID?
  let isErased: Bool
  let subject: String?
  let claim: TransactionID?
  let transactionID: TransactionID?
  let product: ProductID?
  let unit: CreditUnit?
  let sequence: Int64?
  let source: String?
  let delivery: String?
  let details: String?

  var kind: LedgerEventKind? { LedgerEventKind(type, version: version) }

  init(_ row: SQLRow) throws {
    place = LedgerEventPlace(
      era: try row.integer("era"), writer: try row.integer("writer"), number: try row.integer("number"))
    (type, version) = (try row.text("kind"), try row.integer("version"))
    (date, isFilledIn) = (try row.date("date"), try row.flag("filled_in"))
    causeName = try row.optionalText("cause")
    app = try row.optionalText("app").map(BundleID.init(rawValue:))
    environment = try row.optionalText("environment").flatMap { StoreEnvironment(rawValue: $0) }
    customer = try row.optionalText("customer").flatMap { CustomerID($0) }
    isErased = try row.flag("erased")
    subject = try row.optionalText("subject")
    claim = try row.optionalText("claim").flatMap { TransactionID(rawValue: $0) }
    transactionID = try row.optionalText("transaction_id").flatMap { TransactionID(rawValue: $0) }
    product = try row.optionalText("product").map(ProductID.init(rawValue:))
    unit = try row.optionalText("unit").flatMap { CreditUnit(rawValue: $0) }
    sequence = try row.optionalInteger("sequence")
    (source, delivery) = (try row.optionalText("source"), try row.optionalText("delivery"))
    details = try row.optionalText("details")
  }
}
