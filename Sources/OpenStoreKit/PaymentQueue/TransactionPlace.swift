import GRDB
import StoreModel

/// How far this device has taken in the changes of its customer's transactions: Documentation/device-transactions.md.
struct TransactionPlace: Hashable, Sendable {
  /// The account whose changes they are; nil before an account is stored.
  let account: AccountName?
  /// The revision after which the next page begins; nil for the first page.
  let revision: StoreRevision?
}

extension TransactionPlace {
  /// The place after a page that the store sent for this place.
  ///
  /// - Throws: ``StoreKitDeviceError/deliveryMismatch(_:)`` if the page does not continue after this place. A store could
  ///   otherwise send the same page for ever.
  func next(after page: TransactionChanges) throws -> TransactionPlace {
    let last = revision?.number ?? 0
    guard page.transactions.allSatisfy({ $0.revision.epoch == page.revision.epoch }),
      !page.transactions.isEmpty || !page.hasMore
    else { throw StoreKitDeviceError.deliveryMismatch("a page of changed transactions that is empty or of two epochs") }
    // The last page may be empty. It then ends where the page before ended.
    try StoreKitDeviceError.checkPage(
      endsAt: page.revision.number, after: page.transactions.isEmpty ? last - 1 : last, "changed transactions")
    return TransactionPlace(account: page.account, revision: page.revision)
  }
}

extension PaymentJournal {
  func transactionPlace() throws -> TransactionPlace { try database.read { try Self.transactionPlace(in: $0) } }

  private static func transactionPlace(in database: Database) throws -> TransactionPlace {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT account, transactionRevision FROM installation"))
    return TransactionPlace(
      account: (row?["account"] as String?).map { AccountName($0) },
      revision: (row?["transactionRevision"] as String?).flatMap(StoreRevision.init))
  }

  /// Stores the verified transactions of a page, and its revision, in one commit.
  ///
  /// - Parameters:
  ///   - place: for which the page was requested.
  ///   - isVerified: whether all transactions of the page were verified. If not, the revision is not stored, nor that of the
  ///     pages after it, so that the page is requested again later.
  /// - Returns: false if the page is not of the signed-in account and the store's epoch, and was not stored. The changes
  ///   must then be requested from ``transactionPlace()`` on.
  func accept(
    _ transactions: [DeviceTransaction], of page: TransactionChanges, requestedFor place: TransactionPlace,
    isVerified: Bool
  ) throws -> Bool {
    try database.write { database in
      let stored = try Self.transactionPlace(in: database)
      let epoch = try String.fetchOne(database.cachedStatement(sql: "SELECT epoch FROM installation"))
      guard epoch == page.revision.epoch.rawValue else { return false }
      if stored.account != page.account {
        // If another account was stored after the request, the page may be of the account before.
        guard stored.account == place.account else { return false }
        // Otherwise another account has signed in, and the device has not received the answer to that.
        try adopt(account: page.account, in: database)
        try database.cachedStatement(sql: "UPDATE installation SET account = ? WHERE account IS NULL").execute(
          arguments: [page.account.rawValue])
      }
      // The revision was that of another account.
      guard place.revision == nil || place.account == page.account else { return false }
      for transaction in transactions { try DeviceTransactionTable.keep(transaction, in: database) }
      try DeviceTransactionTable.removeOldConsumables(in: database)
      if isVerified {
        try database.cachedStatement(
          sql: "UPDATE installation SET transactionRevision = ?1 WHERE transactionRevision IS ?2"
        ).execute(arguments: [page.revision.description, place.revision?.description])
      }
      return true
    }
  }

  /// Called when the store refuses the stored revision. The next page is the first one again.
  func forgetTransactionPlace() throws {
    try database.write { try $0.execute(sql: "UPDATE installation SET transactionRevision = NULL") }
  }

  /// Removes all transactions without a queue entry, and the revision: in another epoch, the store may not know them any
  /// more.
  static func startTransactionsOver(in database: Database) throws {
    try database.execute(sql: "UPDATE installation SET transactionRevision = NULL")
    try DeviceTransactionTable.removeFree(exceptOf: nil, in: database)
    try database.execute(sql: "UPDATE deviceTransaction SET revision = NULL WHERE revision IS NOT NULL")
  }
}
