import GRDB
import StoreModel

extension Deliveries {
  /// Redelivers the purchases of the signed-in customer, one page at a time.
  ///
  /// The redeliveries are not stored; only their transaction numbers are used up. If a device does not receive a page,
  /// it restores again.
  ///
  /// - Throws: ``StoreRefusal``.
  func restore(
    after cursor: RestoreCursor?, applicationUsername: String?
  ) throws -> (delivery: UnsignedDelivery, next: RestoreCursor?) {
    guard let account = installation.account else {
      throw StoreRefusal(.signInRequired, "Sign in to restore your purchases.")
    }
    let cursor =
      try cursor
      ?? RestoreCursor(after: 0, through: StoreRow.fetch(work.database).nextSequence - 1, account: account)
    guard cursor.account == account else {
      throw StoreRefusal(.accountChanged, "Another customer has signed in meanwhile. Restore again.")
    }
    let records = try restorable(for: account, after: cursor, limit: Self.pageSize + 1)
    let page = records.prefix(Self.pageSize)
    let fulfilments = try page.map { stored in
      Fulfilment(
        stored: stored,
        redelivery: try work.fulfilments.next(
          of: stored, answering: nil, applicationUsername: stored.record.applicationUsername ?? applicationUsername,
          on: installation.installationID))
    }
    let next = page.last.flatMap {
      records.count > page.count ? RestoreCursor(after: $0.sequence, through: cursor.through, account: account) : nil
    }
    let delivery = UnsignedDelivery(
      transactions: try work.signingInputs(fulfilments, for: installation),
      receipt: cursor.after == 0 ? try work.appReceipt(of: installation).refreshed() : nil)
    return (delivery, next)
  }

  private func restorable(
    for account: AccountName, after cursor: RestoreCursor, limit: Int
  ) throws -> [StoredTransaction] {
    try StoredTransaction.all(
      try work.database.cachedStatement(
        sql: """
          SELECT * FROM transactionRecord
          WHERE account = ?1 AND bundleID = ?2 AND environment = ?3 AND type <> 'Consumable'
            AND type IN ('Non-Consumable', 'Auto-Renewable Subscription') AND revocationDate IS NULL
            AND sequence > ?4 AND sequence <= ?5 AND (finishedDate IS NOT NULL OR installationID IS NOT ?6)
          ORDER BY sequence LIMIT ?7
          """),
      arguments: Scope(account, on: installation).arguments
        + [cursor.after, cursor.through, installation.installationID.rawValue, limit])
  }
}
