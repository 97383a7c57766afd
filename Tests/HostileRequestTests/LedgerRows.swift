import StoreModel

/// The SQL that gives one customer rows in every table of a ledger. It runs in SQLite and in PostgreSQL.
struct LedgerRows {
  static let app = HostileServer.app
  let customer: String
  /// Whether operators' keys and products are added as well, which belong to no customer.
  let hasOperators: Bool

  /// Adds the rows of the numbers in `range`. Each number is a claim, and everything that belongs to it.
  func statements(adding range: Range<Int>) -> [String] {
    func insert(_ columns: String, _ values: String, where condition: String = "TRUE") -> String {
      """
      WITH RECURSIVE n(i) AS (SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(range.upperBound - 1))
      INSERT INTO \(columns) SELECT \(values) FROM n WHERE \(condition)
      """
    }
    let former = "'00000000-0000-4000-8000-' || CAST(100000000000 + i AS TEXT)"
    let claim = "CAST(2000000000000 + i AS TEXT)"
    let period = "CAST(3000000000000 + i AS TEXT)"
    let app = "'\(Self.app)'"
    let customer = "'\(customer)'"
    return [
      insert("customer (id, created, joined_to)", "\(former), 0, \(customer)"),
      insert("bearer_token (hash, customer, app, issued)", "'t' || CAST(i AS TEXT), \(customer), \(app), i"),
      insert(
        "claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)",
        """
        \(app), 'Sandbox', \(claim), \(customer), 'p' || CAST(i % 2 AS TEXT),
        CASE WHEN i % 2 = 0 THEN 'Auto-Renewable Subscription' ELSE 'Non-Consumable' END, 1, 'PURCHASED', i, 0
        """),
      insert(
        "claim_period (app, environment, id, claim, product, purchased, access_until, stated)",
        "\(app), 'Sandbox', \(period), \(claim), 'p0', i, 253402300799999, 0", where: "i % 2 = 0"),
      insert(
        "statement (app, environment, id, revoked, percentage, stated, learnt)",
        "\(app), 'Sandbox', \(claim), 0, 0, 0, 0"),
      // A subscription without a status of a period counts as refunded.
      insert(
        "statement (app, environment, id, revoked, percentage, stated, learnt)",
        "\(app), 'Sandbox', \(period), 0, 0, 0, 0", where: "i % 2 = 0"),
      insert(
        "subscription_renewal (app, environment, claim, period, product, auto_renew, billing_retry, stated)",
        "\(app), 'Sandbox', \(claim), \(period), 'p0', 1, 0, 0", where: "i % 2 = 0"),
      insert(
        "claim_transfer (app, environment, id, date, from_customer, to_customer)",
        "\(app), 'Sandbox', \(claim), 0, \(former), \(customer)"),
      insert(
        "entitlement (customer, app, product, source, origin, begun)",
        "\(customer), \(app), 'p' || CAST(i % 2 AS TEXT), \(claim), 'purchased', i"),
      insert(
        "delivery (id, customer, app, product, source, begun)",
        "'10000000-0000-4000-8000-' || CAST(100000000000 + i AS TEXT), \(customer), \(app), 'p1', \(claim), i",
        where: "i % 2 = 1"),
      """
      INSERT INTO credit_account (customer, app, unit, balance, movements)
      VALUES (\(customer), \(app), 'coins', \(range.upperBound - 1), \(range.upperBound - 1)000)
      ON CONFLICT (customer, app, unit) DO UPDATE SET balance = excluded.balance, movements = excluded.movements
      """,
      // The sequence numbers leave room for the movements that requests add.
      insert(
        "credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)",
        "\(customer), \(app), 'coins', CAST(i AS BIGINT) * 1000, 1, i, 'grants', 'grant', 'row ' || CAST(i AS TEXT), 0"),
      insert(
        "stored_proof (customer, app, environment, digest, kind, data, stated, due)",
        "\(customer), \(app), 'Sandbox', 'd' || CAST(i AS TEXT), 'appReceipt', CAST('proof' AS \(Self.bytes)), 0, 253402300799999",
        where: "i % 10 = 0"),
      """
      INSERT INTO customer_consent (customer, app, consumption, changed) VALUES (\(customer), \(app), 1, 0)
      ON CONFLICT (customer, app) DO NOTHING
      """,
      // Nothing is due, so that the server does nothing with them besides answering requests.
      insert(
        "consumption_request (app, uuid, environment, id, claim, type, requested, received, deadline, state)",
        """
        \(app), 'c' || CAST(i AS TEXT), 'Sandbox', \(claim), \(claim),
        CASE WHEN i % 2 = 0 THEN 'Auto-Renewable Subscription' ELSE 'Non-Consumable' END,
        CAST(4102444800000 AS BIGINT) + i, CAST(4102444800000 AS BIGINT) + i, CAST(4102488000000 AS BIGINT) + i, 'waiting'
        """),
      insert(
        "audit_entry (date, id, operator, action, subject, detail)",
        "i, 'a' || CAST(i AS TEXT), 'fuzz', 'grant', \(customer), 'detail'"),
    ]
      + (hasOperators
        ? [
          insert(
            "operator_key (id, name, hash, created)",
            "'k' || CAST(i AS TEXT), 'operator', 'h' || CAST(i AS TEXT), i"),
          // Received in 2100, so that the server does not remove them as too old.
          insert(
            "notification (app, uuid, environment, type, original, signed, received, source, state)",
            """
            \(app), 'n' || CAST(i AS TEXT), 'Sandbox', 'REFUND', \(claim), i, CAST(4102444800000 AS BIGINT) + i, 'sent',
            CASE WHEN i % 10 = 0 THEN 'setAside' ELSE 'recorded' END
            """
          ),
          // It is disabled, so that the server sends nothing. Its next message has a number above those of all rows.
          """
          INSERT INTO webhook
            (id, name, url, apps, types, environments, secret, created, changed, disabled, deliveries, generation, era, writer, number)
          VALUES
            ('w', 'rows', 'https://hooks.example/', '', '', 'Sandbox', 'whsec_\(Self.secret)', 0, 0, 0, 1000000000000, '', 0, 0, 0)
          ON CONFLICT (id) DO NOTHING
          """,
          insert(
            "webhook_delivery (webhook, number, message, type, app, lane, created, state, attempts, settled)",
            """
            'w', i, 'm' || CAST(i AS TEXT), 'TEST', \(app), \(customer), 0, 'dead', 10, CAST(4102444800000 AS BIGINT) + i
            """),
          insert(
            "import_progress (app, digest, next_row, started)", "\(app), 'd' || CAST(i AS TEXT), i, i"),
          insert(
            "product (app, id, type, localisations, listed, changed)",
            "\(app), 'q' || CAST(i AS TEXT), 'Non-Consumable', '{}', 1, 0"),
        ] : [])
  }

  private static let bytes = "BYTES"
  /// The base64 of 32 bytes.
  private static let secret = String(repeating: "A", count: 43) + "="

  /// The statements in the dialect of a database.
  func statements(adding range: Range<Int>, bytes: String) -> [String] {
    statements(adding: range).map { $0.replacing(Self.bytes, with: bytes) }
  }
}
