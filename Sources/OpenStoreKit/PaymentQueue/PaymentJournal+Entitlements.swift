import GRDB
import SignedData
import StoreModel

// The lists of StoreKit 2. Each is a list of ids, so that an app can iterate over a long one without a copy of its rows.
extension PaymentJournal {
  /// The order of the lists: newest purchase first; of the same date, the larger id. Ids are numbers without leading zeros.
  static let newestFirst = "ORDER BY purchaseDate DESC, length(transactionID) DESC, transactionID DESC"

  /// The transactions that are unfinished in the queue. Redeliveries and restores have ids of their own there.
  static let unfinishedIDs = """
    SELECT transactionID FROM queueEntry WHERE stage = 'purchased' AND transactionID = signedTransactionID
    """

  /// Whether the customer's app has not finished a transaction: it is unfinished in the queue; or it is of the signed-in
  /// account, another device has received it, and it is no consumable. An app finishes such a transaction on any device. While
  /// it can be the one of a payment of this device, it is held, and has an entry soon.
  static let isUnfinished = """
    (transactionID IN (\(unfinishedIDs))
      OR isUndelivered AND type <> 'Consumable' AND revocationDate IS NULL
        AND account = (SELECT account FROM installation) AND (announcement IS NULL OR announcement > 0)
        AND transactionID NOT IN (SELECT transactionID FROM queueEntry WHERE transactionID IS NOT NULL)
        AND transactionID NOT IN (SELECT signedTransactionID FROM queueEntry WHERE signedTransactionID IS NOT NULL))
    """

  /// Whether a transaction is in the history: it is of the signed-in account; and if it is a consumable, it is delivered to
  /// this device or finished, and it is unfinished, refunded, or asked for (?1).
  private static let isHistory = """
    account = (SELECT account FROM installation)
      AND (type IS NOT 'Consumable'
        OR transactionID IN (\(unfinishedIDs))
        OR NOT isUndelivered AND (revocationDate IS NOT NULL OR ?1))
    """

  static func identifiers(
    sql: String, arguments: StatementArguments, in database: Database
  ) throws -> [TransactionID] {
    try String.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
      .compactMap(TransactionID.init(rawValue:))
  }

  /// The transactions of `Transaction.all`, newest purchase first.
  ///
  /// - Parameters:
  ///   - product: only the transactions of this product; nil for all.
  ///   - withConsumables: whether to include finished consumables that were not refunded.
  func history(of product: ProductID? = nil, withConsumables: Bool) throws -> [TransactionID] {
    try database.read { database in
      try Self.identifiers(
        sql: """
          SELECT transactionID FROM deviceTransaction WHERE \(Self.isHistory) AND (?2 IS NULL OR productID = ?2)
          \(Self.newestFirst)
          """, arguments: [withConsumables, product?.rawValue], in: database)
    }
  }

  /// The newest transaction of a product; nil if there is none.
  ///
  /// - Parameter withConsumables: as in ``history(of:withConsumables:)``.
  func latest(of product: ProductID, withConsumables: Bool) throws -> TransactionID? {
    try database.read { database in
      try Self.identifiers(
        sql: """
          SELECT transactionID FROM deviceTransaction WHERE \(Self.isHistory) AND productID = ?2
          \(Self.newestFirst) LIMIT 1
          """, arguments: [withConsumables, product.rawValue], in: database
      ).first
    }
  }

  /// The transactions of `Transaction.unfinished`, newest purchase first.
  func unfinished() throws -> [TransactionID] {
    try database.read { database in
      try Self.identifiers(
        sql: """
          SELECT transactionID FROM deviceTransaction WHERE \(Self.isUnfinished) \(Self.newestFirst)
          """, arguments: [], in: database)
    }
  }

  /// The unfinished transaction of a consumable that a purchase returns instead of another sheet: the oldest of the
  /// signed-in account that was not refunded completely. Nil if there is none.
  func unfinishedConsumable(of product: ProductID) throws -> DeviceTransaction? {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE deviceTransaction.transactionID IN (\(Self.unfinishedIDs)) AND productID = ? AND type = 'Consumable'
            AND account IS (SELECT account FROM installation)
          ORDER BY purchaseDate, length(deviceTransaction.transactionID), deviceTransaction.transactionID
          """)
      let rows = try Row.fetchCursor(statement, arguments: [product.rawValue])
      while let row = try rows.next() {
        let transaction = try DeviceTransactionTable.transaction(row)
        if transaction.revocationDate == nil || Self.isRefundedInPart(transaction) { return transaction }
      }
      return nil
    }
  }

  private static func isRefundedInPart(_ transaction: DeviceTransaction) -> Bool {
    guard let payload = try? JWSPayload.bytes(ofJWS: transaction.signedTransaction),
      let percentage = (try? SignedTransaction(payload: payload))?.revocationPercentage
    else { return false }
    return percentage < Percentage.whole
  }

  /// The transactions with these ids, in the same order. Missing ones are left out.
  func transactions(_ ids: some Collection<TransactionID>) throws -> [DeviceTransaction] {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: "\(DeviceTransactionTable.select) WHERE deviceTransaction.transactionID = ?")
      return try ids.compactMap { id in
        try Row.fetchOne(statement, arguments: [id.rawValue]).map(DeviceTransactionTable.transaction)
      }
    }
  }

  // MARK: Entitlements

  /// The transactions of `Transaction.currentEntitlements`, newest purchase first.
  ///
  /// - Parameters:
  ///   - product: only the transactions of this product; nil for all.
  ///   - date: the date with which the ends of subscriptions are compared; nil if the device is current.
  func entitlements(of product: ProductID? = nil, at date: StoreDate?) throws -> [TransactionID] {
    try database.read { database in
      let periods = try Self.newestPeriods(of: product, in: database)
        .filter { try Self.isEntitled($0, at: date, in: database) }
        .map { (id: $0.transactionID, purchaseDate: $0.purchaseDate) }
      return try (Self.durable(of: product, in: database) + periods)
        .sorted { ($0.purchaseDate, $0.id) > ($1.purchaseDate, $1.id) }.map(\.id)
    }
  }

  /// The purchases that stay valid for ever: one of each non-consumable, a purchase rather than a family share; and all of
  /// non-renewing subscriptions.
  private static func durable(
    of product: ProductID?, in database: Database
  ) throws -> [(id: TransactionID, purchaseDate: StoreDate)] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT transactionID, purchaseDate FROM (
          SELECT transactionID, purchaseDate, type, row_number() OVER (
              PARTITION BY productID ORDER BY isShared, purchaseDate DESC, length(transactionID) DESC, transactionID DESC
            ) AS place
          FROM deviceTransaction
          WHERE account = (SELECT account FROM installation)
            AND type IN ('Non-Consumable', 'Non-Renewing Subscription')
            AND revocationDate IS NULL AND NOT isUpgraded AND (?1 IS NULL OR productID = ?1)
        ) WHERE place = 1 OR type <> 'Non-Consumable'
        """)
    return try Row.fetchAll(statement, arguments: [product?.rawValue]).compactMap { row in
      TransactionID(rawValue: row["transactionID"]).map {
        (id: $0, purchaseDate: StoreDate(millisecondsSince1970: row["purchaseDate"]))
      }
    }
  }

  /// The newest transaction of a subscription.
  private struct Period {
    let transactionID: TransactionID
    let originalTransactionID: TransactionID
    let purchaseDate: StoreDate
    let expiresDate: StoreDate?
    /// Revoked, or replaced by an upgrade.
    let hasEnded: Bool
  }

  /// The newest transaction of each subscription of the signed-in account.
  ///
  /// - Parameters:
  ///   - product: only those of this product; nil for all.
  ///   - group: only the customer's own subscriptions of this group; nil for all.
  private static func newestPeriods(
    of product: ProductID? = nil, ownedIn group: SubscriptionGroupID? = nil, in database: Database
  ) throws -> [Period] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM (
          SELECT transactionID, originalTransactionID, productID, purchaseDate, expiresDate, isShared,
            revocationDate IS NOT NULL OR isUpgraded AS hasEnded, subscriptionGroupID,
            row_number() OVER (
              PARTITION BY originalTransactionID
              ORDER BY purchaseDate DESC, length(transactionID) DESC, transactionID DESC
            ) AS place
          FROM deviceTransaction
          WHERE account = (SELECT account FROM installation)
            AND subscriptionGroupID IS NOT NULL AND type = 'Auto-Renewable Subscription'
        ) WHERE place = 1 AND (?1 IS NULL OR productID = ?1)
          AND (?2 IS NULL OR subscriptionGroupID = ?2 AND NOT isShared)
        """)
    return try Row.fetchAll(statement, arguments: [product?.rawValue, group?.rawValue]).compactMap { row in
      guard let id = TransactionID(rawValue: row["transactionID"]),
        let original = TransactionID(rawValue: row["originalTransactionID"])
      else { return nil }
      return Period(
        transactionID: id, originalTransactionID: original,
        purchaseDate: StoreDate(millisecondsSince1970: row["purchaseDate"]),
        expiresDate: (row["expiresDate"] as Int64?).map(StoreDate.init(millisecondsSince1970:)),
        hasEnded: row["hasEnded"])
    }
  }

  /// Whether the newest transaction of a subscription is an entitlement.
  private static func isEntitled(_ period: Period, at date: StoreDate?, in database: Database) throws -> Bool {
    guard !period.hasEnded else { return false }
    guard let status = try SubscriptionStatusTable.row(period.originalTransactionID, in: database),
      status.transactionID == period.transactionID
    else {
      // It was bought just now: the page with its status has not arrived.
      guard let expiresDate = period.expiresDate else { return true }
      let now = try date ?? lastSignedDate(in: database)
      return now.map { $0 < expiresDate } ?? true
    }
    switch status.state {
    case .subscribed:
      guard let date, let expiresDate = period.expiresDate else { return true }
      return date < expiresDate
    case .inGracePeriod:
      guard let date, let end = try status.renewalInfo().gracePeriodExpiresDate else { return true }
      return date < end
    case .expired, .inBillingRetryPeriod, .revoked: return false
    }
  }

  /// Whether the customer may have the introductory offer of a subscription group: the customer has no access in the group,
  /// and has bought nothing in it with an introductory offer. Family shares do not count.
  func canHaveIntroductoryOffer(in group: SubscriptionGroupID) throws -> Bool {
    try database.read { database in
      let wasUsed = try Bool.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT EXISTS (SELECT 1 FROM deviceTransaction
              WHERE subscriptionGroupID = ? AND offerType = ? AND NOT isShared
                AND account = (SELECT account FROM installation))
            """),
        arguments: [group.rawValue, TransactionOfferType.introductory.rawValue])
      guard wasUsed != true else { return false }
      return try !Self.newestPeriods(ownedIn: group, in: database).contains {
        try Self.isEntitled($0, at: nil, in: database)
      }
    }
  }

  /// The newest transaction of the signed-in account in a subscription group, of a purchase rather than a family share; nil
  /// if there is none.
  func newest(in group: SubscriptionGroupID) throws -> DeviceTransaction? {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE subscriptionGroupID = ? AND account = (SELECT account FROM installation) AND revocationDate IS NULL
          ORDER BY isShared, purchaseDate DESC, length(deviceTransaction.transactionID) DESC,
            deviceTransaction.transactionID DESC
          LIMIT 1
          """)
      return try Row.fetchOne(statement, arguments: [group.rawValue]).map(DeviceTransactionTable.transaction)
    }
  }

  // MARK: The date of the store

  /// The latest signed date of a page of changes; nil before the first one.
  static func lastSignedDate(in database: Database) throws -> StoreDate? {
    try Int64.fetchOne(database.cachedStatement(sql: "SELECT storeDate FROM installation"))
      .map(StoreDate.init(millisecondsSince1970:))
  }

  /// The estimated date of the store: the latest signed date, plus the time since then by this machine's clock. A clock
  /// that was set back adds nothing.
  ///
  /// - Parameter now: the date of this machine.
  func storeDate(now: StoreDate) throws -> StoreDate {
    let row = try database.read {
      try Row.fetchOne($0.cachedStatement(sql: "SELECT storeDate, machineDate FROM installation"))
    }
    guard let storeDate = row?["storeDate"] as Int64?, let machineDate = row?["machineDate"] as Int64? else {
      return now
    }
    return StoreDate(millisecondsSince1970: storeDate + max(0, now.millisecondsSince1970 - machineDate))
  }

  /// Stores a signed date of the store, as part of a commit, unless a later one is stored.
  ///
  /// - Parameter now: the date of this machine.
  static func keep(storeDate date: StoreDate, now: StoreDate, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE installation SET storeDate = ?1, machineDate = ?2 WHERE storeDate IS NULL OR storeDate <= ?1
        """
    ).execute(arguments: [date.millisecondsSince1970, now.millisecondsSince1970])
  }
}
