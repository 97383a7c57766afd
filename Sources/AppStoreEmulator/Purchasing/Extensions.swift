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
    try work.database.cachedStatement(
      sql: """
        UPDATE transactionRecord SET expiresDate = ?
        WHERE (transactionID = ? OR sharedTransactionID = ?) AND revocationDate IS NULL
        """
    ).execute(arguments: [date.millisecondsSince1970, id.rawValue, id.rawValue])
    try work.makeReceiptsLater()
  }
}
