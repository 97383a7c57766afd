/// The schema of the ledger. Documentation/purchase-ledger.md describes what the tables are for.
///
/// After the first release no existing migration changes; later versions add migrations.
///
/// In PostgreSQL, `ALTER TABLE` makes reads of the table wait until the commit. So from migration 16 on, a migration that changes a table of an
/// earlier one
/// does nothing else, and is over at once.
public enum LedgerSchema {
  /// One step from a version of the schema to the next.
  public struct Migration: Sendable {
    public let name: String
    public let statements: [String]
  }

  public static func migrations(_ dialect: SQLDialect) -> [Migration] {
    migrationsBeforeEvents(dialect) + changeColumns(dialect) + migrationsWithEvents(dialect)
      + prices(dialect) + migrationsWithMessages(dialect) + migrationsOfCharts(dialect) + [percentagesOfRefunds]
  }

  private static func migrationsBeforeEvents(_ dialect: SQLDialect) -> [Migration] {
    [
      Migration(name: "1 ledger", statements: tables(dialect) + views(dialect)),
      // The column stores whether the previous customer had shown a proof that was issued for their device. Servers of
      // an earlier version write no value. The default 0 means that the transfer never leads to joining two customers.
      Migration(
        name: "2 transfers by device",
        statements: ["ALTER TABLE claim_transfer ADD COLUMN by_device BIGINT NOT NULL DEFAULT 0"]),
      Migration(
        name: "3 copies", statements: ["CREATE VIEW ledger_copy AS SELECT \(dialect.copyIdentity) AS identity"]),
      Migration(name: "4 transfers with the key first", statements: dialect == .sqlite ? transfersWithKeyFirst : []),
      Migration(name: "5 renewals", statements: renewals(dialect)),
      Migration(name: "6 customers with many purchases", statements: indexesOfManyPurchases(dialect)),
      // The date of the registration by the store's clock; NULL for tokens that an earlier version has issued.
      Migration(
        name: "7 registrations by the store's clock",
        statements: ["ALTER TABLE bearer_token ADD COLUMN store_date BIGINT"]),
      Migration(name: "8 exports in pages", statements: indexesOfExports(dialect)),
      Migration(name: "9 renewals of the current plan", statements: renewalsOfCurrentPlan(dialect)),
      Migration(name: "10 passes that are not scheduled", statements: passChanges(dialect)),
      Migration(
        name: "11 operators' keys in pages",
        statements: ["CREATE INDEX operator_key_created ON operator_key (created, id)"]),
      // Where the next reading of the App Store's transaction history goes on; NULL for its start, and for receipts.
      Migration(name: "12 histories of the store", statements: ["ALTER TABLE stored_proof ADD COLUMN revision TEXT"]),
      Migration(name: "13 notifications", statements: notifications(dialect)),
      Migration(name: "14 operators' roles", statements: operatorRoles(dialect)),
      Migration(name: "15 imports", statements: imports(dialect)),
    ]
  }

  private static func migrationsWithEvents(_ dialect: SQLDialect) -> [Migration] {
    [
      Migration(name: "17 events", statements: events(dialect)),
      Migration(name: "18 consumption requests", statements: consumption(dialect)),
      // Whether another plan replaced a period before its end. Servers of an earlier version write no value: they end such a
      // period at the date of the answer.
      Migration(
        name: "19 upgraded periods",
        statements: ["ALTER TABLE claim_period ADD COLUMN upgraded BIGINT NOT NULL DEFAULT 0"]),
      Migration(
        name: "20 index of upgraded periods",
        statements: ["CREATE INDEX claim_period_upgraded ON claim_period (app, environment, claim) WHERE upgraded = 1"]),
    ]
  }

  /// The date of the statement from which the percentage of a refund is; NULL if none has stated one. Servers of an earlier version
  /// write no value.
  private static let percentagesOfRefunds = Migration(
    name: "29 percentages of refunds", statements: ["ALTER TABLE statement ADD COLUMN percentage_stated BIGINT"])

  private static func migrationsWithMessages(_ dialect: SQLDialect) -> [Migration] {
    [
      Migration(name: "23 webhooks", statements: priceEvents(dialect) + webhooks(dialect)),
      Migration(name: "24 names of entitlements", statements: entitlementNames(dialect)),
      Migration(name: "25 offerings", statements: offerings(dialect)),
    ]
  }

  /// The names of the ledger's tables.
  package static func tableNames(_ dialect: SQLDialect) -> [String] {
    migrations(dialect).flatMap(\.statements).compactMap { statement in
      let words = statement.prefix { $0 != "\n" }.split(separator: " ")
      return words.starts(with: ["CREATE", "TABLE"]) ? String(words[2]) : nil
    }
  }

  /// Rebuilds `claim_transfer` with the key's columns first. With the old order, `PRAGMA integrity_check` of SQLite
  /// 3.40 reports NULL values in valid rows of a table WITHOUT ROWID.
  private static let transfersWithKeyFirst = [
    """
    CREATE TABLE claim_transfer_4 (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      id TEXT NOT NULL,
      date BIGINT NOT NULL,
      to_customer TEXT NOT NULL,
      from_customer TEXT NOT NULL,
      by_device BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (app, environment, id, date, to_customer)
    ) WITHOUT ROWID
    """,
    """
    INSERT INTO claim_transfer_4 (app, environment, id, date, to_customer, from_customer, by_device)
    SELECT app, environment, id, date, to_customer, from_customer, by_device FROM claim_transfer
    """,
    "DROP TABLE claim_transfer",
    "ALTER TABLE claim_transfer_4 RENAME TO claim_transfer",
  ]

  private static func tables(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE ledger_fact (
        name TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE customer (
        id TEXT NOT NULL PRIMARY KEY,
        subject TEXT UNIQUE,
        created BIGINT NOT NULL,
        erased BIGINT,
        joined_to TEXT REFERENCES customer (id)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE bearer_token (
        hash TEXT NOT NULL PRIMARY KEY,
        customer TEXT NOT NULL REFERENCES customer (id),
        app TEXT NOT NULL,
        device TEXT,
        issued BIGINT NOT NULL,
        revoked BIGINT
      )\(dialect.clustered)
      """,
      "CREATE INDEX customer_joined_to ON customer (joined_to) WHERE joined_to IS NOT NULL",
      "CREATE INDEX bearer_token_customer ON bearer_token (customer)",
      """
      CREATE TABLE claim (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        id TEXT NOT NULL,
        customer TEXT NOT NULL REFERENCES customer (id),
        product TEXT NOT NULL,
        type TEXT NOT NULL,
        quantity BIGINT NOT NULL CHECK (quantity >= 1),
        ownership TEXT NOT NULL,
        purchased BIGINT NOT NULL,
        claimed BIGINT NOT NULL,
        access_until BIGINT,
        access_days BIGINT,
        unit TEXT,
        given BIGINT NOT NULL DEFAULT 0,
        taken BIGINT NOT NULL DEFAULT 0 CHECK (taken BETWEEN 0 AND given),
        shortfall BIGINT NOT NULL DEFAULT 0 CHECK (shortfall BETWEEN 0 AND given),
        blocks BIGINT NOT NULL DEFAULT 0,
        by_device BIGINT NOT NULL DEFAULT 0,
        proof TEXT,
        PRIMARY KEY (app, environment, id)
      )\(dialect.clustered)
      """,
      "CREATE INDEX claim_customer ON claim (customer, app, claimed)",
      "CREATE INDEX claim_proof ON claim (proof) WHERE proof IS NOT NULL",
      """
      CREATE TABLE claim_period (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        id TEXT NOT NULL,
        claim TEXT NOT NULL,
        product TEXT NOT NULL,
        purchased BIGINT NOT NULL,
        access_until BIGINT NOT NULL,
        stated BIGINT NOT NULL,
        PRIMARY KEY (app, environment, id)
      )\(dialect.clustered)
      """,
      "CREATE INDEX claim_period_claim ON claim_period (app, environment, claim)",
      """
      CREATE TABLE claim_transfer (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        id TEXT NOT NULL,
        date BIGINT NOT NULL,
        from_customer TEXT NOT NULL,
        to_customer TEXT NOT NULL,
        PRIMARY KEY (app, environment, id, date, to_customer)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE statement (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        id TEXT NOT NULL,
        revoked BIGINT NOT NULL,
        date BIGINT,
        reason BIGINT,
        percentage BIGINT NOT NULL CHECK (percentage BETWEEN 0 AND 100000),
        stated BIGINT NOT NULL,
        learnt BIGINT NOT NULL,
        PRIMARY KEY (app, environment, id)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE entitlement (
        customer TEXT NOT NULL REFERENCES customer (id),
        app TEXT NOT NULL,
        product TEXT NOT NULL,
        source TEXT NOT NULL,
        origin TEXT NOT NULL,
        begun BIGINT NOT NULL,
        access_until BIGINT,
        ended BIGINT,
        end_reason TEXT,
        PRIMARY KEY (customer, app, product, source)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE delivery (
        id TEXT NOT NULL PRIMARY KEY,
        customer TEXT NOT NULL REFERENCES customer (id),
        app TEXT NOT NULL,
        product TEXT NOT NULL,
        source TEXT NOT NULL,
        begun BIGINT NOT NULL,
        ended BIGINT
      )\(dialect.clustered)
      """,
      "CREATE INDEX delivery_customer ON delivery (customer, app, source)",
      """
      CREATE TABLE credit_account (
        customer TEXT NOT NULL REFERENCES customer (id),
        app TEXT NOT NULL,
        unit TEXT NOT NULL,
        balance BIGINT NOT NULL,
        movements BIGINT NOT NULL,
        blocked BIGINT,
        PRIMARY KEY (customer, app, unit)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE credit_movement (
        customer TEXT NOT NULL,
        app TEXT NOT NULL,
        unit TEXT NOT NULL,
        sequence BIGINT NOT NULL,
        amount BIGINT NOT NULL CHECK (amount <> 0),
        balance BIGINT NOT NULL,
        counter_account TEXT NOT NULL,
        cause TEXT NOT NULL,
        cause_key TEXT NOT NULL,
        date BIGINT NOT NULL,
        PRIMARY KEY (customer, app, unit, sequence),
        FOREIGN KEY (customer, app, unit) REFERENCES credit_account (customer, app, unit)
      )\(dialect.clustered)
      """,
      "CREATE UNIQUE INDEX credit_movement_cause ON credit_movement (customer, app, unit, cause, cause_key)",
      """
      CREATE TABLE stored_proof (
        customer TEXT NOT NULL REFERENCES customer (id),
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        digest TEXT NOT NULL,
        kind TEXT NOT NULL,
        data \(dialect.bytes) NOT NULL,
        stated BIGINT NOT NULL,
        due BIGINT NOT NULL,
        PRIMARY KEY (customer, app, environment, digest)
      )\(dialect.clustered)
      """,
      "CREATE INDEX stored_proof_due ON stored_proof (app, due)",
      """
      CREATE TABLE product (
        app TEXT NOT NULL,
        id TEXT NOT NULL,
        type TEXT NOT NULL,
        unit TEXT,
        credits BIGINT NOT NULL DEFAULT 0,
        access_days BIGINT,
        localisations TEXT NOT NULL,
        listed BIGINT NOT NULL,
        content_version BIGINT NOT NULL DEFAULT 0,
        changed BIGINT NOT NULL,
        PRIMARY KEY (app, id)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE catalog (
        app TEXT NOT NULL PRIMARY KEY,
        revision BIGINT NOT NULL
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE content_file (
        app TEXT NOT NULL,
        product TEXT NOT NULL,
        version BIGINT NOT NULL,
        name TEXT NOT NULL,
        size BIGINT NOT NULL,
        sha256 TEXT NOT NULL,
        media_type TEXT NOT NULL,
        published BIGINT NOT NULL,
        PRIMARY KEY (app, product, version, name),
        FOREIGN KEY (app, product) REFERENCES product (app, id)
      )\(dialect.clustered)
      """,
      "CREATE INDEX content_file_digest ON content_file (sha256)",
      """
      CREATE TABLE operator_key (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        created BIGINT NOT NULL,
        revoked BIGINT
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE audit_entry (
        date BIGINT NOT NULL,
        id TEXT NOT NULL,
        operator TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (date, id)
      )\(dialect.clustered)
      """,
    ]
  }

  /// Views for `psql` and `sqlite3`. Their names and columns never change.
  private static func views(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE VIEW ledger_entry AS
      SELECT 'customer:' || customer AS account, app, unit, amount, cause, cause_key, \(dialect.date("date")) AS date
      FROM credit_movement
      UNION ALL
      SELECT counter_account AS account, app, unit, -amount AS amount, cause, cause_key, \(dialect.date("date")) AS date
      FROM credit_movement
      """,
      """
      CREATE VIEW ledger_balance AS
      SELECT 'customer:' || customer AS account, app, unit, balance FROM credit_account
      UNION ALL
      SELECT counter_account AS account, app, unit, \(dialect.sum("-amount")) AS balance
      FROM credit_movement GROUP BY counter_account, app, unit
      """,
      """
      CREATE VIEW ledger_check AS
      SELECT a.customer, a.app, a.unit, a.balance, a.movements,
        COALESCE(m.total, 0) AS total, COALESCE(m.count, 0) AS count
      FROM credit_account a
      LEFT JOIN (
        SELECT customer, app, unit, \(dialect.sum("amount")) AS total, COUNT(*) AS count
        FROM credit_movement GROUP BY customer, app, unit
      ) m ON m.customer = a.customer AND m.app = a.app AND m.unit = a.unit
      WHERE a.balance <> COALESCE(m.total, 0) OR a.movements <> COALESCE(m.count, 0)
      """,
      """
      CREATE VIEW customer_entitlement AS
      SELECT customer, app, product, source, origin, \(dialect.date("begun")) AS begun,
        \(dialect.date("access_until")) AS access_until, \(dialect.date("ended")) AS ended, end_reason
      FROM entitlement
      """,
      """
      CREATE VIEW customer_claim AS
      SELECT c.customer, c.app, c.environment, c.id, c.product, c.type, c.quantity,
        \(dialect.date("c.purchased")) AS purchased, \(dialect.date("c.claimed")) AS claimed,
        \(dialect.date("c.access_until")) AS access_until, c.unit, c.given, c.taken, c.shortfall,
        CASE WHEN c.type <> 'Auto-Renewable Subscription' THEN COALESCE(r.revoked, 0)
          WHEN EXISTS (
            SELECT 1 FROM claim_period p
            JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 0
            WHERE p.app = c.app AND p.environment = c.environment AND p.claim = c.id
          ) THEN 0 ELSE 1 END AS revoked
      FROM claim c
      LEFT JOIN statement r ON r.app = c.app AND r.environment = c.environment AND r.id = c.id
      """,
    ]
  }
}
