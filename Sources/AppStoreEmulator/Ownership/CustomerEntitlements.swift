import GRDB
import StoreModel

/// What a customer owns at the store's date, in all apps.
package struct CustomerEntitlements: Hashable, Sendable {
  /// Newest first: non-consumables; purchases that family members share with the customer; and periods that an earlier
  /// version of the store sold, which never renew. Shared and earlier periods are included until they end, and shared
  /// ones also in the purchaser's grace period.
  package let transactions: [StoredTransaction]
  /// The customer's own subscriptions that give access now.
  package let subscriptions: [RenewalRecord]
  /// The end of the purchaser's grace period, for the shared periods that give access in one.
  package var graceEnds: [TransactionID: StoreDate] = [:]
}

extension StoreUnitOfWork {
  /// What a customer owns now.
  ///
  /// - Parameter limit: the maximum number of transactions. If there are more, the newest are returned.
  func entitlements(
    of account: AccountName, _ environment: StoreEnvironment, limit: Int
  ) throws -> CustomerEntitlements {
    // Omits the periods of the customer's own subscriptions. A subscription may give access after the end of its last
    // period, so the state of the subscription decides.
    let transactions = try StoredTransaction.fetchAll(
      database,
      sql: """
        SELECT * FROM transactionRecord INDEXED BY transactionRecordOnOwner
        WHERE account = ?1 AND environment = ?2 AND type <> 'Consumable'
          AND revocationDate IS NULL AND NOT isUpgraded
          AND (type = 'Non-Consumable' OR expiresDate > ?3
            OR \(SubscriptionRow.isInGracePeriod("transactionRecord.sharedTransactionID")))
          AND originalTransactionID NOT IN (SELECT originalTransactionID FROM subscription WHERE account = ?1)
        ORDER BY sequence DESC LIMIT ?4
        """,
      arguments: [account.rawValue, environment.rawValue, now.millisecondsSince1970, limit])
    let rows = try subscriptions.all(of: account, environment)
    var graceEnds: [TransactionID: StoreDate] = [:]
    for stored in transactions where stored.record.expiresDate.map({ $0 <= now }) == true {
      graceEnds[stored.record.transactionID] = try subscriptions.deciding(stored)?.state.accessEnd
    }
    return CustomerEntitlements(
      transactions: transactions,
      subscriptions: rows.filter { $0.state.accessEnd > now }.map { RenewalRecord($0) }, graceEnds: graceEnds)
  }
}
