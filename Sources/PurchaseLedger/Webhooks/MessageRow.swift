import StoreModel

/// A row of `ledger_event`, with the records from which its message takes values. Documentation/webhooks.md has the members.
struct MessageRow: Sendable {
  let event: EventRow
  let claim: ClaimPart?
  /// The period of the event's transaction.
  let period: PeriodPart?
  let movement: MovementPart?

  /// A part of a claim that never changes, apart from a price that is filled in.
  struct ClaimPart: Sendable {
    let type: ProductType
    let quantity: Int64
    let purchased: StoreDate
    let unit: CreditUnit?
    let given: Int64
    let price: PurchasePrice?
  }

  struct PeriodPart: Sendable {
    let purchased: StoreDate
    let expires: StoreDate
    let price: PurchasePrice?
    let type: PurchasePeriodType?
  }

  struct MovementPart: Sendable {
    let amount: Int64
    let balance: Int64
    let cause: CreditMovement.Cause
    let key: String
  }

  init(_ row: SQLRow) throws {
    event = try EventRow(row)
    claim = try row.optionalText("claim_type") == nil ? nil : try ClaimPart(row)
    period = try row.optionalInteger("period_purchased") == nil ? nil : try PeriodPart(row)
    movement = try row.optionalInteger("movement_amount") == nil ? nil : try MovementPart(row)
  }
}

extension MessageRow.ClaimPart {
  fileprivate init(_ row: SQLRow) throws {
    type = try row.value("claim_type")
    quantity = try row.integer("claim_quantity")
    purchased = try row.date("claim_purchased")
    unit = try row.optionalValue("claim_unit")
    given = try row.integer("claim_given")
    price = try row.price("claim_price", "claim_currency")
  }
}

extension MessageRow.PeriodPart {
  fileprivate init(_ row: SQLRow) throws {
    purchased = try row.date("period_purchased")
    expires = try row.date("period_expires")
    price = try row.price("period_price", "period_currency")
    type = try row.optionalValue("period_type")
  }
}

extension MessageRow.MovementPart {
  fileprivate init(_ row: SQLRow) throws {
    amount = try row.integer("movement_amount")
    balance = try row.integer("movement_balance")
    cause = try row.value("movement_cause")
    key = try row.text("movement_key")
  }
}

extension LedgerTransaction {
  /// Reads the rows after a place, in a range of the primary key of the events, with one statement.
  ///
  /// - Parameter limit: the maximum number of events.
  func messageRows(after start: LedgerEventPlace, before end: EventEnd, limit: Int) throws -> [MessageRow] {
    if end.isByNumber {
      return try rows(
        Self.messageQuery(
          isByNumber: true, "v.number > $1 AND v.number <= $2 ORDER BY v.number LIMIT $3"),
        start.number, end.place.number, limit
      ).map(MessageRow.init)
    }
    return try rows(
      Self.messageQuery(
        isByNumber: false,
        """
        (v.era, v.writer, v.number) > ($1, $2, $3) AND (v.era, v.writer) < ($4, $5)
        ORDER BY v.era, v.writer, v.number LIMIT $6
        """), start.era, start.writer, start.number, end.place.era, end.place.writer, limit
    ).map(MessageRow.init)
  }

  /// Reads the row of one event; nil if there is none.
  func messageRow(at place: LedgerEventPlace, _ end: EventEnd) throws -> MessageRow? {
    if end.isByNumber {
      return try row(Self.messageQuery(isByNumber: true, "v.number = $1"), place.number).map(MessageRow.init)
    }
    return try row(
      Self.messageQuery(isByNumber: false, "v.era = $1 AND v.writer = $2 AND v.number = $3"), place.era, place.writer,
      place.number
    ).map(MessageRow.init)
  }

  /// The events are chosen first. So each record is found by its primary key, whatever the database knows about the tables.
  private static func messageQuery(isByNumber: Bool, _ condition: String) -> String {
    let place = isByNumber ? "0 AS era, 0 AS writer, v.number" : "v.era, v.writer, v.number"
    return """
      SELECT page.era, page.writer, page.number, page.kind, page.version, page.filled_in, page.date, page.cause, page.app,
        page.environment, page.customer, page.claim, page.transaction_id, page.product, page.unit, page.sequence,
        page.source, page.delivery, page.details, o.subject,
        CASE WHEN o.erased IS NULL THEN 0 ELSE 1 END AS erased,
        c.type AS claim_type, c.quantity AS claim_quantity, c.purchased AS claim_purchased, c.unit AS claim_unit,
        c.given AS claim_given, c.price AS claim_price, c.currency AS claim_currency,
        p.purchased AS period_purchased, p.access_until AS period_expires, p.price AS period_price,
        p.currency AS period_currency, p.period_type,
        m.amount AS movement_amount, m.balance AS movement_balance, m.cause AS movement_cause,
        m.cause_key AS movement_key
      FROM (
        SELECT \(place), v.kind, v.version, v.filled_in, v.date, v.cause, v.app, v.environment, v.customer, v.claim,
          v.transaction_id, v.product, v.unit, v.sequence, v.source, v.delivery, v.details
        FROM ledger_event v WHERE \(condition)
      ) AS page
      LEFT JOIN customer o ON o.id = page.customer
      LEFT JOIN claim c ON c.app = page.app AND c.environment = page.environment AND c.id = page.claim
      LEFT JOIN claim_period p ON p.app = page.app AND p.environment = page.environment AND p.id = page.transaction_id
      LEFT JOIN credit_movement m
        ON m.customer = page.customer AND m.app = page.app AND m.unit = page.unit AND m.sequence = page.sequence
      ORDER BY page.era, page.writer, page.number
      """
  }
}
