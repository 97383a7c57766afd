import GRDB
import StoreModel

extension StoreUnitOfWork {
  var subscriptions: SubscriptionRecords { SubscriptionRecords(work: self) }
}

extension SubscriptionRow {
  /// Returns the SQL condition for a transaction that is the last period of a subscription in its grace period. A family
  /// share of that period gives access although it has ended.
  ///
  /// - Parameter column: the column with the transaction id of the purchaser's period.
  static func isInGracePeriod(_ column: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM transactionRecord AS lastPeriod
      JOIN subscription ON subscription.originalTransactionID = lastPeriod.originalTransactionID
      WHERE lastPeriod.transactionID = \(column) AND subscription.currentTransactionID = lastPeriod.transactionID
        AND json_extract(subscription.state, '$.state') = '\(RenewalRecord.State.gracePeriod.rawValue)')
    """
  }
}

/// The customers' subscriptions, and the history of each.
struct SubscriptionRecords {
  let work: StoreUnitOfWork

  /// The subscription of a customer in a group; nil if the customer never subscribed.
  func find(_ groupID: SubscriptionGroupID, of scope: Scope) throws -> SubscriptionRow? {
    try SubscriptionRow.lookUp(
      [
        "account": scope.account.rawValue, "bundleID": scope.bundleID.rawValue,
        "environment": scope.environment.rawValue, "groupID": groupID.rawValue,
      ], in: work.database)
  }

  /// - Throws: ``AppStoreEmulatorError/unknownSubscription(_:)``.
  func subscription(_ original: TransactionID) throws -> SubscriptionRow {
    guard let row = try find(original) else { throw AppStoreEmulatorError.unknownSubscription(original) }
    return row
  }

  /// The subscription whose first transaction is `original`; nil if there is none.
  func find(_ original: TransactionID) throws -> SubscriptionRow? {
    try SubscriptionRow.lookUp(["originalTransactionID": original.rawValue], in: work.database)
  }

  /// The subscriptions of a customer in an app.
  func all(of scope: Scope) throws -> [SubscriptionRow] {
    try SubscriptionRow.fetchAll(try work.database.cachedStatement(sql: Self.ofScopeSQL), arguments: scope.arguments)
  }

  /// The columns are the first ones of the table's unique key.
  static let ofScopeSQL = """
    SELECT * FROM subscription WHERE account = ? AND bundleID = ? AND environment = ? ORDER BY originalTransactionID
    """

  /// The subscriptions of a customer in all apps.
  func all(of account: AccountName, _ environment: StoreEnvironment) throws -> [SubscriptionRow] {
    try SubscriptionRow.fetchAll(
      try work.database.cachedStatement(
        sql: "SELECT * FROM subscription WHERE account = ? AND environment = ? ORDER BY originalTransactionID"),
      arguments: [account.rawValue, environment.rawValue])
  }

  /// The rules of an app.
  func rules(of bundleID: BundleID) throws -> RenewalRules {
    try work.catalog.app(bundleID).renewalRules ?? RenewalRules()
  }

  /// Stores a subscription, and the steps of its history.
  func store(_ row: SubscriptionRow, _ effects: [SubscriptionEffect]) throws {
    var row = row
    if !effects.isEmpty { row.revision = try Revisions.take(work.database) }
    try row.save(work.database)
    for case .record(let step) in effects {
      try SubscriptionStepRow(
        originalTransactionID: row.originalTransactionID, step: step, date: work.now
      ).insert(work.database)
      try work.events.record(.subscription(step, row, number: work.database.lastInsertedRowID))
    }
  }

  /// The newest steps of a subscription, oldest first.
  ///
  /// - Parameter limit: the maximum number of steps; nil for all.
  func history(of original: TransactionID, limit: Int?) throws -> [SubscriptionStepRow] {
    var steps = SubscriptionStepRow.filter(Column("originalTransactionID") == original.rawValue)
      .order(Column("sequence").desc)
    if let limit { steps = steps.limit(limit) }
    return try steps.fetchAll(work.database).reversed()
  }

  /// The subscription to which a transaction belongs as one of its periods; nil for other transactions.
  func find(_ record: TransactionRecord) throws -> SubscriptionRow? {
    try find(record.originalTransactionID)
  }

  /// The subscription that decides whether a transaction's subscription goes on: that of the owner or, for a family
  /// share, that of the purchaser. Nil if the share was revoked or is of an earlier period, because the purchaser's
  /// subscription then says nothing about the member; and nil if an earlier version of the store sold the transaction.
  func deciding(_ stored: StoredTransaction) throws -> SubscriptionRow? {
    guard let shared = stored.sharedTransactionID else { return try find(stored.record) }
    guard stored.record.revocationDate == nil,
      let purchase = try StoredTransaction.lookUp(["transactionID": shared.rawValue], in: work.database)
    else { return nil }
    return try current(purchase)
  }

  /// The subscription whose last charged period has this transaction; nil for other transactions.
  func current(_ stored: StoredTransaction) throws -> SubscriptionRow? {
    guard stored.sharedTransactionID == nil, stored.record.type == .autoRenewableSubscription,
      let row = try find(stored.record), row.currentTransactionID == stored.record.transactionID
    else { return nil }
    return row
  }
}
