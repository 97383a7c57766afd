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
  /// A store that sends larger pages would keep the payments waiting. The emulator's have at most 100 transactions.
  private static let largestPage = 1_000

  /// The place after a page that the store sent for this place.
  ///
  /// - Throws: ``StoreKitDeviceError/deliveryMismatch(_:)`` if the page does not continue after this place. A store could
  ///   otherwise send the same page for ever.
  func next(after page: TransactionChanges) throws -> TransactionPlace {
    guard page.transactions.count <= Self.largestPage else {
      throw StoreKitDeviceError.deliveryMismatch("a page of \(page.transactions.count) changed transactions")
    }
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

/// What the commit of a page of changes has changed, apart from the announced transactions.
struct PageChanges: Hashable, Sendable {
  /// The subscriptions whose status has changed.
  var statuses: [TransactionID] = []
  /// The messages that have arisen.
  var messages: [MessageUpdate] = []
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

  /// Stores the verified transactions of a page, the statuses of the last page, what they announce, and the page's revision,
  /// in one commit. So an entitlement and its refund never disagree.
  ///
  /// - Parameters:
  ///   - verified: what was verified of the page.
  ///   - place: for which the page was requested.
  ///   - now: the date of this machine.
  ///   - announces: whether transactions are announced: StoreKit 2 is in use.
  /// - Returns: what has changed. Nil if the page is not of the signed-in account and the store's epoch, and was not stored:
  ///   the changes must then be requested from ``transactionPlace()`` on.
  func accept(
    _ verified: VerifiedPage, of page: TransactionChanges, requestedFor place: TransactionPlace, at now: StoreDate,
    announces: Bool
  ) throws -> PageChanges? {
    try database.write { database -> PageChanges? in
      guard try prepare(page, requestedFor: place, in: database) else { return nil }
      let hadHistory =
        try Bool.fetchOne(database.cachedStatement(sql: "SELECT hasHistory FROM installation")) == true
      let statuses = page.statuses == nil ? [] : verified.statuses
      try Self.checkAge(of: statuses, in: database)
      let all = verified.transactions + statuses.map(\.transaction)
      // The first pages of an account are its history, which is no news.
      let before = hadHistory && announces ? try contents(of: all, in: database) : [:]
      for transaction in all { try DeviceTransactionTable.keep(transaction, in: database) }
      if hadHistory, announces {
        // The transaction of a status is also in a page. It counts as well, because that page may not have been verified.
        let listed = Set(verified.transactions.map(\.transactionID))
        let others = statuses.map(\.transaction).filter { !listed.contains($0.transactionID) }
        try announceChanges(verified.transactions + others, before: before, in: database)
      }
      var changes = PageChanges()
      if page.statuses != nil {
        changes = try keep(verified, before: before, of: page.account, in: database)
        if !hadHistory || !announces { changes.statuses = [] }
      }
      try DeviceTransactionTable.removeOldConsumables(in: database)
      if let date = (all.map(\.signedDate) + statuses.map(\.renewalInfo.signedDate)).max() {
        try Self.keep(storeDate: date, now: now, in: database)
      }
      if !page.hasMore, !hadHistory { try database.execute(sql: "UPDATE installation SET hasHistory = TRUE") }
      // If a part of the page was not verified, the revision is not stored, nor that of the pages after it, so that the page
      // is requested again later.
      if verified.problems.isEmpty {
        try database.cachedStatement(
          sql: "UPDATE installation SET transactionRevision = ?1 WHERE transactionRevision IS ?2"
        ).execute(arguments: [page.revision.description, place.revision?.description])
      }
      return changes
    } committed: { changes in
      guard changes != nil, page.statuses != nil else { return }
      unverifiedStatuses.value = Dictionary(
        verified.unverifiedStatuses.map { ($0.originalTransactionID, $0) }, uniquingKeysWith: { _, last in last })
    }
  }

  /// Refuses statuses that were signed before the page before: the store signs them for each page, so they are of an earlier
  /// answer. A subscription that has ended would otherwise go on.
  private static func checkAge(of statuses: [VerifiedStatus], in database: Database) throws {
    guard let newest = statuses.map(\.renewalInfo.signedDate).max(), let known = try lastSignedDate(in: database),
      newest < known
    else { return }
    throw StoreKitDeviceError.deliveryMismatch("statuses of an earlier answer")
  }

  /// Prepares the commit of a page: the account whose page it is becomes the signed-in one.
  ///
  /// - Returns: false if the page is not of the signed-in account and the store's epoch.
  private func prepare(
    _ page: TransactionChanges, requestedFor place: TransactionPlace, in database: Database
  ) throws -> Bool {
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
    return place.revision == nil || place.account == page.account
  }

  /// Stores the statuses of a last page, as part of its commit.
  private func keep(
    _ verified: VerifiedPage, before: [TransactionID: StoredContent], of account: AccountName, in database: Database
  ) throws -> PageChanges {
    var changes = PageChanges()
    for status in verified.statuses {
      let known = try SubscriptionStatusTable.row(status.originalTransactionID, in: database)
      try SubscriptionStatusTable.keep(status, of: account, in: database)
      changes.messages += try PendingMessageTable.keep(status, in: database)
      let isTransactionChanged =
        before[status.transaction.transactionID]?.isChanged(by: status.transaction) == true
      if try isTransactionChanged || Self.isChanged(known, by: status) {
        changes.statuses.append(status.originalTransactionID)
      }
    }
    let earlier = unverifiedStatuses.value
    for status in verified.unverifiedStatuses where earlier[status.originalTransactionID] == nil {
      changes.statuses.append(status.originalTransactionID)
    }
    // A status that could not be read may be one of those that are missing.
    if verified.areStatusesComplete {
      let listed =
        verified.statuses.map(\.originalTransactionID)
        + verified.unverifiedStatuses.map(\.originalTransactionID)
      try SubscriptionStatusTable.remove(except: Set(listed), in: database)
    }
    return changes
  }

  private static func isChanged(_ known: SubscriptionStatusTable.StatusRow?, by status: VerifiedStatus) throws -> Bool {
    guard let known else { return true }
    guard known.signedDate <= status.renewalInfo.signedDate else { return false }
    guard known.state == status.state, known.transactionID == status.transaction.transactionID else { return true }
    return try !known.renewalInfo().hasSameContent(as: status.renewalInfo)
  }

  /// Called when the store refuses the stored revision. The next page is the first one again.
  func forgetTransactionPlace() throws {
    try database.write { try $0.execute(sql: "UPDATE installation SET transactionRevision = NULL") }
  }

  /// Removes all transactions without a queue entry, and the revision: in another epoch, the store may not know them any
  /// more.
  static func startTransactionsOver(in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE installation SET transactionRevision = NULL, hasHistory = FALSE, storeDate = NULL, machineDate = NULL,
          appTransaction = NULL
        """)
    try PendingMessageTable.removeUndelivered(in: database)
    try DeviceTransactionTable.removeFree(exceptOf: nil, in: database)
    try database.execute(sql: "UPDATE deviceTransaction SET revision = NULL WHERE revision IS NOT NULL")
  }
}
