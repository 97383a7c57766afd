import Foundation
import StoreModel

/// A message of a webhook, and what has become of it (Documentation/webhooks.md has the states).
public struct WebhookDelivery: Hashable, Sendable {
  public enum State: String, CaseIterable, Hashable, Codable, Sendable {
    /// It is sent at ``WebhookDelivery/due``, or when the earlier messages of its customer are settled.
    case waiting
    /// A server sends it.
    case sending
    /// The receiver has answered 2xx.
    case delivered
    /// All attempts have failed.
    case dead
  }

  /// The order of the webhook's messages, from 1.
  public let number: Int64
  /// The id of the message, the same at each attempt.
  public let message: String
  public let type: WebhookMessageType
  public let app: BundleID?
  /// Nil if nobody had claimed the purchase, and in a test.
  public let customer: CustomerID?
  /// The place after the event; nil in a test.
  public let cursor: LedgerEventCursor?
  public let created: StoreDate
  public let state: State
  /// When it is sent, or when the lease of the server that sends it ends, by the server's clock. Nil in a final state, and if it waits for
  /// earlier messages.
  public let due: StoreDate?
  /// How often it was sent since it was created or sent again.
  public let attempts: Int64
  /// When it was delivered or became dead.
  public let settled: StoreDate?
  /// The HTTP status of the last attempt; nil if there was no answer.
  public let status: Int64?
  /// Why the last attempt has failed; nil if it has not.
  public let problem: String?
}

extension WebhookDelivery.State: SQLValueConvertible {}

extension WebhookDelivery {
  /// How long delivered messages are listed, in days.
  public static let deliveredDays: Int64 = 30
  /// How long dead messages are kept, in days.
  public static let deadDays: Int64 = 180

  static let columns = """
    number, message, type, app, lane, era, writer, event, created, state, due, attempts, settled, status, problem
    """

  init(_ row: SQLRow, _ end: EventEnd) throws {
    self.init(
      number: try row.integer("number"), message: try row.text("message"), type: try row.value("type"),
      app: try row.optionalText("app").map { BundleID(rawValue: $0) },
      customer: CustomerID(try row.text("lane")), cursor: try row.deliveryPlace.map { end.cursor(at: $0) },
      created: try row.date("created"), state: try row.value("state"), due: try row.optionalDate("due"),
      attempts: try row.integer("attempts"), settled: try row.optionalDate("settled"),
      status: try row.optionalInteger("status"), problem: try row.optionalText("problem"))
  }
}

extension SQLRow {
  /// The place of the event of a row of `webhook_delivery`; nil in a test.
  var deliveryPlace: LedgerEventPlace? {
    get throws(LedgerDatabaseError) {
      guard let number = try optionalInteger("event") else { return nil }
      return LedgerEventPlace(era: try integer("era"), writer: try integer("writer"), number: number)
    }
  }
}

extension EventEnd {
  func cursor(at place: LedgerEventPlace) -> LedgerEventCursor {
    LedgerEventCursor(generation: generation(of: place), place)
  }
}

/// A message that this server sends. Until ``until``, no other server does.
public struct WebhookDeliveryLease: Sendable {
  /// The id of the webhook.
  public let webhook: String
  /// The number of the message at the webhook.
  public let number: Int64
  /// Where it is posted.
  public let url: String
  /// The value of `webhook-id`.
  public let message: String
  public let type: WebhookMessageType
  /// What is posted: JSON.
  public let body: Data
  /// The secrets with which it is signed, the newest first.
  public let secrets: [WebhookSecret]
  /// The number of this attempt, from 1.
  public let attempts: Int64
  let lane: String
  /// The end of the lease, by the server's clock. It identifies the lease.
  let until: StoreDate

  /// How long a lease lasts, in seconds. An attempt must take less.
  public static let seconds: Int64 = 120
  /// The pauses after the first and the later failed attempts, in seconds. After another failure the message is dead.
  public static let pauseSeconds: [Int64] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  /// The longest pause that a receiver can ask for, in seconds.
  public static let mostPauseSeconds: Int64 = 86_400
  /// The part of a problem that is stored, in characters.
  static let longestProblem = 600

  /// The pause after this attempt, in seconds; nil if there is none, because it was the last one.
  var pauseSeconds: Int64? {
    let place = Int(attempts) - 1
    return Self.pauseSeconds.indices.contains(place) ? Self.pauseSeconds[place] : nil
  }
}

/// What was stored about a message after an attempt.
public struct WebhookSettlement: Hashable, Sendable {
  public let state: WebhookDelivery.State
  /// Whether the attempt has disabled the webhook. Of several that are answered with 410, only the first one has.
  public var hasDisabledWebhook = false
}

/// What has come of an attempt.
public enum WebhookDeliveryResult: Hashable, Sendable {
  /// - Parameter status: the HTTP status, 200 to 299.
  case delivered(status: Int64)
  /// The receiver has not taken the message.
  ///
  /// - Parameters:
  ///   - status: the HTTP status; nil if there was no answer.
  ///   - problem: for operators.
  ///   - retryAfterSeconds: the least pause; at most ``WebhookDeliveryLease/mostPauseSeconds`` count.
  case failed(status: Int64?, problem: String, retryAfterSeconds: Int64 = 0)
  /// The receiver wants no messages any more (410). The webhook is disabled, and the message waits.
  case gone(problem: String)
}
