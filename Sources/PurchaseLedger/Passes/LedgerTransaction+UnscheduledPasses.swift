import StoreModel

/// Thrown inside a read of a customer's access if passes of the customer are not scheduled yet. The read starts again when they
/// are.
struct UnscheduledPasses: Error {
  let customer: CustomerID
}

/// The passes that a redemption of several transactions has taken from customers whose other passes are not scheduled yet
/// (Documentation/purchase-ledger.md, "Subscriptions").
extension LedgerTransaction {
  /// Stores changes, to schedule the passes after them in a later transaction.
  ///
  /// - Parameter newOwner: the customer who has received the passes. The customer's next write schedules them as well.
  func noteUnscheduled(_ schedule: PassSchedule, for newOwner: CustomerID) throws {
    for (passes, places) in schedule.changed {
      try require(.customer(passes.customer))
      for place in places {
        try executeLater(
          """
          INSERT INTO pass_change (customer, app, product, begun, source, new_owner) VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT (customer, app, product, begun, source) DO UPDATE SET new_owner = excluded.new_owner
          """, passes.customer, passes.app, passes.product, place.purchased, place.source, newOwner)
      }
    }
  }

  /// Checks that the stored periods of a customer's passes are valid.
  ///
  /// - Throws: ``UnscheduledPasses``.
  func expectScheduledPasses(of customer: CustomerID) throws {
    let unscheduled = try row("SELECT 1 AS found FROM pass_change WHERE customer = $1 LIMIT 1", customer)
    if unscheduled != nil { throw UnscheduledPasses(customer: customer) }
  }

  /// Schedules the passes after all unscheduled changes of a customer.
  func schedulePasses(of customer: CustomerID) throws {
    try require(.customer(customer))
    var schedule = PassSchedule()
    let rows = try rows("SELECT DISTINCT app, product FROM pass_change WHERE customer = $1", customer)
    for row in rows {
      schedule.note(
        PassSchedule.Passes(
          customer: customer, app: try row.identifier("app"), product: try row.identifier("product")))
    }
    try apply(schedule)
  }

  /// Schedules the passes of a customer, and those of customers from whom the customer has received passes.
  func schedulePasses(ofOwnersBefore customer: CustomerID) throws {
    let owners = try rows(
      "SELECT DISTINCT customer FROM pass_change WHERE customer = $1 OR new_owner = $1 ORDER BY customer", customer
    ).map { try $0.customer("customer") }
    // The locks are requested together, because the transaction starts again for each request with a missing lock.
    try require(Set(owners.map { .customer($0) }))
    for owner in owners { try schedulePasses(of: owner) }
  }

  /// Returns the unscheduled changes of a product's passes, and removes them. The caller schedules the passes.
  func takeUnscheduled(_ passes: PassSchedule.Passes) throws -> Set<PassSchedule.Place> {
    let places = try rows(
      "SELECT begun, source FROM pass_change WHERE customer = $1 AND app = $2 AND product = $3", passes.customer,
      passes.app, passes.product
    ).map { PassSchedule.Place(purchased: try $0.date("begun"), source: try $0.text("source")) }
    guard !places.isEmpty else { return [] }
    try executeLater(
      "DELETE FROM pass_change WHERE customer = $1 AND app = $2 AND product = $3", passes.customer, passes.app,
      passes.product)
    return Set(places)
  }
}
