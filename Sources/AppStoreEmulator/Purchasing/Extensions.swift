import GRDB
import StoreModel

extension StoreUnitOfWork {
  var extensions: Extensions { Extensions(work: self) }
}

/// Extends the current periods of subscriptions (renewal date extensions).
struct Extensions {
  let work: StoreUnitOfWork

  /// Changes the expiration date of a period's transaction, and of its family shares.
  func extend(_ id: TransactionID, to date: StoreDate) throws {
    let periods = try StoredTransaction.fetchAll(
      work.database,
      sql: """
        SELECT * FROM transactionRecord
        WHERE (transactionID = ?1 OR sharedTransactionID = ?1) AND revocationDate IS NULL ORDER BY sequence
        """,
      arguments: [id.rawValue])
    for var period in periods {
      period.record.expiresDate = date
      try period.revise(work.database)
      try work.events.record(.extended(period))
    }
    try work.makeReceiptsLater()
  }
}
