/// The indexes of migrations after the first.
extension LedgerSchema {
  /// Indexes with which a redemption finds single rows of a customer with many purchases.
  static func indexesOfManyPurchases(_ dialect: SQLDialect) -> [String] {
    replacing(
      ["claim_proof"] + (dialect == .postgreSQL ? ["claim_customer"] : []),
      by: [
        // The order in which access periods follow one another.
        "entitlement_pass ON entitlement (customer, app, product, begun, source) WHERE ended IS NULL",
        // SQLite would not use it without its first column.
        "claim_blocks ON claim (blocks, customer, app, unit) WHERE blocks = 1",
        "entitlement_source ON entitlement (source, app, customer)",
        "claim_proof_customer ON claim (proof, customer) WHERE proof IS NOT NULL",
      ] + (dialect == .postgreSQL ? ["claim_customer_id ON claim (customer, app, claimed, environment, id)"] : []))
  }

  /// Indexes in the order in which an export reads a customer's rows. In SQLite, an index of a table WITHOUT ROWID ends with
  /// the columns of the primary key; PostgreSQL needs them written out.
  static func indexesOfExports(_ dialect: SQLDialect) -> [String] {
    replacing(
      ["bearer_token_customer"]
        + (dialect == .postgreSQL ? ["customer_joined_to", "claim_period_claim", "delivery_customer"] : []),
      by: [
        "bearer_token_customer_issued ON bearer_token (customer, issued, hash)",
        "claim_transfer_from ON claim_transfer (from_customer, app, environment, id, date, to_customer)",
        "claim_transfer_to ON claim_transfer (to_customer, app, environment, id, date, from_customer)",
        "audit_entry_subject ON audit_entry (subject, date, id)",
      ]
        + (dialect == .postgreSQL
          ? [
            "customer_joined_to_id ON customer (joined_to, id) WHERE joined_to IS NOT NULL",
            "claim_period_claim_id ON claim_period (app, environment, claim, id)",
            "delivery_customer_id ON delivery (customer, app, source, id)",
          ] : []))
  }

  /// Replaces indexes. They are dropped last: in PostgreSQL, reads of the table wait from then on until the commit, and while
  /// an index is created, only writes wait.
  private static func replacing(_ dropped: [String], by created: [String]) -> [String] {
    created.map { "CREATE INDEX \($0)" } + dropped.map { "DROP INDEX \($0)" }
  }
}
