import AppStoreServerAPI
import GRDB
import StoreModel

/// A subscription of a customer: bought, or shared by a family member.
struct CustomerSubscription {
  /// For a family share, the purchaser's.
  let row: SubscriptionRow
  /// The customer's last transaction of it.
  let last: StoredTransaction
  let status: SubscriptionStatus
}

extension StoreUnitOfWork {
  /// The subscriptions of a customer in an app, also those that have ended. Periods that an earlier version of the store sold are
  /// not among them, because they have no subscription.
  func customerSubscriptions(of customer: Scope) throws -> [CustomerSubscription] {
    let own = try subscriptions.all(of: customer).map { row in
      let last = try storedTransaction(row.currentTransactionID)
      return CustomerSubscription(row: row, last: last, status: subscriptionStatus(of: row, for: last))
    }
    return try own + shares(of: customer)
  }

  /// The last share that the customer received of each relative's subscription.
  private func shares(of customer: Scope) throws -> [CustomerSubscription] {
    let statement = try database.cachedStatement(sql: Self.lastSharesSQL)
    return try StoredTransaction.fetchAll(statement, arguments: customer.arguments).compactMap { share in
      guard let row = try subscription(of: share) else { return nil }
      let isCurrent = isLastShare(share, of: row) || share.record.revocationDate != nil
      return CustomerSubscription(
        row: row, last: share, status: isCurrent ? subscriptionStatus(of: row, for: share) : .expired)
    }
  }

  static let lastSharesSQL = """
    SELECT * FROM transactionRecord WHERE sequence IN (
      SELECT max(sequence) FROM transactionRecord INDEXED BY transactionRecordSharedPeriod
      WHERE account = ? AND bundleID = ? AND environment = ? AND \(StoreSchema.sharedPeriod)
      GROUP BY originalTransactionID)
    ORDER BY sequence
    """
}
