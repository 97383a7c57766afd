/// The tables of migration 18: what customers have consented to, and the App Store's requests for information about consumption.
/// Documentation/app-store-updates.md describes them.
extension LedgerSchema {
  static func consumption(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE customer_consent (
        customer TEXT NOT NULL REFERENCES customer (id),
        app TEXT NOT NULL,
        consumption BIGINT NOT NULL,
        changed BIGINT NOT NULL,
        PRIMARY KEY (customer, app)
      )\(dialect.clustered)
      """,
      // `due` is when a server next has to do something; NULL in a final state. A server that works on the request has moved it
      // on, which is its lease. The columns after `problem` are what was sent, or before that, what an operator has chosen.
      """
      CREATE TABLE consumption_request (
        app TEXT NOT NULL,
        uuid TEXT NOT NULL,
        environment TEXT NOT NULL,
        id TEXT NOT NULL,
        claim TEXT NOT NULL,
        type TEXT NOT NULL,
        reason TEXT,
        requested BIGINT NOT NULL,
        received BIGINT NOT NULL,
        deadline BIGINT NOT NULL,
        state TEXT NOT NULL,
        due BIGINT,
        attempts BIGINT NOT NULL DEFAULT 0,
        settled BIGINT,
        problem TEXT,
        delivery TEXT,
        percentage BIGINT CHECK (percentage BETWEEN 0 AND 100000),
        preference TEXT,
        sample BIGINT,
        consented BIGINT,
        PRIMARY KEY (app, uuid)
      )\(dialect.clustered)
      """,
      // When the store decided on the refund of a transaction, for a request that arrives later.
      """
      CREATE TABLE refund_decision (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        id TEXT NOT NULL,
        decided BIGINT NOT NULL,
        received BIGINT NOT NULL,
        PRIMARY KEY (app, environment, id)
      )\(dialect.clustered)
      """,
      "CREATE INDEX refund_decision_received ON refund_decision (app, received)",
      "CREATE INDEX consumption_request_received ON consumption_request (app, received)",
      "CREATE INDEX consumption_request_requested ON consumption_request (app, requested, uuid)",
      "CREATE INDEX consumption_request_state ON consumption_request (app, state, requested, uuid)",
      "CREATE INDEX consumption_request_due ON consumption_request (app, due) WHERE due IS NOT NULL",
      "CREATE INDEX consumption_request_claim ON consumption_request (app, environment, claim, uuid)",
    ] + requestEvent.creation(dialect)
  }

  /// The event of a request (Documentation/ledger-events.md). One that is closed when it arrives is older than another one, or than
  /// the store's decision.
  private static let requestEvent: EventTrigger = {
    let claim = "c.app = NEW.app AND c.environment = NEW.environment AND c.id = NEW.claim"
    return EventTrigger(
      name: "refund_requested", table: "consumption_request", condition: "NEW.state <> 'closed'",
      kind: "'purchase.refundRequested'",
      columns: [
        ("date", "NEW.received"), ("app", "NEW.app"), ("environment", "NEW.environment"), ("claim", "NEW.claim"),
        ("transaction_id", "NEW.id"), ("customer", "(SELECT c.customer FROM claim c WHERE \(claim))"),
        ("product", "(SELECT c.product FROM claim c WHERE \(claim))"),
      ],
      details: [
        .value("uuid", "NEW.uuid"), .value("reason", "NEW.reason"), .value("requested", "NEW.requested"),
        .value("deadline", "NEW.deadline"), .value("state", "NEW.state"),
      ])
  }()
}
