import StoreModel

/// Get Notification History: a page of the notifications of the app, at most 20, as they were sent.
public struct GetNotificationHistory: ServerAPICall {
  public typealias Answer = NotificationHistoryResponse
  public static let endpoint = ServerAPIEndpoint(
    "getNotificationHistory", .post, "inApps/v1/notifications/history", requestsPerSecond: 50)

  public let content: NotificationHistoryRequest
  /// The token of the previous page; nil for the first page.
  public var paginationToken: String?

  public init(_ content: NotificationHistoryRequest, paginationToken: String? = nil) {
    self.content = content
    self.paginationToken = paginationToken
  }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    paginationToken = try request.value("paginationToken", or: .invalidPaginationToken)
    content = try request.content()
  }

  public func request() throws -> ServerAPIRequest {
    try ServerAPIRequest(query: paginationToken.map { [.init("paginationToken", $0)] } ?? [], json: content)
  }
}

/// The filters of a notification history. It must be the same for all pages.
public struct NotificationHistoryRequest: ServerAPIBody {
  /// At most 180 days ago.
  public var startDate: StoreDate
  /// After ``startDate``. A date in the future means now.
  public var endDate: StoreDate
  public var notificationType: OpenEnum<NotificationType>?
  /// Only together with ``notificationType``.
  public var notificationSubtype: OpenEnum<NotificationSubtype>?
  /// Only notifications about this customer. Not together with ``notificationType``.
  public var transactionId: TransactionID?
  /// Whether only notifications are listed that have not reached the server.
  public var onlyFailures: Bool?
  /// Deprecated: ``transactionId`` replaces it.
  public var originalTransactionId: TransactionID?

  public init(startDate: StoreDate, endDate: StoreDate) {
    self.startDate = startDate
    self.endDate = endDate
  }

  /// How long notifications stay in the history.
  public static let longestDays: Int64 = 180

  public static var memberErrors: [String: ServerAPIErrorCode] {
    [
      "startDate": .invalidStartDate, "endDate": .invalidEndDate, "notificationType": .invalidNotificationType,
      "notificationSubtype": .invalidNotificationType, "transactionId": .invalidTransactionId,
      "originalTransactionId": .invalidTransactionId,
    ]
  }

  public func check() throws(ServerAPIRefusal) {
    guard startDate < endDate else {
      throw ServerAPIRefusal(.startDateAfterEndDate, "the body's startDate is not before its endDate")
    }
    if let notificationType {
      try notificationType.check("notificationType", or: .invalidNotificationType)
      guard transactionId == nil, originalTransactionId == nil else {
        throw ServerAPIRefusal(.multipleFiltersSupplied, "the body has a transaction id and a notificationType")
      }
    }
    guard let notificationSubtype else { return }
    try notificationSubtype.check("notificationSubtype", or: .invalidNotificationType)
    guard let type = notificationType?.known, let subtype = notificationSubtype.known,
      type.subtypes.contains(subtype)
    else {
      let type = notificationType.map { "of \($0.rawValue)" } ?? "without a notificationType"
      throw ServerAPIRefusal(
        .invalidNotificationType, "the body's notificationSubtype \(notificationSubtype.rawValue) is no subtype \(type)"
      )
    }
  }

  /// Checks that the history reaches back to the start.
  ///
  /// - Parameter now: the store's date.
  public func check(at now: StoreDate) throws(ServerAPIRefusal) {
    guard startDate >= now.adding(seconds: -Self.longestDays * 86_400) else {
      throw ServerAPIRefusal(
        .startDateTooFarInPast, "the body's startDate \(startDate) is more than 180 days before now, \(now)")
    }
  }
}

/// A page of a notification history.
public struct NotificationHistoryResponse: Codable, Hashable, Sendable {
  public var notificationHistory: [NotificationHistoryItem]
  public var hasMore: Bool
  /// The token for the next page; nil on the last page.
  public var paginationToken: String?

  public init(notificationHistory: [NotificationHistoryItem], hasMore: Bool, paginationToken: String? = nil) {
    self.notificationHistory = notificationHistory
    self.hasMore = hasMore
    self.paginationToken = paginationToken
  }

  /// The largest number of notifications on a page.
  public static let pageSize = 20
}

/// A notification and its deliveries.
public struct NotificationHistoryItem: Codable, Hashable, Sendable {
  /// A ``NotificationPayload`` as JWS, as it was sent.
  public var signedPayload: String
  /// Each try to deliver it, at most six.
  public var sendAttempts: [SendAttempt]?
  /// Deprecated: the result of the first try.
  public var firstSendAttemptResult: OpenEnum<SendAttemptResult>?

  public init(
    signedPayload: String, sendAttempts: [SendAttempt]?, firstSendAttemptResult: OpenEnum<SendAttemptResult>? = nil
  ) {
    self.signedPayload = signedPayload
    self.sendAttempts = sendAttempts
    self.firstSendAttemptResult = firstSendAttemptResult
  }
}

/// One try to deliver a notification ("sendAttemptItem").
public struct SendAttempt: Codable, Hashable, Sendable {
  public var attemptDate: StoreDate
  public var sendAttemptResult: OpenEnum<SendAttemptResult>

  public init(attemptDate: StoreDate, sendAttemptResult: OpenEnum<SendAttemptResult>) {
    self.attemptDate = attemptDate
    self.sendAttemptResult = sendAttemptResult
  }
}

/// The result of a try to deliver a notification.
public enum SendAttemptResult: String, Hashable, Codable, Sendable, CaseIterable {
  case success = "SUCCESS"
  case timedOut = "TIMED_OUT"
  case tlsIssue = "TLS_ISSUE"
  case circularRedirect = "CIRCULAR_REDIRECT"
  case noResponse = "NO_RESPONSE"
  case socketIssue = "SOCKET_ISSUE"
  case unsupportedCharset = "UNSUPPORTED_CHARSET"
  case invalidResponse = "INVALID_RESPONSE"
  case prematureClose = "PREMATURE_CLOSE"
  case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
  case other = "OTHER"
  /// Deprecated: `TLS_ISSUE` replaces it.
  case sslIssue = "SSL_ISSUE"
}

/// Request a Test Notification: the store sends the notification `TEST` to the app's server.
///
/// A repeated call sends another one, so the call is not idempotent.
public struct RequestTestNotification: ServerAPICall {
  public typealias Answer = SendTestNotificationResponse
  public static let endpoint = ServerAPIEndpoint(
    "requestTestNotification", .post, "inApps/v1/notifications/test", isIdempotent: false, requestsPerSecond: 1)

  public init() {}
  public init(_ request: ServerAPIRequest) {}
  public func request() -> ServerAPIRequest { ServerAPIRequest() }
}

public struct SendTestNotificationResponse: Codable, Hashable, Sendable {
  /// Identifies the test notification for six months.
  public var testNotificationToken: String

  public init(testNotificationToken: String) { self.testNotificationToken = testNotificationToken }
}

/// Get Test Notification Status: a test notification and its deliveries.
public struct GetTestNotificationStatus: ServerAPICall {
  public typealias Answer = NotificationHistoryItem
  public static let endpoint = ServerAPIEndpoint(
    "getTestNotificationStatus", .get, "inApps/v1/notifications/test/{testNotificationToken}", requestsPerSecond: 1)

  public let testNotificationToken: String

  public init(testNotificationToken: String) { self.testNotificationToken = testNotificationToken }

  public init(_ request: ServerAPIRequest) throws(ServerAPIRefusal) {
    testNotificationToken = try request.text("testNotificationToken", or: .invalidTestNotificationToken)
  }

  public func request() -> ServerAPIRequest {
    ServerAPIRequest(parameters: ["testNotificationToken": testNotificationToken])
  }
}
