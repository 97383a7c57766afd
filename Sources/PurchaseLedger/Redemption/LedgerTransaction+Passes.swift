import StoreModel

extension LedgerTransaction {
  /// Computes and stores the end of access for each of a customer's non-renewing subscriptions to a product. Their
  /// access periods follow one another in the order of purchase, because each was paid for. Subscriptions whose
  /// entitlement has ended are skipped.
  func schedulePasses(_ product: ProductID, of customer: CustomerID, app: BundleID) throws {
    try require(.customer(customer))
    var end: StoreDate?
    let rows = try rows(
      """
      SELECT c.environment, c.id, c.purchased, c.access_days FROM claim c
      JOIN entitlement e ON e.customer = c.customer AND e.app = c.app AND e.product = c.product AND e.source = c.id
      WHERE c.customer = $1 AND c.app = $2 AND c.product = $3 AND e.ended IS NULL AND c.access_days IS NOT NULL
      ORDER BY c.purchased, c.id
      """, customer, app, product)
    for row in rows {
      let purchased = try row.date("purchased")
      let until = max(purchased, end ?? purchased).adding(seconds: try row.integer("access_days") * 86_400)
      end = until
      try execute(
        "UPDATE claim SET access_until = $4 WHERE app = $1 AND environment = $2 AND id = $3", app,
        row.text("environment"), row.text("id"), until)
      try execute(
        "UPDATE entitlement SET access_until = $5 WHERE customer = $1 AND app = $2 AND product = $3 AND source = $4",
        customer, app, product, row.text("id"), until)
    }
  }
}
