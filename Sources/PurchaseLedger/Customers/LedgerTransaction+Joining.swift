import StoreModel

extension LedgerTransaction {
  /// Whether there is anything that belongs to a customer.
  func ownsSomething(_ customer: CustomerID) throws -> Bool {
    try row(
      """
      SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM claim WHERE customer = $1)
        OR EXISTS (SELECT 1 FROM credit_account WHERE customer = $1)
        OR EXISTS (SELECT 1 FROM entitlement WHERE customer = $1)
      """, customer) != nil
  }

  /// Makes one of two customers, the first of whom owns nothing: whoever holds their tokens is the other from now on,
  /// and so is whom a payment under way names.
  func join(_ newcomer: CustomerID, to existing: CustomerID) throws {
    try require(.customer(newcomer), .customer(existing))
    try execute("UPDATE bearer_token SET customer = $2 WHERE customer = $1", newcomer, existing)
    try execute("DELETE FROM stored_proof WHERE customer = $1", newcomer)
    try execute("UPDATE customer SET joined_to = $2 WHERE id = $1 OR joined_to = $1", newcomer, existing)
  }
}
