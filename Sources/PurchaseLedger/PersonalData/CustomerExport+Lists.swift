import StoreModel

extension CustomerExport {
  private static let lowest = SQLValue.integer(.min)
  private static let noText = SQLValue.text("")

  /// The columns of a refund. The alias of `statement` is `s`.
  private static let refundColumns =
    "s.revoked, s.date AS refunded, s.reason, s.percentage, s.stated AS refund_stated, s.learnt"

  // The rows of the lists that a summary also reads in another order.
  static let installationRows = "SELECT hash, app, device, issued, store_date, revoked FROM bearer_token"
  static let purchaseRows = """
    SELECT c.app, c.environment, c.id, c.product, c.type, c.quantity, c.ownership, c.purchased, c.claimed, c.access_until,
      c.access_days, c.unit, c.given, c.taken, c.shortfall, c.blocks, c.price, c.currency, c.by_device, c.proof, \(refundColumns),
      r.period, r.product AS next_product, r.auto_renew, r.billing_retry, r.grace_until, r.expiration_intent,
      r.price_increase, r.stated AS renewal_stated
    FROM claim c
    LEFT JOIN statement s ON s.app = c.app AND s.environment = c.environment AND s.id = c.id
    LEFT JOIN subscription_renewal r ON r.app = c.app AND r.environment = c.environment AND r.claim = c.id
    """
  static let actionRows = "SELECT date, id, action, subject, detail FROM audit_entry"

  /// The periods of a subscription: those with the ids that `ids` selects for the app `$1` and the environment `$2`.
  ///
  /// The ids come first, from the index of the claim alone. In one step, SQLite would read all periods of the app in the primary
  /// key.
  static func periodRows(of ids: String) -> String {
    """
    SELECT p.app, p.environment, p.claim, p.id, p.product, p.purchased, p.access_until, p.stated, p.price, p.currency,
      p.period_type, \(refundColumns)
    FROM (\(ids)) AS page
    JOIN claim_period p ON p.app = $1 AND p.environment = $2 AND p.id = page.id
    LEFT JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id
    ORDER BY p.id
    """
  }

  /// All lists except the receipts, whose data is read in parts.
  static let lists: [ExportedList] = [
    ExportedList(
      "formerIds", "SELECT id FROM customer WHERE joined_to = $1 AND id > $2 ORDER BY id LIMIT $3", after: [noText]
    ) { row in (try row.customer("id"), [.text(try row.text("id"))]) },
    ExportedList(
      "installations",
      """
      \(installationRows)
      WHERE customer = $1 AND (issued, hash) > ($2, $3) ORDER BY issued, hash LIMIT $4
      """, after: [lowest, noText]
    ) { row in
      (try Installation(row), [.integer(try row.integer("issued")), .text(try row.text("hash"))])
    },
    ExportedList(
      "purchases",
      """
      \(purchaseRows)
      WHERE c.customer = $1 AND (c.app, c.claimed, c.environment, c.id) > ($2, $3, $4, $5)
      ORDER BY c.app, c.claimed, c.environment, c.id LIMIT $6
      """, after: [noText, lowest, noText, noText]
    ) { row in (try Purchase(row), try claimKey(row)) },
    ExportedList(
      "periods", of: claims, after: [noText, lowest, noText, noText],
      periodRows(
        of:
          "SELECT id FROM claim_period WHERE app = $1 AND environment = $2 AND claim = $3 AND id > $4 ORDER BY id LIMIT $5"
      ), after: [noText], arguments: { [$0[0], $0[2], $0[3]] }
    ) { row in (try Period(row), [.text(try row.text("id"))]) },
    transfers("received", "to_customer", "from_customer"),
    transfers("given", "from_customer", "to_customer"),
    ExportedList(
      "entitlements",
      """
      \(LedgerEntitlement.query)
      WHERE e.customer = $1 AND (e.app, e.product, e.source) > ($2, $3, $4) ORDER BY e.app, e.product, e.source LIMIT $5
      """, after: [noText, noText, noText]
    ) { row in
      (
        OwnedProduct(app: try row.identifier("app"), entitlement: try LedgerEntitlement(row)),
        try ["app", "product", "source"].map { .text(try row.text($0)) }
      )
    },
    ExportedList(
      "deliveries",
      """
      SELECT id, app, product, source, begun, ended FROM delivery
      WHERE customer = $1 AND (app, source, id) > ($2, $3, $4) ORDER BY app, source, id LIMIT $5
      """, after: [noText, noText, noText]
    ) { row in (try Delivery(row), try ["app", "source", "id"].map { .text(try row.text($0)) }) },
    ExportedList(
      "accounts",
      """
      SELECT app, unit, balance, movements, blocked FROM credit_account
      WHERE customer = $1 AND (app, unit) > ($2, $3) ORDER BY app, unit LIMIT $4
      """, after: [noText, noText]
    ) { row in (try Account(row), try ["app", "unit"].map { .text(try row.text($0)) }) },
    ExportedList(
      "movements",
      """
      SELECT app, unit, sequence, amount, balance, counter_account, cause, cause_key, date FROM credit_movement
      WHERE customer = $1 AND (app, unit, sequence) > ($2, $3, $4) ORDER BY app, unit, sequence LIMIT $5
      """, after: [noText, noText, lowest]
    ) { row in
      (
        Movement(app: try row.identifier("app"), unit: try row.value("unit"), movement: try CreditMovement(row)),
        [.text(try row.text("app")), .text(try row.text("unit")), .integer(try row.integer("sequence"))]
      )
    },
    ExportedList(
      "consents",
      "SELECT app, consumption, changed FROM customer_consent WHERE customer = $1 AND app > $2 ORDER BY app LIMIT $3",
      after: [noText]
    ) { row in (try Consent(row), [.text(try row.text("app"))]) },
    ExportedList(
      "consumptionRequests", of: claims, after: [noText, lowest, noText, noText],
      """
      SELECT app, \(RecordedConsumptionRequest.columns) FROM consumption_request
      WHERE app = $1 AND environment = $2 AND claim = $3 AND uuid > $4 ORDER BY uuid LIMIT $5
      """, after: [noText], arguments: { [$0[0], $0[2], $0[3]] }
    ) { row in (try RequestedConsumption(row), [.text(try row.text("uuid"))]) },
    // With `subject = $1`, PostgreSQL would read all entries by date if most of the entries it knows are of one customer.
    ExportedList(
      "operatorActions", of: ids, after: [noText],
      """
      \(actionRows)
      WHERE subject <= $1 AND (subject, date, id) > ($1, $2, $3) ORDER BY subject, date, id LIMIT $4
      """, after: [lowest, noText]
    ) { row in (try OperatorAction(row), [.integer(try row.integer("date")), .text(try row.text("id"))]) },
  ]

  /// - Parameters:
  ///   - own: the column with this customer's id.
  ///   - other: the column with the other customer's id, which is not exported.
  private static func transfers(_ direction: String, _ own: String, _ other: String) -> ExportedList {
    ExportedList(
      "transfers", of: ids, after: [noText],
      """
      SELECT app, environment, id, date, \(own) AS own, \(other) AS other, by_device, '\(direction)' AS direction
      FROM claim_transfer
      WHERE \(own) <= $1 AND (\(own), app, environment, id, date, \(other)) > ($1, $2, $3, $4, $5, $6)
      ORDER BY \(own), app, environment, id, date, \(other) LIMIT $7
      """, after: [noText, noText, noText, lowest, noText]
    ) { row in
      let key = try ["app", "environment", "id"].map { SQLValue.text(try row.text($0)) }
      return (try Transfer(row), key + [.integer(try row.integer("date")), .text(try row.text("other"))])
    }
  }

  /// The keys of the customer's claims.
  private static func claims(
    _ transaction: LedgerTransaction, _ customer: CustomerID, _ key: [SQLValue], _ limit: Int
  ) throws -> [[SQLValue]] {
    try transaction.rows(
      """
      SELECT app, claimed, environment, id FROM claim
      WHERE customer = $1 AND (app, claimed, environment, id) >= ($2, $3, $4, $5)
      ORDER BY app, claimed, environment, id LIMIT $6
      """, arguments: [customer.sqlValue] + key + [limit.sqlValue]
    ).map(claimKey)
  }

  private static func claimKey(_ row: SQLRow) throws -> [SQLValue] {
    [
      .text(try row.text("app")), .integer(try row.integer("claimed")), .text(try row.text("environment")),
      .text(try row.text("id")),
    ]
  }

  /// The customer's present id, and then the former ids.
  private static func ids(
    _ transaction: LedgerTransaction, _ customer: CustomerID, _ key: [SQLValue], _ limit: Int
  ) throws -> [[SQLValue]] {
    let isFirst = key == [noText] || key == [customer.sqlValue]
    let own = isFirst ? [[customer.sqlValue]] : []
    let former = try transaction.rows(
      "SELECT id FROM customer WHERE joined_to = $1 AND id >= $2 ORDER BY id LIMIT $3",
      arguments: [customer.sqlValue] + (isFirst ? [noText] : key) + [(limit - own.count).sqlValue])
    return try own + former.map { [.text(try $0.text("id"))] }
  }
}
