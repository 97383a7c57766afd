import StoreModel

/// How a notification came to this server.
public enum NotificationSource: String, CaseIterable, Hashable, Codable, Sendable {
  /// The App Store has posted it.
  case sent
  /// This server has read it from the notification history.
  case history
}

/// What became of a notification.
public enum NotificationOutcome: Hashable, Sendable {
  /// What it states is in the ledger, or there was nothing to record.
  case recorded
  /// It is genuine, but cannot be recorded. An operator can replay it.
  case setAside(problem: String)
  /// It was received before. Nothing was changed.
  case known
}

/// A notification of the App Store, as the ledger keeps it for 180 days.
public struct ReceivedNotification: Hashable, Codable, Sendable {
  public enum State: String, CaseIterable, Hashable, Codable, Sendable {
    case recorded
    case setAside
  }

  public let uuid: String
  public let environment: StoreEnvironment?
  public let type: String
  public let subtype: String?
  public let originalTransactionId: TransactionID?
  /// When the store signed it, by the store's clock.
  public let signed: StoreDate
  public let received: StoreDate
  public let source: NotificationSource
  public let state: State
  /// Why it was set aside; nil if it was not.
  public let problem: String?
}

/// The notifications of an app that are set aside.
public struct SetAsideNotifications: Hashable, Sendable {
  public let count: Int64
  /// When the first of them was received.
  public let oldest: StoreDate
}

/// Which notifications are listed. A nil property matches all.
public struct ReceivedNotificationFilter: Hashable, Sendable {
  public var state: ReceivedNotification.State?
  /// A `notificationType`, also one that this version does not know.
  public var type: String?
  /// Only notifications that were received at this date or later.
  public var from: StoreDate?
  /// Only notifications that were received before this date.
  public var until: StoreDate?

  public init(
    state: ReceivedNotification.State? = nil, type: String? = nil, from: StoreDate? = nil, until: StoreDate? = nil
  ) {
    self.state = state
    self.type = type
    self.from = from
    self.until = until
  }
}

extension NotificationSource: SQLValueConvertible {}
extension ReceivedNotification.State: SQLValueConvertible {}

extension ReceivedNotification {
  static let columns = "uuid, environment, type, subtype, original, signed, received, source, state, problem"

  init(_ row: SQLRow) throws {
    self.init(
      uuid: try row.text("uuid"),
      environment: try row.optionalText("environment") == nil ? nil : try row.value("environment"),
      type: try row.text("type"), subtype: try row.optionalText("subtype"),
      originalTransactionId: try row.optionalText("original") == nil ? nil : try row.value("original"),
      signed: try row.date("signed"), received: try row.date("received"), source: try row.value("source"),
      state: try row.value("state"), problem: try row.optionalText("problem"))
  }
}
