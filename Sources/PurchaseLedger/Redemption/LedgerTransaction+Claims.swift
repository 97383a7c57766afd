import StoreModel

extension LedgerTransaction {
  func claim(_ key: PurchaseKey) throws -> Claim? {
    try row(
      """
      SELECT app, environment, id, customer, product, type, quantity, transaction_id, ownership, purchased, claimed,
        access_until, unit, given, taken, shortfall
      FROM claim WHERE app = $1 AND environment = $2 AND id = $3
      """, key.app, key.environment, key.id
    ).map(Claim.init)
  }

  func insert(_ claim: Claim) throws {
    try require(.customer(claim.customer))
    try execute(
      """
      INSERT INTO claim (app, environment, id, customer, product, type, quantity, transaction_id, ownership,
        purchased, claimed, access_until, unit, given)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
      """, claim.key.app, claim.key.environment, claim.key.id, claim.customer, claim.product, claim.type,
      claim.quantity, claim.transactionID, claim.ownership, claim.purchased, claim.claimed, claim.accessUntil,
      claim.unit, claim.given)
  }

  /// Writes what can change of a claim.
  func update(_ claim: Claim) throws {
    try require(.customer(claim.customer))
    try execute(
      """
      UPDATE claim SET customer = $4, transaction_id = $5, access_until = $6, taken = $7, shortfall = $8
      WHERE app = $1 AND environment = $2 AND id = $3
      """, claim.key.app, claim.key.environment, claim.key.id, claim.customer, claim.transactionID, claim.accessUntil,
      claim.taken, claim.shortfall)
  }

  /// Puts on record that a claim has moved.
  func record(transferOf key: PurchaseKey, from: CustomerID, to: CustomerID, _ now: StoreDate) throws {
    try execute(
      """
      INSERT INTO claim_transfer (app, environment, id, date, from_customer, to_customer)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
      """, key.app, key.environment, key.id, now, from, to)
  }
}

extension Claim {
  init(_ row: SQLRow) throws {
    self.init(
      key: PurchaseKey(
        app: try row.identifier("app"), environment: try row.value("environment"), id: try row.value("id")),
      customer: try row.customer("customer"), product: try row.identifier("product"), type: try row.value("type"),
      quantity: try row.integer("quantity"), transactionID: try row.value("transaction_id"),
      ownership: try row.value("ownership"), purchased: try row.date("purchased"), claimed: try row.date("claimed"),
      accessUntil: try row.optionalDate("access_until"),
      unit: try row.optionalText("unit") == nil ? nil : try row.value("unit"), given: try row.integer("given"),
      taken: try row.integer("taken"), shortfall: try row.integer("shortfall"))
  }
}
