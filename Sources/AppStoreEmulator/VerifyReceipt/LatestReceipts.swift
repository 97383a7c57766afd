import GRDB
import SignedData
import StoreModel

/// The renewal data of an answer to an app receipt with subscriptions, before the new receipt is signed.
struct LatestAppReceipt: Sendable {
  /// The request's receipt with the current transactions and a new creation date. It is for the same device.
  let receipt: AppReceipt
  let transactions: [[String: String]]
  let pending: [[String: String]]
}

/// The renewal data of an answer to a legacy receipt of a subscription, before the new receipt is signed.
struct LatestLegacyReceipt: Sendable {
  let record: TransactionRecord
  let input: SigningInput
  let isExpired: Bool
  let pending: [String: String]
}

extension StoreUnitOfWork {
  /// The current state of the subscriptions of an app receipt. Requires a unit of work that can write, because the
  /// creation date is stored.
  ///
  /// - Parameters:
  ///   - records: the store's records of the receipt's transactions.
  ///   - excludesOldTransactions: whether only the newest transaction of each subscription is returned.
  /// - Returns: nil if the store has no record of a subscription in the receipt.
  func latest(
    _ receipt: AppReceipt, records: [StoredTransaction], excludesOldTransactions: Bool
  ) throws -> LatestAppReceipt? {
    let newest = records.filter { $0.record.type == .autoRenewableSubscription }.max { $0.sequence < $1.sequence }
    guard let newest else { return nil }
    let unfinished = records.filter { $0.record.type == .consumable && $0.finishedDate == nil }
    let stored = try (ownership(Scope(newest)).allButConsumables(besides: records) + unfinished).sorted {
      $0.sequence < $1.sequence
    }
    var latestOfSubscription: [TransactionID: StoredTransaction] = [:]
    for transaction in stored where transaction.record.type == .autoRenewableSubscription {
      latestOfSubscription[transaction.record.originalTransactionID] = transaction
    }
    let latest = latestOfSubscription.values.sorted { $0.sequence > $1.sequence }
    let listed =
      excludesOldTransactions
      ? stored.filter { transaction in
        latestOfSubscription[transaction.record.originalTransactionID].map { $0.sequence == transaction.sequence }
          ?? true
      } : stored
    var current = receipt
    current.creationDate = try takeReceiptDate()
    current.requestDate = current.creationDate
    current.inAppPurchases = stored.map { AppReceipt.InAppPurchase(record: $0.record) }
    return LatestAppReceipt(
      receipt: current, transactions: listed.reversed().map { InAppFields.latestFields(of: $0.record) },
      pending: try latest.map { RenewalFields.pending($0.record, try subscription(of: $0), at: now) })
  }

  /// The newest transaction of the subscription of a legacy receipt. Requires a unit of work that can write, because
  /// the signing date is stored.
  func latestLegacy(_ record: TransactionRecord) throws -> LatestLegacyReceipt? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM transactionRecord WHERE originalTransactionID = ? ORDER BY sequence DESC LIMIT 1")
    guard
      let newest = try StoredTransaction.fetchOne(statement, arguments: [record.originalTransactionID.rawValue])
    else { return nil }
    let subscription = try subscription(of: newest)
    let isActive = subscription.map { $0.accessEnd > now } ?? newest.record.isActive(at: now)
    return LatestLegacyReceipt(
      record: newest.record,
      input: try signingInputs([Fulfilment(stored: newest)], for: receiptInstallations.installation(for: newest))[0],
      isExpired: !isActive, pending: RenewalFields.pending(newest.record, subscription, at: now))
  }

  /// The subscription of a transaction; for a family share, the subscription of the shared purchase. Nil if an earlier
  /// version of the store sold it.
  private func subscription(of stored: StoredTransaction) throws -> Subscription? {
    let original = try stored.sharedTransactionID.map { try fulfilments.transaction($0).record.originalTransactionID }
    return try SubscriptionRow.lookUp(
      ["originalTransactionID": (original ?? stored.record.originalTransactionID).rawValue], in: database)?.state
  }
}
