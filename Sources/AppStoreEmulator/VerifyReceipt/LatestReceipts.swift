import GRDB
import SignedData
import StoreModel

/// The fields that `verifyReceipt` adds to its answer for an app receipt with subscriptions: `latest_receipt_info`,
/// `pending_renewal_info`, and `latest_receipt`, which is not signed yet.
struct LatestAppReceipt: Sendable {
  /// The creation date of the new receipt.
  let creationDate: StoreDate
  /// The transactions that the new receipt lists, oldest first, as positions in ``ReceiptTransactions/records``.
  let current: [Int]
  /// The transactions of `latest_receipt_info`, newest first, as positions in ``ReceiptTransactions/records``.
  let latest: [Int]
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
  ///   - found: the store's records of the receipt's transactions.
  ///   - excludesOldTransactions: whether `latest` omits the older transactions of each subscription.
  /// - Returns: nil if the store has no record of a subscription in the receipt.
  func latest(_ found: ReceiptTransactions, excludesOldTransactions: Bool) throws -> LatestAppReceipt? {
    guard let count = found.currentCount else { return nil }
    let unfinished = found.listed.compactMap(\.self).filter { position in
      position >= count && found.records[position].record.type == .consumable
        && found.records[position].finishedDate == nil
    }
    var current = Array(0..<count)
    if !unfinished.isEmpty {
      current = (current + unfinished).sorted { found.records[$0].sequence < found.records[$1].sequence }
    }
    // The position of the newest transaction of each subscription.
    var newest: [TransactionID: Int] = [:]
    for position in current where found.records[position].record.type == .autoRenewableSubscription {
      newest[found.records[position].record.originalTransactionID] = position
    }
    let listed =
      excludesOldTransactions
      ? current.filter { newest[found.records[$0].record.originalTransactionID] ?? $0 == $0 } : current
    return LatestAppReceipt(
      creationDate: try takeReceiptDate(), current: current, latest: listed.reversed(),
      pending: try newest.values.sorted(by: >).map { position in
        let stored = found.records[position]
        return RenewalFields.pending(stored.record, try subscriptions.deciding(stored).map(RenewalRecord.init), at: now)
      })
  }

  /// The newest transaction of the subscription of a legacy receipt. Requires a unit of work that can write, because
  /// the signing date is stored.
  func latestLegacy(_ record: TransactionRecord) throws -> LatestLegacyReceipt? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM transactionRecord WHERE originalTransactionID = ? ORDER BY sequence DESC LIMIT 1")
    guard
      let newest = try StoredTransaction.fetchOne(statement, arguments: [record.originalTransactionID.rawValue])
    else { return nil }
    let renewal = try subscriptions.deciding(newest).map(RenewalRecord.init)
    let isActive = renewal.map { $0.accessEnd > now } ?? newest.record.isActive(at: now)
    return LatestLegacyReceipt(
      record: newest.record,
      input: try signingInputs([Fulfilment(stored: newest)], for: receiptInstallations.installation(for: newest))[0],
      isExpired: !isActive, pending: RenewalFields.pending(newest.record, renewal, at: now))
  }
}
