import GRDB
import StoreModel

extension StoreUnitOfWork {
  var deletions: Deletions { Deletions(work: self) }
}

/// Deletes transactions with all that was made from them: charges, refunds, redeliveries, payments and events. Only a test
/// needs this; in a store, nothing that was paid is ever deleted.
///
/// Devices are not told. What they have stored stays there until they forget it.
struct Deletions {
  let work: StoreUnitOfWork

  /// Deletes a transaction. If a subscription began with it, deletes the subscription with all its periods. If it is the last
  /// of several periods, the subscription has ended with the period before.
  ///
  /// - Returns: the deleted transactions, in order.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  func delete(_ id: TransactionID) throws -> [TransactionID] {
    guard let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database) else {
      throw AppStoreEmulatorError.unknownTransaction(id)
    }
    let isFirst = stored.record.originalTransactionID == id
    let deleted = try StoredTransaction.fetchAll(
      work.database,
      sql: """
        WITH deleted AS (
          SELECT transactionID FROM transactionRecord
          WHERE transactionID = ?1 OR ?2 AND originalTransactionID = ?1 AND sharedTransactionID IS NULL)
        SELECT * FROM transactionRecord
        WHERE transactionID IN (SELECT * FROM deleted) OR sharedTransactionID IN (SELECT * FROM deleted)
        ORDER BY sequence
        """,
      arguments: [id.rawValue, isFirst]
    ).map(\.record.transactionID)
    if let subscription = try work.subscriptions.current(stored), !isFirst { try endBefore(stored, subscription) }
    try remove(deleted)
    return deleted
  }

  /// Deletes a payment that has no transaction.
  func delete(_ paymentID: PaymentID, on installationID: InstallationID) throws {
    for table in ["interruptedPurchase", "payment"] {
      try work.database.execute(
        sql: "DELETE FROM \(table) WHERE installationID = ? AND paymentID = ?",
        arguments: [installationID.rawValue, paymentID.rawValue])
    }
  }

  /// Deletes all transactions, payments and requests of the store. Apps, customers and installations stay.
  func deleteAll() throws {
    try StoreTables.empty(StoreTables.purchases, in: work.database)
    try work.makeReceiptsLater()
  }

  /// Makes the period before a deleted one the last of its subscription, which has ended with it.
  private func endBefore(_ stored: StoredTransaction, _ subscription: SubscriptionRow) throws {
    let earlier = try StoredTransaction.fetchOne(
      work.database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE originalTransactionID = ? AND sequence < ? AND sharedTransactionID IS NULL ORDER BY sequence DESC LIMIT 1
        """,
      arguments: [subscription.originalTransactionID.rawValue, stored.sequence])
    guard let earlier else { return }
    var (row, state) = (subscription, subscription.state)
    let steps = state.endWithEarlierPeriod(at: earlier.record.expiresDate ?? stored.record.purchaseDate)
    row.change(to: state)
    row.currentTransactionID = earlier.record.transactionID
    try work.subscriptions.store(row, steps)
  }

  /// Each table comes before the tables that it references.
  private static let references = [
    ("payment", "transactionID"), ("charge", "transactionID"), ("refund", "transactionID"), ("redelivery", "recordID"),
    ("orderedPurchase", "transactionID"), ("refundRequest", "transactionID"),
    ("consumptionInformation", "transactionID"), ("storeEvent", "transactionID"),
    ("subscriptionStep", "originalTransactionID"), ("subscription", "originalTransactionID"),
    ("transactionRecord", "transactionID"),
  ]

  private func remove(_ ids: [TransactionID]) throws {
    for (table, column) in Self.references {
      for id in ids {
        try work.database.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [id.rawValue])
      }
    }
    try work.makeReceiptsLater()
  }
}
