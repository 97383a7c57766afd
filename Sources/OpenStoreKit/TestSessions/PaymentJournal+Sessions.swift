import GRDB
import StoreModel

// What a test session deletes at the store leaves the device, too. Nothing else removes what was paid.
extension PaymentJournal {
  /// Binds a new journal to a new store without transactions, in one commit.
  func begin(_ greeting: StoreGreeting, _ account: AccountName, at revision: StoreRevision) throws {
    try database.write { database in
      _ = try adopt(greeting, in: database)
      try database.cachedStatement(
        sql: "UPDATE installation SET account = ?, transactionRevision = ?, hasHistory = TRUE"
      ).execute(arguments: [account.rawValue, revision.description])
    }
  }

  /// Removes transactions with their entries of the queue, the statuses of subscriptions that began with them, and their
  /// messages.
  ///
  /// - Parameter ids: nil for all transactions, and for the payments that have ended or wait for approval. A payment that is
  ///   under way stays.
  /// - Returns: the numbers of the removed entries.
  func forget(_ ids: Set<TransactionID>?) throws -> [Int64] {
    try database.write { database in
      guard let ids else { return try Self.forgetAll(in: database) }
      var removed: [Int64] = []
      for id in ids.map(\.rawValue) {
        removed += try Int64.fetchAll(
          database,
          sql: """
            DELETE FROM queueEntry WHERE transactionID = ?1 OR signedTransactionID = ?1 RETURNING sequence
            """, arguments: [id])
        for (table, column) in [
          ("subscriptionStatus", "originalTransactionID"), ("pendingMessage", "originalTransactionID"),
          ("deviceTransaction", "transactionID"),
        ] {
          try database.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [id])
        }
      }
      return removed
    }
  }

  /// Whether a transaction is stored.
  func hasTransactions() throws -> Bool {
    try database.read {
      try Bool.fetchOne($0.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM deviceTransaction)")) == true
    }
  }

  private static func forgetAll(in database: Database) throws -> [Int64] {
    let removed = try Int64.fetchAll(
      database, sql: "DELETE FROM queueEntry WHERE stage NOT IN ('added', 'confirmed') RETURNING sequence")
    for table in ["subscriptionStatus", "pendingMessage", "deviceTransaction"] {
      try database.execute(sql: "DELETE FROM \(table)")
    }
    return removed
  }
}
