import AppStoreServerAPI
import Foundation
import StoreModel

/// A server notification of the store, with its attempts.
public struct StoredNotification: Hashable, Sendable {
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    /// An attempt is due, or will be.
    case waiting
    /// The server has received it.
    case sent
    /// All attempts have failed.
    case failed
  }

  /// The order in which the store made its notifications.
  public let sequence: Int64
  /// The `notificationUUID`.
  public let uuid: String
  public let environment: StoreEnvironment
  public let bundleID: BundleID
  /// The owner of the transaction; nil if the notification has none.
  public let account: AccountName?
  public let type: OpenEnum<NotificationType>
  public let subtype: OpenEnum<NotificationSubtype>?
  public let transactionID: TransactionID?
  /// The date of the cause.
  public let date: StoreDate
  public let state: State
  /// The date of the next attempt; nil if there is none.
  public let dueDate: StoreDate?
  /// Oldest first.
  public let attempts: [NotificationAttempt]
}

/// One attempt to deliver a notification.
public struct NotificationAttempt: Hashable, Sendable {
  /// The date at which it was due.
  public let date: StoreDate
  public let result: OpenEnum<SendAttemptResult>
  public let url: String
  /// Nil if there was no answer.
  public let httpStatus: Int?
  /// The error in words; nil after a success.
  public let detail: String?
  /// The beginning of the answer's body.
  public let answer: String?
}

/// A notification with its contents.
public struct NotificationDetails: Sendable {
  public let notification: StoredNotification
  /// The JWS, as it is sent; nil until the first attempt.
  public let signedPayload: String?
  /// The decoded payload, as JSON. The signed data in it is replaced by marks.
  public let payload: String
  /// The decoded transaction in the payload, as JSON.
  public let transactionInfo: String?
  /// The decoded renewal information in the payload, as JSON.
  public let renewalInfo: String?
}

/// Which notifications are listed. A nil property matches all.
public struct NotificationFilter: Hashable, Sendable {
  public var bundleID: BundleID?
  public var environment: StoreEnvironment?
  public var account: AccountName?
  public var type: NotificationType?
  public var subtype: NotificationSubtype?
  public var transactionID: TransactionID?
  public var state: StoredNotification.State?
  /// Only notifications with a smaller number: those before a page, newest first.
  public var before: Int64?
  /// Only notifications with a larger number. The list is then oldest first.
  public var after: Int64?
  public var limit = 100

  public init() {}
}

/// A page of notifications.
public struct StoredNotificationPage: Sendable {
  public let notifications: [StoredNotification]
  /// ``NotificationFilter/before`` or ``NotificationFilter/after`` of the next page; nil on the last page.
  public let next: Int64?
}

/// How many notifications the store has, by what became of them.
public struct NotificationCounts: Hashable, Sendable {
  /// Those that their server has received.
  public var sent = 0
  /// Those of which no attempt has succeeded yet, and none is due now.
  public var failed = 0
  /// Those with an attempt that is due, but is held.
  public var held = 0

  public init() {}
}

/// The notifications of an app that its server asks for (Get Notification History).
struct NotificationHistoryFilter {
  let bundleID: BundleID
  let environment: StoreEnvironment
  let dates: ClosedRange<StoreDate>
  var type: NotificationType?
  var subtype: NotificationSubtype?
  /// The owner of the notifications' transactions.
  var account: AccountName?
  var onlyFailures = false
}

extension StoredNotification {
  init(_ row: NotificationRow, attempts rows: [NotificationAttemptRow]) {
    (sequence, uuid, environment, bundleID) = (row.sequence, row.uuid, row.environment, row.bundleID)
    (account, transactionID, date, dueDate) = (row.account, row.transactionID, row.date, row.dueDate)
    type = OpenEnum(rawValue: row.type)
    subtype = row.subtype.map { OpenEnum(rawValue: $0) }
    state = row.isDelivered ? .sent : row.dueDate == nil ? .failed : .waiting
    attempts = rows.map(NotificationAttempt.init)
  }
}

extension NotificationAttempt {
  fileprivate init(_ row: NotificationAttemptRow) {
    (date, url, httpStatus, detail, answer) = (row.date, row.url, row.httpStatus, row.detail, row.answer)
    result = OpenEnum(rawValue: row.result)
  }
}
