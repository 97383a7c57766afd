import GRDB
import StoreModel

/// A position in the history of a customer's transactions, in the order of their last changes: a revision, and the direction.
struct HistoryPosition: LosslessStringConvertible {
  /// The revision of the last transaction before it.
  let number: Int64
  let isDescending: Bool
  let epoch: StoreEpoch

  init(number: Int64, isDescending: Bool, epoch: StoreEpoch) {
    (self.number, self.isDescending, self.epoch) = (number, isDescending, epoch)
  }

  /// - Parameter description: the text of a ``StoreRevision``; with the suffix `-d` if it is descending.
  init?(_ description: String) {
    let isDescending = description.hasSuffix("-d")
    guard let revision = StoreRevision(String(isDescending ? description.dropLast(2) : description[...])) else {
      return nil
    }
    self.init(number: revision.number, isDescending: isDescending, epoch: revision.epoch)
  }

  var description: String { "\(StoreRevision(epoch: epoch, number: number))" + (isDescending ? "-d" : "") }
}

extension RecordListing {
  /// The transactions of a customer in an app after a position.
  ///
  /// - Parameter condition: the SQL condition on the transactions.
  func transactions(
    of scope: Scope, _ position: HistoryPosition, where condition: SQL = "TRUE", limit: Int
  ) throws -> [StoredTransaction] {
    try SQLRequest(literal: Self.changed(of: scope, position, where: condition, limit: limit)).fetchAll(work.database)
  }

  static func changed(of scope: Scope, _ position: HistoryPosition, where condition: SQL, limit: Int) -> SQL {
    let (comparison, order) = position.isDescending ? ("<", "DESC") : (">", "ASC")
    return """
      SELECT * FROM transactionRecord INDEXED BY transactionRecordRevised
      WHERE account = \(scope.account.rawValue) AND bundleID = \(scope.bundleID.rawValue)
        AND environment = \(scope.environment.rawValue) AND revision \(sql: comparison) \(position.number)
        AND \(condition)
      ORDER BY revision \(sql: order) LIMIT \(limit)
      """
  }
}
