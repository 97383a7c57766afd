import GRDB
import SignedData
import StoreModel

/// The numbers of announcements. They only grow, so that an iterator which clears an announcement that it has received
/// cannot clear a later one of the same transaction.
struct Announcing: Sendable {
  /// The last number that was given. A number whose commit has failed is not given again.
  var last: Int64 = 0
  /// Whether a transaction may be held: its announcement is negative. It stays true during a launch.
  var mayHold = false

  init() {}

  init(stored database: Database) throws {
    last =
      try Int64.fetchOne(
        database, sql: "SELECT max(abs(announcement)) FROM deviceTransaction WHERE announcement IS NOT NULL") ?? 0
    mayHold =
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM deviceTransaction WHERE announcement < 0)") == true
  }
}

// Announcements: Documentation/storekit2.md has the rules.
extension PaymentJournal {
  /// What is stored of a transaction before a commit changes it.
  struct StoredContent: Sendable {
    let payload: String
    let signedDate: StoreDate
    let announcement: Int64?
    let isUndelivered: Bool

    /// Whether the later signature of a transaction has another content.
    func isChanged(by transaction: DeviceTransaction) -> Bool {
      guard transaction.signedDate >= signedDate, let parts = JWSParts(transaction.signedTransaction),
        parts.payload != payload
      else { return false }
      do {
        let old = try SignedTransaction(payload: try JWSPayload.bytes(payload))
        return !old.hasSameContent(as: try SignedTransaction(payload: try JWSPayload.bytes(parts.payload)))
      } catch {
        // Both were verified before they were stored, so this is a payload of another version. An app receives it once
        // more, and finds its grant.
        return true
      }
    }
  }

  /// The stored contents of those transactions that are stored.
  func contents(
    of transactions: [DeviceTransaction], in database: Database
  ) throws -> [TransactionID: StoredContent] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT payload, signedDate, announcement, isUndelivered FROM deviceTransaction WHERE transactionID = ?
        """)
    var contents: [TransactionID: StoredContent] = [:]
    for transaction in transactions where contents[transaction.transactionID] == nil {
      guard let row = try Row.fetchOne(statement, arguments: [transaction.transactionID.rawValue]) else { continue }
      contents[transaction.transactionID] = StoredContent(
        payload: row["payload"], signedDate: StoreDate(millisecondsSince1970: row["signedDate"]),
        announcement: row["announcement"], isUndelivered: row["isUndelivered"])
    }
    return contents
  }

  // MARK: Commits

  /// Announces the transactions of a delivery, as part of its commit: an answer to a payment, or a list of unfinished
  /// transactions.
  ///
  /// - Parameters:
  ///   - before: what was stored of them.
  ///   - answered: the payments that have their transaction by this delivery, whether a call of
  ///     `Product.purchase(options:)` waits for it, and whether it is a redelivery of an owned product.
  ///   - delivered: the transactions that have become entries of the queue by this delivery, without a payment of this
  ///     device. A page of the history, which announces nothing, may have stored them before.
  ///   - sent: the transactions that were sent to iterators in this launch: one of them that is not announced any more was
  ///     received.
  func announce(
    _ transactions: [DeviceTransaction], before: [TransactionID: StoredContent],
    answered: [(entry: QueueEntry, isAwaited: Bool, isRedelivered: Bool)], delivered: Set<TransactionID> = [],
    sent: Set<TransactionID> = [], in database: Database
  ) throws {
    let awaited = Set(answered.filter(\.isAwaited).compactMap(\.entry.signedTransactionID))
    let purchased = delivered.union(
      answered.filter { !$0.isAwaited && !$0.isRedelivered }.compactMap(\.entry.signedTransactionID))
    for transaction in transactions {
      let id = transaction.transactionID
      let known = before[id]
      if awaited.contains(id) {
        // The caller receives it.
        if let announcement = known?.announcement, announcement < 0 { try setAnnouncement(nil, of: id, in: database) }
        continue
      }
      let isPurchased = purchased.contains(id)
      let isAnnounced = known?.announcement.map { $0 > 0 } == true || sent.contains(id)
      let isNews = known.map { $0.isChanged(by: transaction) || isPurchased && !isAnnounced } ?? true
      if isNews { try setAnnouncement(nextAnnouncement(), of: id, in: database) }
    }
    if !answered.isEmpty { try releaseHeld(in: database) }
  }

  /// Announces the transactions of a page of changes, as part of its commit.
  ///
  /// A transaction that can be the one of a payment that is not decided is held: the end of the payment announces it, or
  /// clears it because the caller has received it.
  ///
  /// - Parameter before: what was stored of them.
  func announceChanges(
    _ transactions: [DeviceTransaction], before: [TransactionID: StoredContent], in database: Database
  ) throws {
    let undecided = try undecidedProducts(["confirmed"], in: database)
    for transaction in transactions {
      let id = transaction.transactionID
      let isConsumable = transaction.type == .consumable
      guard let known = before[id] else {
        // A consumable is granted by the device to which it is delivered, and by no other. A refund of it concerns all.
        if isConsumable, transaction.finishState == .undelivered || transaction.revocationDate == nil { continue }
        let isHeld = undecided.contains(transaction.productID)
        let number = nextAnnouncement()
        try setAnnouncement(isHeld ? -number : number, of: id, in: database)
        if isHeld { announcing.withLock { $0.mayHold = true } }
        continue
      }
      guard known.isChanged(by: transaction) else { continue }
      let isElsewhere = isConsumable && known.isUndelivered && transaction.finishState == .undelivered
      let isHeld = known.announcement.map { $0 < 0 } == true
      if !isElsewhere, !isHeld { try setAnnouncement(nextAnnouncement(), of: id, in: database) }
    }
  }

  /// Announces the held transactions for whose products no payment is undecided any more, as part of the commit that has
  /// decided on one.
  func releaseHeld(in database: Database) throws {
    guard announcing.withLock({ $0.mayHold }) else { return }
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT transactionID, productID FROM deviceTransaction WHERE announcement < 0 ORDER BY announcement DESC")
    )
    guard !rows.isEmpty else { return }
    let undecided = try undecidedProducts(["confirmed"], in: database)
    for row in rows where !undecided.contains(ProductID(row["productID"])) {
      guard let id = TransactionID(rawValue: row["transactionID"]) else { continue }
      try setAnnouncement(nextAnnouncement(), of: id, in: database)
    }
  }

  /// The products of the payments on which the store has not decided as far as this device knows.
  ///
  /// - Parameter stages: `confirmed` is a payment whose answer can arrive each moment; `deferred` one that waits for an approval,
  ///   maybe for a day.
  func undecidedProducts(_ stages: [String], in database: Database) throws -> Set<ProductID> {
    Set(try stages.flatMap { try Self.entries(in: $0, database) }.map(\.payment.productID))
  }

  private func nextAnnouncement() -> Int64 {
    announcing.withLock { announcing in
      announcing.last += 1
      return announcing.last
    }
  }

  private func setAnnouncement(_ number: Int64?, of id: TransactionID, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE deviceTransaction SET announcement = ? WHERE transactionID = ?").execute(
      arguments: [number, id.rawValue])
  }

  /// Announces a stored transaction: the call that waited for it has ended in the meantime.
  func announce(_ id: TransactionID) throws {
    try database.write { try setAnnouncement(nextAnnouncement(), of: id, in: $0) }
  }

  /// Clears the announcements that an app has received. A transaction that was announced again since then stays announced.
  func clear(_ received: [(TransactionID, announcement: Int64)]) throws {
    guard !received.isEmpty else { return }
    try database.write { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE deviceTransaction SET announcement = NULL WHERE transactionID = ? AND announcement = ?")
      // A held one is not received by this way.
      for (id, announcement) in received where announcement > 0 {
        try statement.execute(arguments: [id.rawValue, announcement])
      }
    }
  }

  /// Clears the announcement of a transaction that an app has finished, as part of the commit of the finish, if the app has
  /// received the stored content.
  func clearAnnouncement(of id: TransactionID, receivedAs jws: String, in database: Database) throws {
    guard let parts = JWSParts(jws) else { return }
    try database.cachedStatement(
      sql: """
        UPDATE deviceTransaction SET announcement = NULL WHERE transactionID = ? AND announcement > 0 AND payload = ?
        """
    ).execute(arguments: [id.rawValue, String(parts.payload)])
  }

  // MARK: Reading

  /// The announced transactions, which an app has not received by `Transaction.updates`, newest purchase first.
  func announced() throws -> [TransactionID] { try firstUpdates(withUnfinished: false) }

  /// The first elements of an iterator of `Transaction.updates`, newest purchase first.
  ///
  /// - Parameter withUnfinished: whether to include the unfinished transactions, also those that were not announced.
  func firstUpdates(withUnfinished: Bool) throws -> [TransactionID] {
    try database.read { database in
      try Self.identifiers(
        sql: """
          SELECT transactionID FROM (
            SELECT transactionID, purchaseDate FROM deviceTransaction WHERE announcement > 0
            UNION
            SELECT transactionID, purchaseDate FROM deviceTransaction WHERE ?1 AND \(Self.isUnfinished)
          ) \(Self.newestFirst)
          """, arguments: [withUnfinished], in: database)
    }
  }

  /// The transactions that were announced after a number, in the order of their announcements.
  func announced(after number: Int64) throws -> [(id: TransactionID, announcement: Int64)] {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT transactionID, announcement FROM deviceTransaction WHERE announcement > ? ORDER BY announcement
          """)
      return try Row.fetchAll(statement, arguments: [number]).compactMap { row in
        TransactionID(rawValue: row["transactionID"]).map { (id: $0, announcement: row["announcement"] as Int64) }
      }
    }
  }
}
