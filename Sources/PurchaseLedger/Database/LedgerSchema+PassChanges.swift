/// The table of migration 10.
extension LedgerSchema {
  /// The passes that were taken from customers whose other passes are not scheduled yet.
  ///
  /// An earlier version stored nothing about a server that had stopped in between. So the table begins with the transferred
  /// passes of all previous owners who have other passes of the product. Scheduling passes that are scheduled changes nothing.
  static func passChanges(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE pass_change (
        customer TEXT NOT NULL,
        app TEXT NOT NULL,
        product TEXT NOT NULL,
        begun BIGINT NOT NULL,
        source TEXT NOT NULL,
        new_owner TEXT NOT NULL,
        PRIMARY KEY (customer, app, product, begun, source)
      )\(dialect.clustered)
      """,
      "CREATE INDEX pass_change_new_owner ON pass_change (new_owner)",
      """
      INSERT INTO pass_change (customer, app, product, begun, source, new_owner)
      SELECT DISTINCT t.from_customer, c.app, c.product, c.purchased, c.id, c.customer
      FROM claim_transfer t
      JOIN claim c ON c.app = t.app AND c.environment = t.environment AND c.id = t.id
        AND c.access_days IS NOT NULL AND c.customer <> t.from_customer
      WHERE EXISTS (
        SELECT 1 FROM entitlement e
        WHERE e.customer = t.from_customer AND e.app = c.app AND e.product = c.product AND e.ended IS NULL)
      ON CONFLICT DO NOTHING
      """,
    ]
  }
}
