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
          SELECT transactionID FROM deviceTransaction WHERE transactionID IN (\(Self.unfinishedIDs)) \(Self.newestFirst)
          """, arguments: [], in: database)
    }
  }

  /// The unfinished transaction of a consumable that a purchase returns instead of another sheet: the oldest of the
  /// signed-in account. Nil if there is none.
  func unfinishedConsumable(of product: ProductID) throws -> DeviceTransaction? {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE deviceTransaction.transactionID IN (\(Self.unfinishedIDs)) AND productID = ? AND type = 'Consumable'
            AND account IS (SELECT account FROM installation)
          ORDER BY purchaseDate, length(deviceTransaction.transactionID), deviceTransaction.transactionID LIMIT 1
          """)
      return try Row.fetchOne(statement, arguments: [product.rawValue]).map(DeviceTransactionTable.transaction)
    }
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
      try Self.entitled(at: date, in: database)
        .filter { product == nil || $0.productID == product }
        .sorted { ($0.purchaseDate, $0.transactionID) > ($1.purchaseDate, $1.transactionID) }
        .map(\.transactionID)
    }
  }

  private static func entitled(at date: StoreDate?, in database: Database) throws -> [DeviceTransaction] {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE account = (SELECT account FROM installation)
            AND type IN ('Non-Consumable', 'Non-Renewing Subscription')
            AND revocationDate IS NULL AND NOT isUpgraded
          ORDER BY isShared, purchaseDate DESC, length(deviceTransaction.transactionID) DESC,
            deviceTransaction.transactionID DESC
          """))
    var products: Set<ProductID> = []
    let durable = try rows.map(DeviceTransactionTable.transaction).filter { transaction in
      // A purchase comes before a family share of the same product.
      transaction.type != .nonConsumable || products.insert(transaction.productID).inserted
    }
    return try durable + newestPeriods(in: database).filter { try isEntitled($0, at: date, in: database) }
  }

  /// The newest transaction of each subscription of the signed-in account.
  private static func newestPeriods(in database: Database) throws -> [DeviceTransaction] {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE account = (SELECT account FROM installation)
            AND subscriptionGroupID IS NOT NULL AND type = 'Auto-Renewable Subscription'
          ORDER BY purchaseDate DESC, length(deviceTransaction.transactionID) DESC, deviceTransaction.transactionID DESC
          """))
    var originals: Set<String> = []
    var newest: [DeviceTransaction] = []
    while let row = try rows.next() {
      guard originals.insert(row["originalTransactionID"]).inserted else { continue }
      newest.append(try DeviceTransactionTable.transaction(row))
    }
    return newest
  }

  /// Whether the newest transaction of a subscription is an entitlement.
  private static func isEntitled(
    _ transaction: DeviceTransaction, at date: StoreDate?, in database: Database
  ) throws -> Bool {
    guard transaction.revocationDate == nil, !transaction.isUpgraded else { return false }
    guard let status = try SubscriptionStatusTable.row(transaction.originalTransactionID, in: database),
      status.transactionID == transaction.transactionID
    else {
      // It was bought just now: the page with its status has not arrived.
      guard let expiresDate = transaction.expiresDate else { return true }
      let now = try date ?? lastSignedDate(in: database)
      return now.map { $0 < expiresDate } ?? true
    }
    switch status.state {
    case .subscribed:
      guard let date, let expiresDate = transaction.expiresDate else { return true }
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
      return try !Self.newestPeriods(in: database).contains { period in
        guard period.subscriptionGroupID == group, !period.isShared else { return false }
        return try Self.isEntitled(period, at: nil, in: database)
      }
    }
  }

  /// The newest transaction of the signed-in account in a subscription group; nil if there is none.
  func newest(in group: SubscriptionGroupID) throws -> DeviceTransaction? {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE subscriptionGroupID = ? AND account = (SELECT account FROM installation) AND revocationDate IS NULL
          ORDER BY purchaseDate DESC, length(deviceTransaction.transactionID) DESC, deviceTransaction.transactionID DESC
          LIMIT 1
          """)
      return try Row.fetchOne(statement, arguments: [group.rawValue]).map(DeviceTransactionTable.transaction)
    }
  }

  // MARK: The date of the store

  /// The latest signed date of a page of changes; nil before the first one.
  private static func lastSignedDate(in database: Database) throws -> StoreDate? {
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
