/// The events of the ledger (migrations 16 and 17). Documentation/ledger-events.md describes the table, the kinds and their order.
extension LedgerSchema {
  static func events(_ dialect: SQLDialect) -> [String] {
    let triggers = eventTriggers(dialect)
    // In PostgreSQL, writes of the tables wait until the commit, so that each change is recorded once. Reads go on.
    let locks =
      dialect == .postgreSQL
      ? ["LOCK TABLE \(tablesWithEvents.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE"] : []
    return locks + eventTables(dialect) + triggers.flatMap { $0.creation(dialect) } + generationTriggers(dialect)
      + filledIn(triggers, dialect)
  }

  /// The tables with triggers of migration 17, in the order in which a redemption writes them. If another write has another order, PostgreSQL can end
  /// the migration because of a deadlock, and it is tried again.
  static let tablesWithEvents = [
    "claim_period", "statement", "subscription_renewal", "claim", "credit_account", "credit_movement", "entitlement",
    "delivery", "customer",
  ]

  /// The columns from which events have their date and cause (``LedgerChange``). A server of an earlier version writes neither.
  ///
  /// In PostgreSQL, each table has a migration of its own: none holds the locks of two tables. In SQLite, one migration is faster,
  /// because GRDB checks all foreign keys after each.
  static func changeColumns(_ dialect: SQLDialect) -> [Migration] {
    let both = ["changed BIGINT", "cause TEXT"]
    let tables: [(name: String, columns: [String])] = [
      ("claim", both), ("claim_period", both), ("subscription_renewal", both), ("entitlement", both),
      ("credit_account", both), ("customer", both), ("statement", ["cause TEXT"]),
    ]
    switch dialect {
    case .sqlite:
      return [
        Migration(
          name: "16 changes",
          statements: tables.flatMap { table in
            table.columns.map { "ALTER TABLE \(table.name) ADD COLUMN \($0)" }
          })
      ]
    case .postgreSQL:
      return tables.map { table in
        Migration(
          name: "16 changes of \(table.name)",
          statements: [
            "ALTER TABLE \(table.name) \(table.columns.map { "ADD COLUMN \($0)" }.joined(separator: ", "))"
          ])
      }
    }
  }

  private static func eventTables(_ dialect: SQLDialect) -> [String] {
    let identifier: String
    let key: String
    let end: String
    switch dialect {
    case .sqlite:
      // Events are never deleted, so that no number is used twice without AUTOINCREMENT.
      identifier = "number INTEGER PRIMARY KEY"
      key = ""
      end = """
        0 AS era, 0 AS writer, COALESCE((SELECT MAX(number) FROM ledger_event), 0) AS number, 1 AS by_number
        """
    case .postgreSQL:
      identifier = """
        era BIGINT NOT NULL,
          writer BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
          number BIGINT GENERATED ALWAYS AS IDENTITY
        """
      key = ",\n  PRIMARY KEY (era, writer, number)"
      end = """
        \(dialect.era(ofGeneration: "g.number")) AS era,
          pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS writer, 0::bigint AS number, 0 AS by_number
        """
    }
    return [
      """
      CREATE TABLE ledger_event (
        \(identifier),
        kind TEXT NOT NULL,
        version BIGINT NOT NULL,
        filled_in BIGINT NOT NULL DEFAULT 0,
        date BIGINT NOT NULL,
        cause TEXT,
        app TEXT,
        environment TEXT,
        customer TEXT,
        claim TEXT,
        transaction_id TEXT,
        product TEXT,
        unit TEXT,
        sequence BIGINT,
        source TEXT,
        delivery TEXT,
        details TEXT\(key)
      )
      """,
      """
      CREATE TABLE ledger_generation (
        number BIGINT NOT NULL,
        ids TEXT NOT NULL,
        begun BIGINT NOT NULL,
        incarnation TEXT,
        copy TEXT
      )
      """,
      "INSERT INTO ledger_generation (number, ids, begun) VALUES (1, \(dialect.randomID), 0)",
      // Up to where events can be read now: none can come before that any more.
      """
      CREATE VIEW ledger_event_end AS
      SELECT g.number AS generation, g.ids, \(end)
      FROM ledger_generation g
      """,
    ]
  }

  /// What happens when a new generation begins.
  private static func generationTriggers(_ dialect: SQLDialect) -> [String] {
    switch dialect {
    case .sqlite:
      // The numbers of a generation are above those of all generations before, also of events that this copy lacks.
      return [
        """
        CREATE TRIGGER ledger_generation_begun AFTER UPDATE OF number ON ledger_generation WHEN NEW.number <> OLD.number
        BEGIN
        INSERT INTO ledger_event (number, kind, version, date)
        VALUES ((NEW.number - 1) << 40, 'ledger.incarnationBegan', 1, NEW.begun);
        END
        """
      ]
    case .postgreSQL:
      // Transactions that have written events of the generation before must have ended, so that no reader passes them.
      return [
        """
        CREATE FUNCTION ledger_generation_begins() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
        LOCK TABLE ledger_event IN EXCLUSIVE MODE;
        RETURN NEW;
        END $$
        """,
        """
        CREATE TRIGGER ledger_generation_begins BEFORE UPDATE OF number ON ledger_generation FOR EACH ROW
        WHEN (NEW.number <> OLD.number) EXECUTE FUNCTION ledger_generation_begins()
        """,
        """
        CREATE FUNCTION ledger_generation_begun() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
        INSERT INTO ledger_event (kind, version, date, era)
        VALUES ('ledger.incarnationBegan', 1, NEW.begun, \(dialect.era(ofGeneration: "NEW.number")));
        RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER ledger_generation_begun AFTER UPDATE OF number ON ledger_generation FOR EACH ROW
        WHEN (NEW.number <> OLD.number) EXECUTE FUNCTION ledger_generation_begun()
        """,
      ]
    }
  }

  /// The events of the records that exist already.
  private static func filledIn(_ triggers: [EventTrigger], _ dialect: SQLDialect) -> [String] {
    func filling(_ name: String, replacing replaced: [String: String] = [:], from source: String? = nil) -> String? {
      triggers.first { $0.name == name }?.filling(dialect, replacing: replaced, from: source)
    }
    /// The order of a claim's transfers. Of several with one date, the first is from a customer who got the claim in none of them, and
    /// the last is to the present owner.
    ///
    /// - Parameter claim: the alias of the claim in the same `FROM`. In SQLite, `ORDER BY` does not know the rows around a query.
    func order(of transfer: String, _ claim: String) -> String {
      let isLater = """
        EXISTS (
          SELECT 1 FROM claim_transfer e
          WHERE e.app = \(transfer).app AND e.environment = \(transfer).environment AND e.id = \(transfer).id
            AND e.date = \(transfer).date AND e.to_customer = \(transfer).from_customer)
        """
      return """
        \(transfer).date, CASE WHEN \(isLater) THEN 1 ELSE 0 END,
          CASE WHEN \(transfer).to_customer = \(claim).customer THEN 1 ELSE 0 END
        """
    }
    let firstOwner = """
      COALESCE((
        SELECT t.from_customer FROM claim_transfer t
        JOIN claim c ON c.app = t.app AND c.environment = t.environment AND c.id = t.id
        WHERE t.app = NEW.app AND t.environment = NEW.environment AND t.id = NEW.id
        ORDER BY \(order(of: "t", "c")) LIMIT 1), NEW.customer)
      """
    // The triggers of updates compare a row with the one before, which is not stored. Transfers are.
    let transfers = """
      claim_transfer OLD
      JOIN claim NEW ON NEW.app = OLD.app AND NEW.environment = OLD.environment AND NEW.id = OLD.id
      ORDER BY OLD.app, OLD.environment, OLD.id, \(order(of: "OLD", "NEW"))
      """
    let moved = EventTrigger(
      name: "claim_moved", table: "claim_transfer", kind: "'purchase.moved'",
      columns: [
        ("date", "OLD.date"), ("app", "NEW.app"), ("environment", "NEW.environment"), ("customer", "OLD.to_customer"),
        ("claim", "NEW.id"), ("product", "NEW.product"),
      ], details: [.value("from", "OLD.from_customer")])
    return [
      filling("claim", replacing: ["customer": firstOwner]),
      moved.filling(dialect, from: transfers),
      filling("period"), filling("refund"), filling("renewal"), filling("movement"),
      filling("blocked", from: "credit_account AS NEW WHERE NEW.blocked IS NOT NULL"),
      filling("entitlement"), filling("delivery"),
      filling("delivery_ended", from: "delivery AS NEW WHERE NEW.ended IS NOT NULL"),
      filling("joined", from: "customer AS NEW WHERE NEW.joined_to IS NOT NULL"),
      filling("erased", from: "customer AS NEW WHERE NEW.erased IS NOT NULL"),
    ].compactMap(\.self)
  }
}

extension SQLDialect {
  /// An expression for 16 random hexadecimal digits.
  fileprivate var randomID: String {
    switch self {
    case .sqlite: "lower(hex(randomblob(8)))"
    case .postgreSQL: "substr(md5(gen_random_uuid()::text), 1, 16)"
    }
  }
}
