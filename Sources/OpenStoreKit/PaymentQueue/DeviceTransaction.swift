import Foundation
import GRDB
import SignedData
import StoreModel

/// A signed transaction that this device has verified. It is kept after the app has finished it:
/// Documentation/device-transactions.md.
struct DeviceTransaction: Hashable, Sendable {
  enum FinishState: String, Hashable, Codable, Sendable {
    case unfinished
    /// The app has finished it, and the store has not acknowledged that yet.
    case finishing
    case finished
    /// An app has not finished it, and it was not delivered to this device: it is another device's, or was refunded, or the
    /// next list of unfinished transactions has it.
    case undelivered
  }

  let transactionID: TransactionID
  let originalTransactionID: TransactionID
  let productID: ProductID
  let type: StoreModel.ProductType?
  let purchaseDate: StoreDate
  let revocationDate: StoreDate?
  let signedDate: StoreDate
  /// The transaction as a compact JWS.
  let signedTransaction: String
  /// The account that owns it; nil if the device does not know it.
  var account: AccountName?
  /// The number of the ``StoreRevision`` in the store's changes; nil for a transaction that was only delivered.
  var revision: Int64?
  var finishState = FinishState.finished
  /// The number of the announcement; nil if an app has received this content by `Transaction.updates`, or need not. A
  /// negative number is held back: Documentation/storekit2.md.
  var announcement: Int64?
  /// The subscription group. Auto-renewable subscriptions only.
  var subscriptionGroupID: SubscriptionGroupID?
  /// The end of the subscription period.
  var expiresDate: StoreDate?
  /// Whether the customer has upgraded to another plan.
  var isUpgraded = false
  /// Whether the customer has it by Family Sharing.
  var isShared = false
  /// The written value of the offer's type; nil for none.
  var offerType: Int64?
}

extension DeviceTransaction {
  /// - Parameter jws: the JWS in which `transaction` was verified.
  init(_ transaction: SignedTransaction, in jws: String) {
    self.init(
      transactionID: transaction.transactionID, originalTransactionID: transaction.originalTransactionID,
      productID: transaction.productID, type: transaction.type, purchaseDate: transaction.purchaseDate,
      revocationDate: transaction.revocationDate, signedDate: transaction.signedDate, signedTransaction: jws,
      subscriptionGroupID: transaction.subscriptionGroupID, expiresDate: transaction.expiresDate,
      isUpgraded: transaction.isUpgraded, isShared: transaction.ownership == .familyShared,
      offerType: transaction.rawOfferType)
  }
}

/// The table of verified transactions.
enum DeviceTransactionTable {
  /// The maximum number of consumables that were not refunded, and of those that were, beyond which the oldest without a
  /// queue entry leave.
  static let largestConsumableCount = 1_000

  /// The JWS of the row of `deviceTransaction` and `signatureHeader` in a query.
  static let jws = "signatureHeader.header || '.' || payload || '.' || signature"

  /// Stores a transaction. If it is stored already, the later signature is kept, and it stays delivered or finished.
  static func keep(_ transaction: DeviceTransaction, in database: Database) throws {
    guard let parts = JWSParts(transaction.signedTransaction) else {
      throw StoreKitDeviceError.deliveryMismatch("a signed transaction that is no JWS")
    }
    try database.cachedStatement(
      sql: """
        INSERT INTO deviceTransaction (transactionID, originalTransactionID, productID, type, purchaseDate,
          revocationDate, signedDate, account, headerID, payload, signature, revision, isUndelivered,
          subscriptionGroupID, expiresDate, isUpgraded, isShared, offerType)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (transactionID) DO UPDATE SET
          revocationDate = iif(excluded.signedDate >= signedDate, excluded.revocationDate, revocationDate),
          headerID = iif(excluded.signedDate >= signedDate, excluded.headerID, headerID),
          payload = iif(excluded.signedDate >= signedDate, excluded.payload, payload),
          signature = iif(excluded.signedDate >= signedDate, excluded.signature, signature),
          expiresDate = iif(excluded.signedDate >= signedDate, excluded.expiresDate, expiresDate),
          isUpgraded = iif(excluded.signedDate >= signedDate, excluded.isUpgraded, isUpgraded),
          subscriptionGroupID = iif(
            excluded.signedDate >= signedDate, excluded.subscriptionGroupID, subscriptionGroupID),
          isShared = iif(excluded.signedDate >= signedDate, excluded.isShared, isShared),
          offerType = iif(excluded.signedDate >= signedDate, excluded.offerType, offerType),
          signedDate = max(signedDate, excluded.signedDate),
          account = iif(excluded.revision IS NULL, coalesce(account, excluded.account), excluded.account),
          revision = iif(excluded.revision IS NULL, revision, max(coalesce(revision, 0), excluded.revision)),
          isUndelivered = isUndelivered AND excluded.isUndelivered
        """
    ).execute(arguments: [
      transaction.transactionID.rawValue, transaction.originalTransactionID.rawValue, transaction.productID.rawValue,
      transaction.type?.rawValue, transaction.purchaseDate.millisecondsSince1970,
      transaction.revocationDate?.millisecondsSince1970, transaction.signedDate.millisecondsSince1970,
      transaction.account?.rawValue, try header(String(parts.header), in: database),
      String(parts.payload), String(parts.signature),
      transaction.revision, transaction.finishState == .undelivered, transaction.subscriptionGroupID?.rawValue,
      transaction.expiresDate?.millisecondsSince1970, transaction.isUpgraded, transaction.isShared,
      transaction.offerType,
    ])
  }

  /// Stores the account that confirmed the payment of a transaction.
  static func set(account: AccountName, of transaction: TransactionID, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE deviceTransaction SET account = ? WHERE transactionID = ?").execute(
      arguments: [account.rawValue, transaction.rawValue])
  }

  /// Records that the store has acknowledged a finish of a transaction that was delivered to another device.
  static func setFinished(_ transaction: TransactionID, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE deviceTransaction SET isUndelivered = FALSE WHERE transactionID = ?")
      .execute(arguments: [transaction.rawValue])
  }

  /// Returns the number of a signature's header, which is stored if it is new.
  static func header(_ header: String, in database: Database) throws -> Int64 {
    let known = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT id FROM signatureHeader WHERE header = ?"), arguments: [header])
    if let known { return known }
    try database.cachedStatement(sql: "INSERT INTO signatureHeader (header) VALUES (?)").execute(arguments: [header])
    return database.lastInsertedRowID
  }

  static let select = """
    SELECT deviceTransaction.*, \(jws) AS signedTransaction, stage FROM deviceTransaction
    JOIN signatureHeader ON signatureHeader.id = headerID
    LEFT JOIN queueEntry ON queueEntry.transactionID = deviceTransaction.transactionID
    """

  static func transaction(_ row: Row) throws -> DeviceTransaction {
    guard let id = TransactionID(rawValue: row["transactionID"]),
      let original = TransactionID(rawValue: row["originalTransactionID"])
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a transaction's id is not a number") }
    let finishState: DeviceTransaction.FinishState =
      switch row["stage"] as String? {
      case "purchased": .unfinished
      case "finishing": .finishing
      default: row["isUndelivered"] ? .undelivered : .finished
      }
    return DeviceTransaction(
      transactionID: id, originalTransactionID: original, productID: ProductID(row["productID"]),
      type: (row["type"] as String?).flatMap(StoreModel.ProductType.init(rawValue:)),
      purchaseDate: StoreDate(millisecondsSince1970: row["purchaseDate"]),
      revocationDate: (row["revocationDate"] as Int64?).map { StoreDate(millisecondsSince1970: $0) },
      signedDate: StoreDate(millisecondsSince1970: row["signedDate"]), signedTransaction: row["signedTransaction"],
      account: (row["account"] as String?).map { AccountName($0) }, revision: row["revision"], finishState: finishState,
      announcement: row["announcement"],
      subscriptionGroupID: (row["subscriptionGroupID"] as String?).map { SubscriptionGroupID($0) },
      expiresDate: (row["expiresDate"] as Int64?).map { StoreDate(millisecondsSince1970: $0) },
      isUpgraded: row["isUpgraded"], isShared: row["isShared"], offerType: row["offerType"])
  }

  // MARK: What leaves

  /// Whether no queue entry needs a transaction.
  private static let isFree = """
    NOT EXISTS (SELECT 1 FROM queueEntry WHERE signedTransactionID = deviceTransaction.transactionID)
      AND NOT EXISTS (SELECT 1 FROM queueEntry WHERE queueEntry.transactionID = deviceTransaction.transactionID)
    """

  /// Removes the transactions without a queue entry that are of other accounts than `account`, or whose owner is unknown;
  /// with nil, all without a queue entry. The statuses leave in the same way.
  static func removeFree(exceptOf account: AccountName?, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM subscriptionStatus WHERE ?1 IS NULL OR account <> ?1", arguments: [account?.rawValue])
    try database.execute(
      sql: "DELETE FROM deviceTransaction WHERE (?1 IS NULL OR account IS NOT ?1) AND \(isFree)",
      arguments: [account?.rawValue])
    try database.execute(
      sql: """
        DELETE FROM signatureHeader WHERE id NOT IN (SELECT headerID FROM deviceTransaction)
          AND id NOT IN (SELECT headerID FROM subscriptionStatus)
        """)
  }

  /// Removes what a finished transaction no longer needs: itself, if it is of another account than the signed-in one; and
  /// old consumables.
  static func removeAfterFinish(of transaction: TransactionID, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        DELETE FROM deviceTransaction WHERE transactionID = ? AND \(isFree)
          AND account <> (SELECT account FROM installation)
        """
    ).execute(arguments: [transaction.rawValue])
    try removeOldConsumables(in: database)
  }

  /// Removes the oldest consumables, if there are too many. The refunded ones are counted by themselves, because StoreKit 2
  /// lists them and no other finished consumables.
  static func removeOldConsumables(in database: Database) throws {
    for isRevoked in [false, true] {
      try database.cachedStatement(
        sql: """
          DELETE FROM deviceTransaction WHERE \(isFree) AND transactionID IN (
            SELECT transactionID FROM deviceTransaction
            WHERE type = 'Consumable' AND (revocationDate IS NOT NULL) = ?
            ORDER BY purchaseDate DESC, transactionID DESC LIMIT -1 OFFSET ?)
          """
      ).execute(arguments: [isRevoked, largestConsumableCount])
    }
  }
}

extension PaymentJournal {
  /// A transaction that this device has verified; nil if it is not kept.
  func transaction(_ id: TransactionID) throws -> DeviceTransaction? {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: "\(DeviceTransactionTable.select) WHERE deviceTransaction.transactionID = ?")
      return try Row.fetchOne(statement, arguments: [id.rawValue]).map(DeviceTransactionTable.transaction)
    }
  }

  /// A page of the transactions that this device has verified, in the order of their purchase dates.
  ///
  /// - Parameters:
  ///   - original: only the transactions with this original transaction; nil for all.
  ///   - last: the last transaction of the page before; nil for the first page.
  func transactions(
    of original: TransactionID? = nil, after last: DeviceTransaction? = nil, limit: Int
  ) throws -> [DeviceTransaction] {
    try database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          \(DeviceTransactionTable.select)
          WHERE (?1 IS NULL OR originalTransactionID = ?1)
            AND (purchaseDate, deviceTransaction.transactionID) > (?2, ?3)
          ORDER BY purchaseDate, deviceTransaction.transactionID LIMIT ?4
          """)
      let arguments: StatementArguments = [
        original?.rawValue, last?.purchaseDate.millisecondsSince1970 ?? .min, last?.transactionID.rawValue ?? "", limit,
      ]
      return try Row.fetchAll(statement, arguments: arguments).map(DeviceTransactionTable.transaction)
    }
  }

  /// The account that was signed in last; nil before the first one is known.
  func account() throws -> AccountName? {
    try database.read { try String.fetchOne($0.cachedStatement(sql: "SELECT account FROM installation")) }
      .map { AccountName($0) } ?? firstAccount.value
  }

  /// Stores verified transactions that name no owner as those of the account that was signed in when they were requested,
  /// as part of a commit. If another account has signed in since then, the store may have answered either of them, so
  /// their owner stays unknown.
  func keep(_ transactions: [DeviceTransaction], requestedBy account: AccountName?, in database: Database) throws {
    guard !transactions.isEmpty else { return }
    let signedIn = try signedInAccount(in: database)
    try keep(transactions, of: account == signedIn ? signedIn : nil, in: database)
  }

  /// Stores verified transactions, as part of a commit. Those that name no owner are of `account`.
  func keep(_ transactions: [DeviceTransaction], of account: AccountName?, in database: Database) throws {
    if !transactions.isEmpty { _ = try signedInAccount(in: database) }
    for var transaction in transactions {
      transaction.account = transaction.account ?? account
      try DeviceTransactionTable.keep(transaction, in: database)
    }
  }

  /// The account that is signed in. The first one is stored now.
  private func signedInAccount(in database: Database) throws -> AccountName? {
    let stored = try String.fetchOne(database.cachedStatement(sql: "SELECT account FROM installation"))
    if let stored { return AccountName(stored) }
    guard let first = firstAccount.value else { return nil }
    try database.cachedStatement(sql: "UPDATE installation SET account = ?").execute(arguments: [first.rawValue])
    return first
  }

  /// Called when the device learns which account is signed in. If it is another one than before, the transactions without a
  /// queue entry that are not the new account's leave, and the changes are read from the beginning. The first account is
  /// stored with its first transaction.
  func adopt(account: AccountName) throws { try database.write { try adopt(account: account, in: $0) } }

  /// As ``adopt(account:)``, as part of a commit.
  func adopt(account: AccountName, in database: Database) throws {
    guard let known = try String.fetchOne(database, sql: "SELECT account FROM installation") else {
      return firstAccount.withLock { $0 = account }
    }
    guard known != account.rawValue else { return }
    try database.execute(
      sql: """
        UPDATE installation SET account = ?, transactionRevision = NULL, hasHistory = FALSE, appTransaction = NULL
        """, arguments: [account.rawValue])
    unverifiedStatuses.value = [:]
    try PendingMessageTable.removeUndelivered(in: database)
    try DeviceTransactionTable.removeFree(exceptOf: account, in: database)
  }
}
