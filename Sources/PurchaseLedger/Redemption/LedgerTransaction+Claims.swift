import StoreModel

extension LedgerTransaction {
  func claim(_ key: PurchaseKey) throws -> Claim? { try claimLater(key).row.map(Claim.init) }

  /// Requests the row of a claim, at the latest when the answer is read.
  func claimLater(_ key: PurchaseKey) throws -> PendingAnswer {
    try later(
      """
      SELECT app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until,
        access_days, unit, given, taken, shortfall, blocks, by_device, proof, price, currency
      FROM claim WHERE app = $1 AND environment = $2 AND id = $3
      """, key.app, key.environment, key.id)
  }

  func insert(_ claim: Claim) throws {
    try require(.customer(claim.customer))
    try executeLater(
      """
      INSERT INTO claim
        (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until,
        access_days, unit, given, by_device, cause, price, currency)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
      """, claim.key.app, claim.key.environment, claim.key.id, claim.customer, claim.product, claim.type,
      claim.quantity, claim.ownership, claim.purchased, claim.claimed, claim.accessUntil,
      claim.accessDays, claim.unit, claim.given, claim.isByDevice, change?.cause, claim.price?.milliunits,
      claim.price?.currency)
  }

  /// Writes the properties of a claim that can change, except the proof.
  func update(_ claim: Claim) throws {
    try require(.customer(claim.customer))
    try executeLater(
      """
      UPDATE claim
      SET customer = $4, product = $5, access_until = $6, taken = $7, shortfall = $8, blocks = $9,
        by_device = $10, ownership = $11, changed = $12, cause = $13, price = $14, currency = $15
      WHERE app = $1 AND environment = $2 AND id = $3
      """, claim.key.app, claim.key.environment, claim.key.id, claim.customer, claim.product, claim.accessUntil,
      claim.taken, claim.shortfall, claim.blocks, claim.isByDevice, claim.ownership, change?.date, change?.cause,
      claim.price?.milliunits, claim.price?.currency)
  }

  /// Returns claims of a customer, in the order of the index of the customer's claims, which exports use as well.
  ///
  /// - Parameter limit: the maximum number of claims.
  func claims(of customer: CustomerID, limit: Int) throws -> [Claim] {
    try rows(
      """
      SELECT app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until,
        access_days, unit, given, taken, shortfall, blocks, by_device, proof, price, currency
      FROM claim WHERE customer = $1 ORDER BY app, claimed, environment, id LIMIT $2
      """, customer, limit
    ).map(Claim.init)
  }

  /// Returns the last previous owner of a claim who had shown a proof issued for their device; nil if there is none.
  ///
  /// - Parameter customer: a customer who is ignored.
  func lastCustomerByDevice(of key: PurchaseKey, besides customer: CustomerID) throws -> CustomerID? {
    try row(
      """
      SELECT from_customer FROM claim_transfer
      WHERE app = $1 AND environment = $2 AND id = $3 AND by_device = 1 AND from_customer <> $4
      ORDER BY date DESC LIMIT 1
      """, key.app, key.environment, key.id, customer
    )?.customer("from_customer")
  }

  /// Transfers a non-consumable or subscription to another customer, and records the transfer. The entitlement and the
  /// deliveries of the previous customer end.
  ///
  /// - Parameter wasByDevice: whether the previous customer had shown a proof of the purchase that was issued for their
  ///   device.
  func move(
    _ claim: Claim, to customer: CustomerID, wasByDevice: Bool, _ passes: inout PassSchedule, _ now: StoreDate
  ) throws -> Claim {
    try require(.customer(claim.customer), .customer(customer))
    try endEntitlement(
      of: claim.customer, app: claim.key.app, product: claim.product, source: claim.source, .transferred, now)
    try endDeliveries(of: claim.customer, app: claim.key.app, source: claim.source, now)
    try execute(
      """
      INSERT INTO claim_transfer (app, environment, id, date, from_customer, to_customer, by_device)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (app, environment, id, date, to_customer) DO UPDATE
      SET from_customer = excluded.from_customer, by_device = excluded.by_device
      """, claim.key.app, claim.key.environment, claim.key.id, now, claim.customer, customer, wasByDevice)
    var moved = claim
    moved.customer = customer
    try update(moved)
    try moveProof(of: claim, to: customer)
    passes.note(claim, of: claim.customer)
    return moved
  }

  /// Whether an operator has revoked the claim's entitlement from a customer; by default, from the claim's owner.
  /// Consumables have no entitlements.
  func isRevokedByOperator(_ claim: Claim, from customer: CustomerID? = nil) throws -> Bool {
    guard claim.type.lasts else { return false }
    return try revocationLater(of: claim.key, from: customer ?? claim.customer).row != nil
  }

  /// Requests a row if an operator has revoked the entitlement of a claim from a customer, at the latest when the answer is read.
  ///
  /// `BETWEEN` makes SQLite use the index of the source. With `=`, it reads all entitlements of the customer.
  func revocationLater(of claim: PurchaseKey, from customer: CustomerID) throws -> PendingAnswer {
    try later(
      """
      SELECT 1 AS found FROM entitlement
      WHERE source = $3 AND app = $2 AND customer BETWEEN $1 AND $1 AND end_reason = $4 LIMIT 1
      """, customer, claim.app, claim.id, LedgerEntitlement.EndReason.revoked)
  }
}

extension Claim {
  init(_ row: SQLRow) throws {
    self.init(
      key: PurchaseKey(
        app: try row.identifier("app"), environment: try row.value("environment"), id: try row.value("id")),
      customer: try row.customer("customer"), product: try row.identifier("product"), type: try row.value("type"),
      quantity: try row.integer("quantity"), ownership: try row.value("ownership"),
      purchased: try row.date("purchased"), claimed: try row.date("claimed"),
      accessUntil: try row.optionalDate("access_until"), accessDays: try row.optionalInteger("access_days"),
      unit: try row.optionalText("unit") == nil ? nil : try row.value("unit"), given: try row.integer("given"),
      price: try row.price(), taken: try row.integer("taken"), shortfall: try row.integer("shortfall"),
      blocks: try row.flag("blocks"), isByDevice: try row.flag("by_device"),
      proof: try row.optionalText("proof"))
  }
}
