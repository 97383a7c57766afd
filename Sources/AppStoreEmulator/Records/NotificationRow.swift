import Foundation
import GRDB
import StoreModel

/// A row of `notification`: a server notification, from its cause until it is removed. See
/// Documentation/server-notifications.md.
struct NotificationRow: Encodable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "notification"

  let sequence: Int64
  /// The `notificationUUID`.
  let uuid: String
  let environment: StoreEnvironment
  let bundleID: BundleID
  /// The owner of the transaction; nil if the notification has none.
  let account: AccountName?
  /// The `notificationType`.
  let type: String
  let subtype: String?
  let transactionID: TransactionID?
  let originalTransactionID: TransactionID?
  /// The date of the cause.
  let date: StoreDate
  /// The `signedDate` of the payload.
  let signedDate: StoreDate
  /// The JSON of the payload, with ``transactionMark`` and ``renewalMark`` for the signed data in it.
  let payload: String
  /// The JSON of the signed transaction in the payload.
  let transactionInfo: String?
  /// The JSON of the signed renewal information in the payload.
  let renewalInfo: String?
  /// The number of the row of `notificationHeader`; nil until it is signed.
  var header: Int64?
  /// The signatures of the transaction, the renewal information and the payload, those that exist, separated by dots; nil until it
  /// is signed.
  var signatures: String?
  /// The date of the next attempt; nil if there is none.
  var dueDate: StoreDate?
  var isDelivered = false

  static let transactionMark = "$transaction"
  static let renewalMark = "$renewal"

  /// How long a notification is kept, in seconds: 180 days.
  static let keptSeconds: Int64 = 180 * 86_400
}

extension NotificationRow {
  // Written out, because a row is read for each attempt, and written in the commit of a purchase. `Codable` takes several times as
  // long.
  init(row: Row) throws {
    guard let environment = StoreEnvironment(rawValue: row["environment"]) else {
      throw DatabaseError(message: "The column environment of notification contains \(row["environment"] as String).")
    }
    self.init(
      sequence: row["sequence"], uuid: row["uuid"], environment: environment,
      bundleID: BundleID(rawValue: row["bundleID"]),
      account: (row["account"] as String?).map(AccountName.init(rawValue:)), type: row["type"],
      subtype: row["subtype"], transactionID: (row["transactionID"] as String?).flatMap(TransactionID.init(rawValue:)),
      originalTransactionID: (row["originalTransactionID"] as String?).flatMap(TransactionID.init(rawValue:)),
      date: StoreDate(millisecondsSince1970: row["date"]),
      signedDate: StoreDate(millisecondsSince1970: row["signedDate"]), payload: row["payload"],
      transactionInfo: row["transactionInfo"], renewalInfo: row["renewalInfo"], header: row["header"],
      signatures: row["signatures"],
      dueDate: (row["dueDate"] as Int64?).map(StoreDate.init(millisecondsSince1970:)),
      isDelivered: row["isDelivered"])
  }

  /// Stores a new row, which is not signed.
  func append(to database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO notification (sequence, uuid, environment, bundleID, account, type, subtype, transactionID,
          originalTransactionID, date, signedDate, payload, transactionInfo, renewalInfo, dueDate, isDelivered)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, FALSE)
        """
    ).execute(arguments: [
      sequence, uuid, environment.rawValue, bundleID.rawValue, account?.rawValue, type, subtype,
      transactionID?.rawValue, originalTransactionID?.rawValue, date.millisecondsSince1970,
      signedDate.millisecondsSince1970, payload, transactionInfo, renewalInfo, dueDate?.millisecondsSince1970,
    ])
  }
}

/// A row of `notificationAttempt`: one attempt to deliver a notification, with its result.
struct NotificationAttemptRow: Codable, Equatable, FetchableRecord, TableRecord {
  static let databaseTableName = "notificationAttempt"

  var sequence: Int64?
  /// The number of the notification.
  let notification: Int64
  /// The date at which the attempt was due.
  let date: StoreDate
  /// A value of `sendAttemptResult`.
  let result: String
  let url: String
  let httpStatus: Int?
  /// The error in words.
  let detail: String?
  /// The beginning of the answer's body.
  let answer: String?
}
