import GRDB
import StoreModel

extension EmulatedAppStore {
  /// How many records a page of a restore has at most.
  static let restoredPageSize = 100

  /// Delivers what the account that is signed in owns, a page at a time. Nothing of it is remembered but the numbers it uses
  /// up: whoever lost a page restores again.
  func restore(
    after cursor: RestoreCursor?, applicationUsername: String?, from installationID: InstallationID
  ) async throws -> RestoredPage {
    let (renderings, contents, next) = try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.registered(installationID, in: database)
      guard let account = installation.account else {
        throw StoreRefusal(.signInRequired, "Sign in to restore your purchases.")
      }
      let cursor =
        try cursor
        ?? RestoreCursor(after: 0, through: StoreRow.fetch(database).nextSequence - 1, account: account)
      guard cursor.account == account else {
        throw StoreRefusal(.accountChanged, "Another customer has signed in meanwhile. Restore again.")
      }
      let records = try Self.restorable(
        by: account, on: installation, after: cursor, limit: Self.restoredPageSize + 1, in: database)
      let page = records.prefix(Self.restoredPageSize)
      let provisions = try page.map { stored in
        Provision(
          stored: stored,
          redelivery: try Redelivery.next(
            of: stored, answering: nil, applicationUsername: stored.record.applicationUsername ?? applicationUsername,
            on: installationID, date: now, in: database))
      }
      let next = page.last.flatMap {
        records.count > page.count ? RestoreCursor(after: $0.sequence, through: cursor.through, account: account) : nil
      }
      return (
        try self.render(provisions, for: installation, now: now, in: database),
        cursor.after == 0 ? try self.refreshedContents(for: installation, now: now, in: database) : nil, next
      )
    }
    return RestoredPage(batch: try await batch(renderings, contents), next: next)
  }

  private static func restorable(
    by account: AccountName, on installation: Installation, after cursor: RestoreCursor, limit: Int,
    in database: Database
  ) throws -> [StoredTransaction] {
    try StoredTransaction.fetchAll(
      try database.cachedStatement(
        sql: """
          SELECT * FROM transactionRecord
          WHERE account = ?1 AND bundleID = ?2 AND environment = ?3 AND type <> 'Consumable'
            AND type IN ('Non-Consumable', 'Auto-Renewable Subscription') AND revocationDate IS NULL
            AND sequence > ?4 AND sequence <= ?5 AND (finishedDate IS NOT NULL OR installationID IS NOT ?6)
          ORDER BY sequence LIMIT ?7
          """),
      arguments: [
        account.rawValue, installation.bundleID.rawValue, installation.environment.rawValue, cursor.after,
        cursor.through, installation.installationID.rawValue, limit,
      ])
  }
}
