import GRDB
import StoreModel

extension StoreUnitOfWork {
  var finishes: Finishes { Finishes(work: self) }
}

/// Records that transactions are finished: no device receives them as unfinished any more.
struct Finishes {
  let work: StoreUnitOfWork

  /// Finishes a transaction or a redelivery. A repeated finish changes nothing, and takes no number of the changes.
  ///
  /// - Parameter installation: the installation to which it was delivered; nil for any.
  /// - Returns: whether there is such a transaction or redelivery.
  @discardableResult
  func finish(_ id: TransactionID, on installation: InstallationID? = nil) throws -> Bool {
    for table in ["transactionRecord", "redelivery"] {
      let isFinished = try Bool.fetchOne(
        work.database.cachedStatement(
          sql: """
            SELECT finishedDate IS NOT NULL FROM \(table)
            WHERE transactionID = ?1 AND (?2 IS NULL OR installationID = ?2)
            """), arguments: [id.rawValue, installation?.rawValue])
      guard let isFinished else { continue }
      if isFinished { return true }
      // A redelivery is no record of its own, so its finish is no change for the owner's devices.
      let isRecord = table == "transactionRecord"
      let revision = isRecord ? try Revisions.take(work.database) : nil
      try work.database.cachedStatement(
        sql: "UPDATE \(table) SET finishedDate = ?\(isRecord ? ", finishRevision = ?" : "") WHERE transactionID = ?"
      ).execute(
        arguments: [work.now.millisecondsSince1970] + (revision.map { [$0] } ?? []) + [id.rawValue])
      return true
    }
    return false
  }
}
