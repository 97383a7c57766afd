import GRDB
import StoreModel

extension StoreUnitOfWork {
  func ownership(_ scope: Scope) -> Ownership { Ownership(work: self, scope: scope, date: now) }

  /// The transaction of an id that another row contains.
  ///
  /// - Throws: ``StoreRefusal`` if the store has no such transaction, because its records are damaged.
  func storedTransaction(_ id: TransactionID) throws -> StoredTransaction {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: database) else {
      throw StoreRefusal(.temporarilyUnavailable, "Transaction \(id) is missing from the store's records.")
    }
    return stored
  }
}

/// The purchases that a customer owns in an app.
struct Ownership {
  let work: StoreUnitOfWork
  let scope: Scope
  /// The date for which ownership is checked. A subscription must be active at this date.
  var date: StoreDate

  /// The transaction by which the customer owns a product now. The product must not be charged again. Nil if the
  /// customer does not own the product, or if the product can be bought repeatedly.
  ///
  /// If the customer has both a purchase and a family share, returns the purchase.
  func transaction(owning product: ProductID) throws -> StoredTransaction? {
    let statement = try work.database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ? AND bundleID = ? AND environment = ? AND productID = ? AND type <> 'Consumable'
          AND revocationDate IS NULL AND NOT isUpgraded AND (type = 'Non-Consumable' OR expiresDate > ?)
        ORDER BY sharedTransactionID IS NOT NULL, sequence LIMIT 1
        """)
    return try StoredTransaction.fetchOne(
      statement, arguments: scope.arguments + [product.rawValue, date.millisecondsSince1970])
  }

  /// The customer's transactions of non-consumables and subscriptions, oldest first.
  func allButConsumables() throws -> [StoredTransaction] {
    let statement = try work.database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE type <> 'Consumable' AND account = ? AND bundleID = ? AND environment = ?
        ORDER BY sequence
        """)
    return try StoredTransaction.all(statement, arguments: scope.arguments)
  }

  /// The newest transaction of a subscription group that the customer bought.
  func newestPurchase(in group: SubscriptionGroupID) throws -> StoredTransaction? {
    let statement = try work.database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE account = ? AND bundleID = ? AND environment = ? AND subscriptionGroupID = ? AND type <> 'Consumable'
          AND sharedTransactionID IS NULL
        ORDER BY sequence DESC LIMIT 1
        """)
    return try StoredTransaction.fetchOne(statement, arguments: scope.arguments + [group.rawValue])
  }

  /// Whether the customer has an active subscription of a group.
  ///
  /// - Parameter countsShares: whether a subscription that a family member shares is sufficient.
  func isSubscribed(to group: SubscriptionGroupID, countsShares: Bool = true) throws -> Bool {
    if let row = try work.subscriptions.find(group, of: scope), row.state.accessEnd > date { return true }
    let statement = try work.database.cachedStatement(
      sql: """
        SELECT EXISTS (
          SELECT 1 FROM transactionRecord
          WHERE account = ? AND bundleID = ? AND environment = ? AND subscriptionGroupID = ? AND type <> 'Consumable'
            AND revocationDate IS NULL AND NOT isUpgraded AND expiresDate > ? AND (? OR sharedTransactionID IS NULL))
        """)
    return try Bool.fetchOne(
      statement, arguments: scope.arguments + [group.rawValue, date.millisecondsSince1970, countsShares]) == true
  }

  /// The products that the customer has lost by revocations, and does not own by another transaction.
  func lostProducts() throws -> [ProductID] {
    try String.fetchAll(
      work.database,
      sql: """
        SELECT DISTINCT productID FROM transactionRecord
        WHERE account = ? AND bundleID = ? AND environment = ? AND revocationDate IS NOT NULL
          AND type IN ('Non-Consumable', 'Auto-Renewable Subscription')
        ORDER BY productID
        """,
      arguments: scope.arguments
    ).map(ProductID.init(rawValue:)).filter { try transaction(owning: $0) == nil }
  }
}

extension TransactionRecord {
  /// Whether it is a subscription period that has not ended, and was not revoked or upgraded.
  func isActive(at now: StoreDate) -> Bool {
    revocationDate == nil && !isUpgraded && expiresDate.map { $0 > now } == true
  }
}
