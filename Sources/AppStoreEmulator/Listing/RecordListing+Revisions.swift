import GRDB
import StoreModel

extension RecordListing {
  /// The transactions of a customer in an app that changed after a revision, in the order of their changes, and the
  /// revision of the last one. Each transaction is listed once, with its newest revision.
  ///
  /// - Parameter revision: the one that the page before returned; nil for all transactions.
  /// - Throws: ``StoreRevisionError/otherEpoch(_:current:)``.
  func transactions(
    of scope: Scope, changedAfter revision: StoreRevision?, limit: Int
  ) throws -> (transactions: [StoredTransaction], revision: StoreRevision) {
    let number = try revision?.number(in: work.epoch) ?? 0
    let changed = try StoredTransaction.all(
      try work.database.cachedStatement(sql: Self.changedSQL), arguments: scope.arguments + [number, limit])
    return (changed, StoreRevision(epoch: work.epoch, number: changed.last?.record.revision ?? number))
  }

  static let changedSQL = """
    SELECT * FROM transactionRecord INDEXED BY transactionRecordRevised
    WHERE account = ? AND bundleID = ? AND environment = ? AND revision > ? ORDER BY revision LIMIT ?
    """
}
