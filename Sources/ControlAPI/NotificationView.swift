import APIDescription
import AppStoreEmulator
import AppStoreServerAPI
import StoreModel

extension NotificationType: APIValue {
  package static var componentName: String? { "NotificationType" }
}

extension NotificationSubtype: APIValue {
  package static var componentName: String? { "NotificationSubtype" }
}

extension StoredNotification.State: APIValue {
  package static var componentName: String? { "NotificationState" }
}

// MARK: Addresses

/// The addresses to which an app's notifications are sent.
package struct NotificationURLsView: APIObject {
  package static let schemaName = "NotificationURLs"

  package let production: String?
  package let sandbox: String?

  package static let notes: [String: MemberNote] = [
    "production": .init(Self.note, isNullable: true), "sandbox": .init(Self.note, isNullable: true),
  ]

  private static let note = "http or https, without a user or a fragment. Null or missing: no notifications."

  package init(production: String?, sandbox: String?) { (self.production, self.sandbox) = (production, sandbox) }

  package init(_ urls: NotificationURLs) {
    production = urls.production?.absoluteString
    sandbox = urls.sandbox?.absoluteString
  }

  /// Writes null for an address that there is not.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(production, forKey: .production)
    try container.encode(sandbox, forKey: .sandbox)
  }

  private enum CodingKeys: String, CodingKey { case production, sandbox }

  /// - Throws: ``AppStoreEmulatorError/invalidNotificationURL(_:reason:)``.
  package var urls: NotificationURLs {
    get throws(AppStoreEmulatorError) {
      var urls = NotificationURLs()
      if let production { urls.production = try NotificationURLs.url(production) }
      if let sandbox { urls.sandbox = try NotificationURLs.url(sandbox) }
      return urls
    }
  }
}

// MARK: Notifications

/// A notification that the store made, with its attempts.
package struct NotificationView: APIObject {
  package let uuid: String
  package let sequence: Int64
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let customer: AccountName?
  package let type: String
  package let subtype: String?
  package let transactionId: TransactionID?
  package let date: StoreDate
  package let state: StoredNotification.State
  package let dueDate: StoreDate?
  package let attempts: [NotificationAttemptView]

  package static let notes: [String: MemberNote] = [
    "uuid": "The notificationUUID.",
    "date": "The date of the cause, by the store's clock.",
    "dueDate": "The date of the next attempt, by the store's clock; missing if there is none.",
    "attempts": "Oldest first.",
  ]

  package init(_ notification: StoredNotification) {
    (uuid, sequence) = (notification.uuid, notification.sequence)
    (bundleId, environment, customer) = (notification.bundleID, notification.environment, notification.account)
    (type, subtype) = (notification.type.rawValue, notification.subtype?.rawValue)
    (transactionId, date) = (notification.transactionID, notification.date)
    (state, dueDate) = (notification.state, notification.dueDate)
    attempts = notification.attempts.map(NotificationAttemptView.init)
  }
}

/// One attempt to send a notification.
package struct NotificationAttemptView: APIObject {
  package let date: StoreDate
  package let result: String
  package let url: String
  package let httpStatus: Int?
  package let detail: String?
  package let answer: String?

  package static let notes: [String: MemberNote] = [
    "date": "When it was due, by the store's clock.",
    "result": "A value of sendAttemptResult, such as SUCCESS.",
    "httpStatus": "Missing if there was no answer.",
    "detail": "The error in words.",
    "answer": "The beginning of the answer's body.",
  ]

  init(_ attempt: NotificationAttempt) {
    (date, result, url) = (attempt.date, attempt.result.rawValue, attempt.url)
    (httpStatus, detail, answer) = (attempt.httpStatus, attempt.detail, attempt.answer)
  }
}

/// A notification with its contents.
package struct NotificationDetailsView: APIObject {
  package let notification: NotificationView
  package let payload: DecodedJSON
  package let transactionInfo: DecodedJSON?
  package let renewalInfo: DecodedJSON?
  package let signedPayload: String?

  package static let notes: [String: MemberNote] = [
    "payload": "The decoded payload. Signed data in it is replaced by $transaction and $renewal.",
    "transactionInfo": "The decoded signedTransactionInfo.",
    "renewalInfo": "The decoded signedRenewalInfo.",
    "signedPayload": "The payload as it is sent; missing until the first attempt.",
  ]

  package init(_ details: NotificationDetails) {
    notification = NotificationView(details.notification)
    payload = DecodedJSON(text: details.payload)
    transactionInfo = details.transactionInfo.map(DecodedJSON.init)
    renewalInfo = details.renewalInfo.map(DecodedJSON.init)
    signedPayload = details.signedPayload
  }
}

/// A page of the notifications.
package struct NotificationListView: APIObject {
  package let notifications: [NotificationView]
  package let next: Int64?

  package static let notes: [String: MemberNote] = [
    "next": "The value of `before`, or of `after` if the query has it, for the next page; missing on the last page."
  ]

  package init(_ page: StoredNotificationPage) {
    notifications = page.notifications.map(NotificationView.init)
    next = page.next
  }
}

/// Filters notifications. Missing members do not restrict the result.
package struct NotificationQuery: APIObject {
  package var bundleId: BundleID?
  package var environment: EnvironmentName?
  package var customer: AccountName?
  package var type: NotificationType?
  package var subtype: NotificationSubtype?
  package var transactionId: TransactionID?
  package var state: StoredNotification.State?
  package var before: Int64?
  package var after: Int64?
  package var limit: Int?

  package static let notes: [String: MemberNote] = [
    "before": .init("Only notifications with a smaller number.", minimum: 0),
    "after": .init("Only notifications with a larger number; the list is then oldest first.", minimum: 0),
    "limit": .init(minimum: 1, maximum: 1000, defaultValue: .integer(100)),
  ]

  package init() {}

  package var filter: NotificationFilter {
    var filter = NotificationFilter()
    (filter.bundleID, filter.environment, filter.account) = (bundleId, environment?.environment, customer)
    (filter.type, filter.subtype, filter.transactionID, filter.state) = (type, subtype, transactionId, state)
    (filter.before, filter.after, filter.limit) = (before, after, limit ?? 100)
    return filter
  }
}

package struct NotificationPath: APIObject {
  package let uuid: String
  package init(_ uuid: String) { self.uuid = uuid }
}

// MARK: Sending

/// A notification to send at will. Its contents are the records of now.
package struct NotificationRequest: APIObject {
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let type: NotificationType
  package let subtype: NotificationSubtype?
  package let transactionId: TransactionID?

  package static let notes: [String: MemberNote] = [
    "transactionId": "The transaction that it is about. Missing: it contains no signed data."
  ]

  package init(
    bundleId: BundleID, environment: StoreEnvironment, type: NotificationType, subtype: NotificationSubtype? = nil,
    transactionId: TransactionID? = nil
  ) {
    (self.bundleId, self.environment, self.type) = (bundleId, environment, type)
    (self.subtype, self.transactionId) = (subtype, transactionId)
  }
}

/// How notifications are sent.
package struct NotificationPolicyView: APIObject {
  package static let schemaName = "NotificationPolicy"

  package let hold: Bool
  package let drop: Bool
  package let duplicate: Bool
  package let delayMilliseconds: Int
  package let reorder: Bool

  package static let notes = NotificationPolicyChange.notes

  package init(_ policy: NotificationPolicy) {
    (hold, drop, duplicate, reorder) = (policy.hold, policy.drop, policy.duplicate, policy.reorder)
    delayMilliseconds = policy.delayMilliseconds
  }
}

/// A change of how notifications are sent. Missing members are left unchanged.
package struct NotificationPolicyChange: APIObject {
  package let hold: Bool?
  package let drop: Bool?
  package let duplicate: Bool?
  package let delayMilliseconds: Int?
  package let reorder: Bool?

  package static let notes: [String: MemberNote] = [
    "hold": "Makes no attempts until it is false again.",
    "drop": "The server does not receive attempts; they fail with NO_RESPONSE.",
    "duplicate": "Sends each notification twice, with the same bytes.",
    "delayMilliseconds": .init("A wait before each attempt, of the machine's own time.", minimum: 0, maximum: 600_000),
    "reorder": "Of the attempts that are due, makes the newest first.",
  ]

  package init(
    hold: Bool? = nil, drop: Bool? = nil, duplicate: Bool? = nil, delayMilliseconds: Int? = nil, reorder: Bool? = nil
  ) {
    (self.hold, self.drop, self.duplicate, self.reorder) = (hold, drop, duplicate, reorder)
    self.delayMilliseconds = delayMilliseconds
  }

  package func apply(to policy: inout NotificationPolicy) {
    if let hold { policy.hold = hold }
    if let drop { policy.drop = drop }
    if let duplicate { policy.duplicate = duplicate }
    if let delayMilliseconds { policy.delayMilliseconds = delayMilliseconds }
    if let reorder { policy.reorder = reorder }
  }
}

package struct SettleRequest: APIObject {
  package let timeoutMilliseconds: Int?

  package static let notes: [String: MemberNote] = [
    "timeoutMilliseconds": .init(
      "The longest wait, of the machine's own time.", minimum: 0, maximum: 600_000, defaultValue: .integer(30_000))
  ]

  package init(timeoutMilliseconds: Int? = nil) { self.timeoutMilliseconds = timeoutMilliseconds }
}

/// How many notifications the store has, by what became of them.
package struct NotificationCountsView: APIObject {
  package let sent: Int
  package let failed: Int
  package let held: Int

  package static let notes: [String: MemberNote] = [
    "sent": "Their server has received them.",
    "failed": "No attempt has succeeded yet, and none is due now.",
    "held": "An attempt is due, and held.",
  ]

  package init(_ counts: NotificationCounts) { (sent, failed, held) = (counts.sent, counts.failed, counts.held) }
}
