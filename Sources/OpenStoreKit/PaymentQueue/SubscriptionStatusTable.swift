import GRDB
import SignedData
import StoreModel

/// The status of a subscription as this device has verified it.
struct DeviceStatus: Hashable, Sendable {
  let groupID: SubscriptionGroupID
  let originalTransactionID: TransactionID
  /// The newest transaction of the subscription.
  let transaction: DeviceTransaction
  /// The renewal information as a compact JWS.
  let signedRenewalInfo: String
  /// The raw value of StoreKit's `RenewalState`, 1 to 5. It is not signed: the device derives it from both signed values.
  let state: Int
  /// Why the renewal information was not verified; nil if it was. Only a verified one is stored.
  let failure: VerificationFailure?
}

/// The state of a subscription. The raw values are those of StoreKit's `RenewalState`.
enum SubscriptionState: Int, Hashable, Sendable {
  case subscribed = 1
  case expired = 2
  case inBillingRetryPeriod = 3
  case inGracePeriod = 4
  case revoked = 5

  /// Derives the state, which is not signed, from the two signed values. The first condition that is met decides.
  init(_ transaction: DeviceTransaction, _ renewalInfo: SignedRenewalInfo) {
    let isRetried = renewalInfo.isInBillingRetryPeriod == true
    if transaction.revocationDate != nil {
      self = .revoked
    } else if isRetried, let end = renewalInfo.gracePeriodExpiresDate, end > renewalInfo.signedDate {
      self = .inGracePeriod
    } else if isRetried {
      self = .inBillingRetryPeriod
    } else if renewalInfo.rawExpirationIntent != nil {
      self = .expired
    } else {
      self = .subscribed
    }
  }
}

/// The status of a subscription in a page of changes, whose two parts were verified.
struct VerifiedStatus: Sendable {
  let groupID: SubscriptionGroupID
  let transaction: DeviceTransaction
  let renewalInfo: SignedRenewalInfo
  /// The renewal information as a compact JWS.
  let signedRenewalInfo: String

  var originalTransactionID: TransactionID { transaction.originalTransactionID }
  var state: SubscriptionState { SubscriptionState(transaction, renewalInfo) }
}

/// The status of a subscription whose transaction was verified, but whose renewal information was not. It is not stored.
struct UnverifiedStatus: Sendable {
  let groupID: SubscriptionGroupID
  let transaction: DeviceTransaction
  let signedRenewalInfo: String
  let failure: VerificationFailure

  var originalTransactionID: TransactionID { transaction.originalTransactionID }
}

/// The table of verified renewal information. The transactions of the statuses are in ``DeviceTransactionTable``.
enum SubscriptionStatusTable {
  struct StatusRow: Sendable {
    let groupID: SubscriptionGroupID
    let originalTransactionID: TransactionID
    let transactionID: TransactionID
    let state: SubscriptionState
    let signedDate: StoreDate
    let payload: String
    let signedRenewalInfo: String

    init(_ row: Row) throws {
      guard let original = TransactionID(rawValue: row["originalTransactionID"]),
        let transaction = TransactionID(rawValue: row["transactionID"]),
        let state = SubscriptionState(rawValue: row["state"])
      else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a status has an invalid id or state") }
      groupID = SubscriptionGroupID(row["groupID"])
      originalTransactionID = original
      transactionID = transaction
      self.state = state
      signedDate = StoreDate(millisecondsSince1970: row["signedDate"])
      payload = row["payload"]
      signedRenewalInfo = row["signedRenewalInfo"]
    }

    /// - Throws: ``VerificationFailure`` if the payload cannot be read. It was verified before it was stored.
    func renewalInfo() throws -> SignedRenewalInfo { try SignedRenewalInfo(payload: try JWSPayload.bytes(payload)) }
  }

  private static let select = """
    SELECT subscriptionStatus.*, \(DeviceTransactionTable.jws) AS signedRenewalInfo FROM subscriptionStatus
    JOIN signatureHeader ON signatureHeader.id = headerID
    """

  static func row(_ original: TransactionID, in database: Database) throws -> StatusRow? {
    try Row.fetchOne(
      database.cachedStatement(sql: "\(select) WHERE originalTransactionID = ?"), arguments: [original.rawValue]
    ).map(StatusRow.init)
  }

  /// The rows in the order of their groups and original transactions.
  static func rows(of group: SubscriptionGroupID?, in database: Database) throws -> [StatusRow] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          \(select) WHERE ?1 IS NULL OR groupID = ?1
          ORDER BY groupID, length(originalTransactionID), originalTransactionID
          """), arguments: [group?.rawValue]
    ).map(StatusRow.init)
  }

  /// Stores a status, unless a later signature of it is stored.
  static func keep(_ status: VerifiedStatus, of account: AccountName, in database: Database) throws {
    guard let parts = JWSParts(status.signedRenewalInfo) else {
      throw StoreKitDeviceError.deliveryMismatch("renewal information that is no JWS")
    }
    let header = try DeviceTransactionTable.header(String(parts.header), in: database)
    try database.cachedStatement(
      sql: """
        INSERT INTO subscriptionStatus (originalTransactionID, groupID, transactionID, state, headerID, payload, signature,
          signedDate, account)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (originalTransactionID) DO UPDATE SET
          groupID = excluded.groupID, transactionID = excluded.transactionID, state = excluded.state,
          headerID = excluded.headerID, payload = excluded.payload, signature = excluded.signature,
          signedDate = excluded.signedDate, account = excluded.account
        WHERE excluded.signedDate >= signedDate
        """
    ).execute(arguments: [
      status.originalTransactionID.rawValue, status.groupID.rawValue, status.transaction.transactionID.rawValue,
      status.state.rawValue, header, String(parts.payload), String(parts.signature),
      status.renewalInfo.signedDate.millisecondsSince1970, account.rawValue,
    ])
  }

  /// Removes the statuses that the store does not list any more.
  static func remove(except originals: Set<TransactionID>, in database: Database) throws {
    for row in try rows(of: nil, in: database) where !originals.contains(row.originalTransactionID) {
      try database.cachedStatement(sql: "DELETE FROM subscriptionStatus WHERE originalTransactionID = ?").execute(
        arguments: [row.originalTransactionID.rawValue])
    }
  }
}

extension PaymentJournal {
  /// The statuses, in the order of their groups and original transactions.
  ///
  /// - Parameter group: only the statuses of this group; nil for all.
  func statuses(of group: SubscriptionGroupID? = nil) throws -> [DeviceStatus] {
    let rows = try database.read { try SubscriptionStatusTable.rows(of: group, in: $0) }
    var unverified = unverifiedStatuses.value.filter { group == nil || $0.value.groupID == group }
    var statuses = try rows.compactMap { row in
      try status(row, unverified: unverified.removeValue(forKey: row.originalTransactionID))
    }
    guard !unverified.isEmpty else { return statuses }
    statuses += try unverified.values.map(status)
    return statuses.sorted {
      ($0.groupID.rawValue, $0.originalTransactionID) < ($1.groupID.rawValue, $1.originalTransactionID)
    }
  }

  /// The status of the subscription of a transaction, which can be any of its transactions; nil if there is none.
  func status(of transaction: TransactionID) throws -> DeviceStatus? {
    let original = try self.transaction(transaction)?.originalTransactionID ?? transaction
    let unverified = unverifiedStatuses.withLock { $0[original] }
    let row = try database.read { try SubscriptionStatusTable.row(original, in: $0) }
    guard let row else { return try unverified.map(status) }
    return try status(row, unverified: unverified)
  }

  private func status(
    _ row: SubscriptionStatusTable.StatusRow, unverified: UnverifiedStatus?
  ) throws -> DeviceStatus? {
    let newest = unverified?.transaction.transactionID ?? row.transactionID
    guard let transaction = try transaction(newest) else { return nil }
    return DeviceStatus(
      groupID: row.groupID, originalTransactionID: row.originalTransactionID, transaction: transaction,
      signedRenewalInfo: unverified?.signedRenewalInfo ?? row.signedRenewalInfo, state: row.state.rawValue,
      failure: unverified?.failure)
  }

  /// The status of a subscription of which no renewal information was ever verified.
  private func status(_ unverified: UnverifiedStatus) throws -> DeviceStatus {
    DeviceStatus(
      groupID: unverified.groupID, originalTransactionID: unverified.originalTransactionID,
      transaction: try transaction(unverified.transaction.transactionID) ?? unverified.transaction,
      signedRenewalInfo: unverified.signedRenewalInfo, state: SubscriptionState.expired.rawValue,
      failure: unverified.failure)
  }
}
