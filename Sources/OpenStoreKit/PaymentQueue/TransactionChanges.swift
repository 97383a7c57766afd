import GRDB
import StoreModel

/// How far this device has taken in the changes of its customer's transactions: Documentation/device-transactions.md.
struct ChangesPlace: Hashable, Sendable {
  /// The account whose changes they are; nil before an account is stored.
  let account: AccountName?
  /// The revision after which the next page begins; nil for the first page.
  let revision: StoreRevision?
}

extension ChangesPlace {
  /// The place after a page that the store sent for this place.
  ///
  /// - Throws: ``StoreKitDeviceError/deliveryMismatch(_:)`` if the page does not continue after this place. A store could
  ///   otherwise send the same page for ever.
  func next(after page: TransactionChanges) throws -> ChangesPlace {
    let last = revision?.number ?? 0
    let continues =
      page.transactions.isEmpty ? page.revision.number >= last && !page.hasMore : page.revision.number > last
    guard continues, page.transactions.allSatisfy({ $0.revision.epoch == page.revision.epoch }) else {
      throw StoreKitDeviceError.deliveryMismatch("a page of changed transactions that had come before")
    }
    return ChangesPlace(account: page.account, revision: page.revision)
  }
}

extension PaymentJournal {
  func changesPlace() throws -> ChangesPlace { try database.read { try Self.changesPlace(in: $0) } }

  private static func changesPlace(in database: Database) throws -> ChangesPlace {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT account, transactionRevision FROM installation"))
    return ChangesPlace(
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
  ///   must then be requested from ``changesPlace()`` on.
  func accept(
    _ transactions: [DeviceTransaction], of page: TransactionChanges, requestedFor place: ChangesPlace, isVerified: Bool
  ) throws -> Bool {
    try database.write { database in
      let stored = try Self.changesPlace(in: database)
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
  func forgetChangesPlace() throws {
    try database.write { try $0.execute(sql: "UPDATE installation SET transactionRevision = NULL") }
  }

  /// Removes all transactions without a queue entry, and the revision: in another epoch, the store may not know them any
  /// more.
  static func startTransactionsOver(in database: Database) throws {
    try database.execute(sql: "UPDATE installation SET transactionRevision = NULL")
    try DeviceTransactionTable.removeFinished(exceptOf: nil, in: database)
    try database.execute(sql: "UPDATE deviceTransaction SET revision = NULL WHERE revision IS NOT NULL")
  }
}

extension PaymentQueueEngine {
  /// The maximum number of pages that are requested at once. The next call continues after them.
  private static let largestPageCount = 1_000
  /// How often the changes are requested from the beginning, or from another account's place, before the call fails.
  private static let largestRestartCount = 3

  /// Requests the unfinished transactions, and the changes of all the customer's transactions, and stores them, also without
  /// an observer. Observers that are attached later are notified of the unfinished ones.
  ///
  /// - Parameter pageSize: the maximum number of changes in a page; nil for that of the store.
  /// - Throws: ``StoreRefusal``, ``StoreConnectionFailure``, or ``StoreKitDeviceError`` if a transaction or a page was not
  ///   verified. The other transactions are stored.
  func takeInTransactions(pageSize: Int? = nil) async throws {
    let areUnfinishedVerified = try await fetchUnfinished(while: { !isStopped })
    let areChangesVerified = try await takeInChanges(pageSize: pageSize)
    guard areUnfinishedVerified, areChangesVerified else {
      throw StoreKitDeviceError.deliveryMismatch("transactions that could not be verified")
    }
  }

  /// Requests and stores the changes after the stored revision, each page in a commit of its own.
  ///
  /// - Returns: whether all transactions were verified.
  private func takeInChanges(pageSize: Int?) async throws -> Bool {
    var place = try journal.changesPlace()
    var isEverythingVerified = true
    var restarts = 0
    for _ in 0..<Self.largestPageCount {
      if isStopped { throw StoreKitDeviceError.closed }
      let revision = place.revision
      do {
        let page = try await session.perform { try await $0.transactions(after: revision, limit: pageSize, for: $1) }
        let next = try place.next(after: page)
        let (transactions, problems) = try await session.verify(page)
        for problem in problems { report(problem) }
        isEverythingVerified = isEverythingVerified && problems.isEmpty
        if try journal.accept(transactions, of: page, requestedFor: place, isVerified: problems.isEmpty) {
          guard page.hasMore else { return isEverythingVerified }
          place = next
          continue
        }
      } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
        // No customer is signed in, so there is nothing to take in.
        return isEverythingVerified
      } catch let refusal as StoreRefusal where refusal.code == .epochEnded {
        // The registration in the new epoch has removed the revision. Otherwise the store has another reason.
        if try journal.changesPlace().revision == revision { try journal.forgetChangesPlace() }
      }
      restarts += 1
      guard restarts <= Self.largestRestartCount else {
        throw StoreKitDeviceError.deliveryMismatch("changes of another account or epoch, again and again")
      }
      place = try journal.changesPlace()
    }
    throw StoreKitDeviceError.deliveryMismatch("more pages of changed transactions than can be taken in at once")
  }
}
