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
  /// The owner of a transaction can finish it on every installation on which the owner is signed in. A consumable can be
  /// finished only where it was delivered, because another device has not granted it.
  ///
  /// - Parameter installation: the installation that finishes it; nil if a server does.
  /// - Returns: whether there is such a transaction or redelivery.
  @discardableResult
  func finish(_ id: TransactionID, on installation: Installation? = nil) throws -> Bool {
    for table in [Self.records, Self.redeliveries] {
      guard let isFinished = try isFinished(id, in: table, on: installation) else { continue }
      if isFinished { return true }
      // A redelivery is no record of its own, so its finish is no change for the owner's devices.
      let revision = table == Self.records ? try Revisions.take(work.database) : nil
      let numbered = revision == nil ? "" : ", finishRevision = ?"
      try work.database.cachedStatement(
        sql: "UPDATE \(table) SET finishedDate = ?\(numbered) WHERE transactionID = ?"
      ).execute(
        arguments: [work.now.millisecondsSince1970] + (revision.map { [$0] } ?? []) + [id.rawValue])
      return true
    }
    return false
  }

  private static let records = "transactionRecord"
  private static let redeliveries = "redelivery"

  /// Returns nil if the table has no such row, or one that the installation cannot finish.
  private func isFinished(_ id: TransactionID, in table: String, on installation: Installation?) throws -> Bool? {
    func find(_ condition: String, _ arguments: StatementArguments) throws -> Bool? {
      try Bool.fetchOne(
        work.database.cachedStatement(
          sql: "SELECT finishedDate IS NOT NULL FROM \(table) WHERE transactionID = ?\(condition)"),
        arguments: [id.rawValue] + arguments)
    }
    guard let installation else { return try find("", []) }
    if let found = try find(" AND installationID = ?", [installation.installationID.rawValue]) { return found }
    guard table == Self.records, let account = installation.account else { return nil }
    return try find(
      " AND type <> '\(ProductType.consumable.rawValue)' AND account = ? AND bundleID = ? AND environment = ?",
      Scope(account, on: installation).arguments)
  }
}
