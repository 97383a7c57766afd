import Foundation
import GRDB
import SignedData
import StoreModel

/// The store's records of an app receipt's transactions.
///
/// Other types refer to a record by its position instead of copying it, because an answer can need 10,000 records.
struct ReceiptTransactions: Sendable {
  /// The current non-consumables and subscriptions of the receipt's customer, oldest first, if the receipt has a subscription. Then
  /// the other transactions that the receipt lists.
  let records: [StoredTransaction]
  /// The number of current transactions of the customer, which are the first elements of ``records``. Nil if the store
  /// has no record of a subscription in the receipt.
  let currentCount: Int?
  /// The position in ``records`` of each transaction in the receipt; nil if the store has no record of it.
  let listed: [Int?]
}

extension StoreUnitOfWork {
  /// Reads the records of a receipt's transactions.
  ///
  /// The current transactions of a customer with subscriptions are read first, because they include nearly all of the listed ones,
  /// and an answer needs them anyway.
  func transactions(of receipt: AppReceipt) throws -> ReceiptTransactions {
    let purchases = receipt.inAppPurchases
    var records: [StoredTransaction] = []
    // The store nearly always has a record of the newest subscription transaction. If the record is missing,
    // for example after a reset, the next older transaction is tried.
    for newest in Self.subscriptions(purchases) {
      guard let stored = try transactions([purchases[newest].transactionID], of: receipt).first,
        purchases[newest].isSamePurchase(as: stored.record)
      else { continue }
      records = try ownership(Scope(stored)).allButConsumables()
      break
    }
    let currentCount = records.count
    var positions: [TransactionID: Int] = [:]
    var listed: [Int?] = []
    listed.reserveCapacity(purchases.count)
    var next = 0
    for index in purchases.indices {
      // Most purchases of a receipt are in the same order as the records, so the next record is tried first. The other
      // purchases are looked up by id.
      if next < currentCount, records[next].record.transactionID == purchases[index].transactionID {
        listed.append(next)
      } else {
        if positions.isEmpty {
          positions.reserveCapacity(currentCount)
          for position in 0..<currentCount { positions[records[position].record.transactionID] = position }
        }
        listed.append(positions[purchases[index].transactionID])
      }
      next = (listed[index] ?? next) + 1
    }
    let missing = listed.indices.filter { listed[$0] == nil }.map { purchases[$0].transactionID }
    for stored in try transactions(missing, of: receipt) {
      positions[stored.record.transactionID] = records.count
      records.append(stored)
    }
    for index in purchases.indices {
      guard let position = listed[index] ?? positions[purchases[index].transactionID] else { continue }
      // Stores with the same keys and seed make the same transaction ids. A record with the same id can be of another
      // purchase, and is ignored then.
      listed[index] = purchases[index].isSamePurchase(as: records[position].record) ? position : nil
    }
    let hasSubscription = listed.contains { position in
      position.map { records[$0].record.type == .autoRenewableSubscription } == true
    }
    return ReceiptTransactions(
      records: records, currentCount: hasSubscription ? currentCount : nil, listed: listed)
  }

  /// The positions of the subscriptions in a receipt, newest first. Sorts positions instead of purchases, because
  /// purchases are large values.
  private static func subscriptions(_ purchases: [AppReceipt.InAppPurchase]) -> [Int] {
    purchases.indices.filter { purchases[$0].productType == .autoRenewableSubscription }
      .map { (position: $0, date: purchases[$0].purchaseDate) }
      .sorted { $0.date > $1.date }.map(\.position)
  }

  /// The transactions with these ids, of the receipt's app and environment.
  private func transactions(_ ids: [TransactionID], of receipt: AppReceipt) throws -> [StoredTransaction] {
    guard !ids.isEmpty else { return [] }
    // One query for all transactions: SQLite reads the ids as the rows of a JSON array.
    let list = try JSONEncoder().encode(ids.map(\.rawValue))
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM transactionRecord
        WHERE transactionID IN (SELECT value FROM json_each(?)) AND bundleID = ? AND environment = ?
        """)
    return try StoredTransaction.all(
      statement,
      arguments: [String(decoding: list, as: UTF8.self), receipt.bundleID.rawValue, receipt.environment?.rawValue])
  }
}

extension AppReceipt.InAppPurchase {
  /// Whether all permanent values of the record are those of this purchase. The purchase dates of both have whole
  /// seconds.
  fileprivate func isSamePurchase(as record: TransactionRecord) -> Bool {
    transactionID == record.transactionID && originalTransactionID == record.originalTransactionID
      && productID == record.productID && quantity == record.quantity && purchaseDate == record.purchaseDate
  }
}
