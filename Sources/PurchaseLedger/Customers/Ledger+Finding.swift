import StoreModel

extension Ledger {
  /// Returns the customer with a subject (issuer and name), in the format of ``identify(subject:)``; empty if there is
  /// none.
  public func customers(subject: String) async throws -> [CustomerID] {
    try await database.read { transaction in
      try transaction.rows("SELECT id FROM customer WHERE subject = $1 AND erased IS NULL", subject)
        .map { try $0.customer("id") }
    }
  }

  /// Returns the customers who have claimed a transaction, in all apps and environments.
  ///
  /// - Parameter id: the claim's id: the transaction id of a consumable, the original transaction id of other products.
  public func customers(transaction id: TransactionID) async throws -> [CustomerID] {
    let apps = Array(apps.keys)
    return try await database.read { transaction in
      var found: Set<CustomerID> = []
      for app in apps {
        for environment in StoreEnvironment.allCases {
          if let claim = try transaction.claim(PurchaseKey(app: app, environment: environment, id: id)) {
            found.insert(claim.customer)
          }
        }
      }
      return found.sorted()
    }
  }
}
