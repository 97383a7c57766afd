extension LedgerSchema {
  /// How subscriptions continue. `grace_until` applies only while `period` is the claim's current period.
  static func renewals(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE subscription_renewal (
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        claim TEXT NOT NULL,
        period TEXT NOT NULL,
        product TEXT NOT NULL,
        auto_renew BIGINT NOT NULL,
        billing_retry BIGINT NOT NULL,
        grace_until BIGINT,
        expiration_intent BIGINT,
        stated BIGINT NOT NULL,
        PRIMARY KEY (app, environment, claim)
      )\(dialect.clustered)
      """,
      "CREATE VIEW \(renewalView(dialect))",
    ]
  }

  private static func renewalView(_ dialect: SQLDialect) -> String {
    """
    customer_renewal AS
    SELECT c.customer, c.app, c.environment, c.id AS claim, c.product, r.product AS next_product, r.auto_renew,
      r.billing_retry, \(dialect.date("c.access_until")) AS expires, \(dialect.date("r.grace_until")) AS grace_until,
      r.expiration_intent, \(dialect.date("r.stated")) AS stated
    FROM subscription_renewal r
    JOIN claim c ON c.app = r.app AND c.environment = r.environment AND c.id = r.claim
    JOIN claim_period p ON p.app = r.app AND p.environment = r.environment AND p.id = r.period
      AND p.access_until = c.access_until
    """
  }

  /// Recreates the view `customer_renewal` with the condition of ``LedgerEntitlement/query``: a renewal belongs to the claim's
  /// current period only if this period has the claim's product.
  static func renewalsOfCurrentPlan(_ dialect: SQLDialect) -> [String] {
    let view = renewalView(dialect) + " AND p.claim = r.claim AND p.product = c.product"
    // Replacing the view keeps the privileges that an operator has granted on it.
    return dialect == .postgreSQL
      ? ["CREATE OR REPLACE VIEW \(view)"] : ["DROP VIEW customer_renewal", "CREATE VIEW \(view)"]
  }
}
