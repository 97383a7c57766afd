import GRDB
import StoreModel

extension StoreUnitOfWork {
  var finishes: Finishes { Finishes(work: self) }
}

/// Records that transactions are finished: no device receives them as unfinished any more.
struct Finishes {
  let work: StoreUnitOfWork

  /// Finishes a transaction or a redelivery, wherever it was delivered. A repeated finish changes nothing.
  func finish(_ id: TransactionID) throws {
    let date = work.now.millisecondsSince1970
    try work.database.cachedStatement(
      sql: """
        UPDATE transactionRecord SET finishedDate = ?, finishRevision = (SELECT nextRevision FROM store)
        WHERE transactionID = ? AND finishedDate IS NULL
        """
    ).execute(arguments: [date, id.rawValue])
    if work.database.changesCount == 1 {
      _ = try Revisions.take(work.database)
      return
    }
    try work.database.cachedStatement(
      sql: "UPDATE redelivery SET finishedDate = ? WHERE transactionID = ? AND finishedDate IS NULL"
    ).execute(arguments: [date, id.rawValue])
  }
}
