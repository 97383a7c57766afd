import GRDB
import StoreModel

extension StoreUnitOfWork {
  func deliveries(to installation: Installation) -> Deliveries { Deliveries(work: self, installation: installation) }
}

/// Delivers transactions to an installation until its app finishes them.
struct Deliveries {
  let work: StoreUnitOfWork
  let installation: Installation

  /// One fulfilment, with the app receipt that contains it.
  func delivery(of fulfilment: Fulfilment) throws -> UnsignedDelivery {
    UnsignedDelivery(
      transactions: try work.signingInputs([fulfilment], for: installation),
      receipt: try work.appReceipt(of: installation).current())
  }

  /// A page of the transactions that the installation has not finished, oldest first. The receipt is on the first page.
  ///
  /// - Parameter cursor: the end of the previous page; nil for the first page.
  func unfinished(after cursor: UnfinishedCursor?) throws -> UnsignedDelivery {
    if cursor == nil, let account = installation.account {
      try claimUndelivered(of: account)
      try takeOver(for: account)
    }
    let place = try cursor ?? UnfinishedCursor(after: 0, through: StoreRow.fetch(work.database).nextSequence - 1)
    // Fetches one more than a page has, to detect whether there is another page.
    let found = try work.fulfilments.unfinished(
      on: installation.installationID, within: place, limit: Self.pageSize + 1)
    let page = Array(found.prefix(Self.pageSize))
    return UnsignedDelivery(
      transactions: try work.signingInputs(page.filter(\.stored.record.isDeliverable), for: installation),
      receipt: cursor == nil ? try work.appReceipt(of: installation).current() : nil,
      next: page.last.flatMap {
        found.count > page.count ? UnfinishedCursor(after: $0.sequence, through: place.through) : nil
      })
  }

  /// The maximum number of transactions in an answer. Signing a transaction takes half a millisecond; a signed transaction
  /// has 7 KB.
  static let pageSize = 100

  /// Assigns purchases made outside the app to this installation, which is the first one that requests them. They are
  /// delivered to no other installation.
  private func claimUndelivered(of account: AccountName) throws {
    try work.database.cachedStatement(
      sql: """
        UPDATE transactionRecord SET installationID = ?
        WHERE installationID IS NULL AND finishedDate IS NULL AND \(TransactionRecord.isDeliverableSQL)
          AND account = ? AND bundleID = ? AND environment = ?
        """
    ).execute(arguments: [installation.installationID.rawValue] + Scope(account, on: installation).arguments)
  }

  /// Moves unfinished transactions from earlier installations of the app on this device to this installation, for the
  /// account that paid. An app has only one installation on a device. The transactions lose their payment ids, because
  /// the payments belong to the earlier installations.
  ///
  /// - Returns: whether a transaction was moved.
  @discardableResult
  func takeOver(for account: AccountName) throws -> Bool {
    try work.database.cachedStatement(
      sql: """
        UPDATE transactionRecord SET installationID = ?1, paymentID = NULL
        WHERE finishedDate IS NULL AND \(TransactionRecord.isDeliverableSQL) AND account = ?2 AND installationID IN (
          SELECT earlier.installationID FROM installation AS earlier, installation AS later
          WHERE later.installationID = ?1 AND earlier.rowid < later.rowid AND earlier.deviceID = later.deviceID
            AND earlier.bundleID = later.bundleID AND earlier.environment = later.environment)
        """
    ).execute(arguments: [installation.installationID.rawValue, account.rawValue])
    return work.database.changesCount > 0
  }

  /// Records that the app has finished a transaction.
  ///
  /// - Throws: ``StoreRefusal`` if it was not delivered to this installation, and is not a transaction that the signed-in
  ///   customer can finish on every device.
  func finish(_ transaction: TransactionID) throws {
    guard try work.finishes.finish(transaction, on: installation) else {
      throw StoreRefusal(.unknownTransaction, "Transaction \(transaction) was not delivered to this installation.")
    }
  }
}
