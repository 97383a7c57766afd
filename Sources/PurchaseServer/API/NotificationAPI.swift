import APIDescription
import Foundation
import PurchaseLedger
import SignedData
import StoreModel

extension ServiceEndpoints {
  static let receiveNotification = Endpoint<AppPath, NoMembers, NotificationRequest, NotificationResultView>(
    .post, "/v1/apps/{bundleId}/notifications", name: "receiveNotification",
    summary:
      """
      Receives an App Store Server Notification, version 2. Its signature authenticates it. What it states about a purchase is recorded; \
      nothing is given to a customer who did not have it. A repeated notification changes nothing. Members that are not known are ignored.
      """,
    answers: "It is stored durably, or was stored before",
    otherResponses: [
      OtherResponse(413, "tooLarge: the body has more than 64 KiB"),
      OtherResponse(422, "forgedNotification, unreadableNotification, wrongApp or wrongEnvironment; nothing is stored"),
      OtherResponse(503, "It is not stored. Send it again."),
    ], callers: .everyone)
  static let notificationsOfApp = OperatorEndpoint<AppPath, NotificationQuery, NoMembers, NotificationList>(
    .get, "/v1/operator/apps/{bundleId}/notifications", role: .read, name: "notifications",
    summary: "Lists the notifications that were received in the last 180 days, the newest first.",
    answers: "A page of the notifications")
  static let notification = OperatorEndpoint<NotificationPath, NoMembers, NoMembers, ReceivedNotification>(
    .get, "/v1/operator/apps/{bundleId}/notifications/{uuid}", role: .read, name: "notification",
    summary: "Returns a notification, by its notificationUUID.", answers: "The notification",
    otherResponses: [OtherResponse(404, "unknownNotification")])
  static let notificationContents = OperatorEndpoint<NotificationPath, NoMembers, NoMembers, NotificationContentsView>(
    .get, "/v1/operator/apps/{bundleId}/notifications/{uuid}/contents", role: .read, name: "notificationContents",
    summary: "Returns the decoded contents of a notification that was set aside, without signed data.",
    answers: "The contents",
    otherResponses: [
      OtherResponse(404, "unknownNotification; notSetAside: it is recorded, and its contents are not kept")
    ])
  static let replayNotification = OperatorEndpoint<NotificationPath, NoMembers, OptionalReason, NotificationResultView>(
    .post, "/v1/operator/apps/{bundleId}/notifications/{uuid}/replay", role: .support, name: "replayNotification",
    summary: "Records a notification that was set aside. If it is recorded already, nothing changes.",
    answers: "The result. If the ledger refuses it again, it stays set aside",
    otherResponses: [OtherResponse(404, "unknownNotification")])

  static let notifications: [any DescribedEndpoint] = [
    receiveNotification, notificationsOfApp, notification, notificationContents, replayNotification,
  ]
}

struct NotificationRequest: APIObject {
  let signedPayload: String

  static let notes: [String: MemberNote] = ["signedPayload": .init("A JWS of the App Store.", minLength: 1)]
}

struct NotificationResultView: APIObject {
  enum Name: String, CaseIterable, APIValue {
    case recorded, setAside, known
  }

  let result: Name
  let problem: String?

  static let schemaName = "NotificationResult"
  static let notes: [String: MemberNote] = [
    "result":
      "recorded; setAside: it is genuine, but the ledger refuses it, and an operator can replay it; known: it was received before.",
    "problem": "Why it is set aside.",
  ]

  init(_ outcome: NotificationOutcome) {
    switch outcome {
    case .recorded: (result, problem) = (.recorded, nil)
    case .setAside(let problem): (result, self.problem) = (.setAside, problem)
    case .known: (result, problem) = (.known, nil)
    }
  }
}

struct NotificationPath: APIObject {
  let bundleId: BundleID
  let uuid: String

  static let notes: [String: MemberNote] = ["uuid": "The notificationUUID."]
}

struct NotificationQuery: ListQuery {
  let state: ReceivedNotification.State?
  let type: String?
  let from: StoreDate?
  let until: StoreDate?
  let after: PageCursor?
  let limit: Int64?

  static let notes: [String: MemberNote] = [
    "type": "A notificationType, such as REFUND.",
    "from": "Only notifications that were received at this date or later.",
    "until": "Only notifications that were received before this date.",
    "after": "`next` of the page before.",
    "limit": .pageLimit,
  ]
}

struct NotificationList: APIObject {
  let notifications: [ReceivedNotification]
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["next": .nextPageAfter]
}

/// What a notification says, decoded from its JWS. Its signatures were verified when it was received.
///
/// It has no signed data: a `signedTransactionInfo` is a proof, with which its holder can redeem a purchase that is not claimed.
struct NotificationContentsView: APIObject {
  let payload: DecodedJSON
  let transactionInfo: DecodedJSON?
  let renewalInfo: DecodedJSON?

  static let schemaName = "NotificationContents"
  static let notes: [String: MemberNote] = [
    "payload": "The decoded payload, without the signed data in it.",
    "transactionInfo": "The decoded signedTransactionInfo.", "renewalInfo": "The decoded signedRenewalInfo.",
  ]

  /// - Throws: `VerificationFailure`, or an error of `BoundedJSON`, if a part is no JWS with JSON. JSON that is no object counts as
  ///   an empty one.
  init(signedPayload: String) throws {
    var object = try Self.object(in: signedPayload)
    var data = object["data"] as? [String: Any]
    var parts: [DecodedJSON?] = []
    for name in ["signedTransactionInfo", "signedRenewalInfo"] {
      parts.append(try (data?.removeValue(forKey: name) as? String).map { try Self.json(Self.object(in: $0)) })
    }
    if let data { object["data"] = data }
    payload = try Self.json(object.compactMapValues(Self.withoutSignedData))
    (transactionInfo, renewalInfo) = (parts[0], parts[1])
  }

  /// Removes all signed data, also that of members that this version does not know.
  private static func withoutSignedData(_ value: Any) -> Any? {
    switch value {
    case let text as String: (try? UnverifiedJWS(text)) == nil ? text : nil
    case let object as [String: Any]: object.compactMapValues(withoutSignedData)
    case let list as [Any]: list.compactMap(withoutSignedData)
    default: value
    }
  }

  private static func object(in jws: String) throws -> [String: Any] {
    let payload = Data(try UnverifiedJWS(jws).contents.payload)
    return try BoundedJSON.object(from: payload) as? [String: Any] ?? [:]
  }

  private static func json(_ object: [String: Any]) throws -> DecodedJSON {
    DecodedJSON(text: String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
  }
}

extension ReceivedNotification.State: APIValue {
  package static var componentName: String? { "NotificationState" }
}

extension NotificationSource: APIValue {}

extension ReceivedNotification: APIObject {
  package static let notes: [String: MemberNote] = [
    "uuid": "The notificationUUID.", "type": "The notificationType.",
    "environment": "Missing if the notification does not name one.",
    "originalTransactionId": "Of its purchase; missing if it is about none.",
    "signed": "By the store's clock.",
    "source": "sent: the App Store has posted it; history: this server has read it from the notification history.",
    "problem": "Why it is set aside.",
  ]
}
