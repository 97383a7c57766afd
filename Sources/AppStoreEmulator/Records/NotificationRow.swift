import Foundation
import GRDB
import StoreModel

/// A row of `notification`: a server notification, from its cause until it is removed. See
/// Documentation/server-notifications.md.
struct NotificationRow: Codable, Equatable, FetchableRecord, PersistableRecord {
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

/// A row of `notificationAttempt`: one attempt to deliver a notification, with its result.
struct NotificationAttemptRow: Codable, Equatable, FetchableRecord, PersistableRecord {
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
