/// The names of products' entitlements, and the offerings of an app's products. Documentation/offerings.md describes them.
extension LedgerSchema {
  /// The names of what products give. Products that were published before have none.
  static func entitlementNames(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE product_entitlement (
        app TEXT NOT NULL,
        product TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (app, product, name),
        FOREIGN KEY (app, product) REFERENCES product (app, id)
      )\(dialect.clustered)
      """
    ]
  }

  /// The offerings, at most one of them current in each app.
  static func offerings(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE offering (
        app TEXT NOT NULL,
        id TEXT NOT NULL,
        metadata TEXT NOT NULL,
        is_current BIGINT NOT NULL,
        changed BIGINT NOT NULL,
        PRIMARY KEY (app, id)
      )\(dialect.clustered)
      """,
      "CREATE UNIQUE INDEX offering_current ON offering (app) WHERE is_current = 1",
      """
      CREATE TABLE offering_product (
        app TEXT NOT NULL,
        offering TEXT NOT NULL,
        position BIGINT NOT NULL,
        product TEXT NOT NULL,
        PRIMARY KEY (app, offering, position),
        FOREIGN KEY (app, offering) REFERENCES offering (app, id),
        FOREIGN KEY (app, product) REFERENCES product (app, id)
      )\(dialect.clustered)
      """,
    ]
  }
}
