import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let webhooks = OperatorEndpoint<NoMembers, PageQuery, NoMembers, WebhookList>(
    .get, "/v1/operator/webhooks", role: .admin, name: "webhooks",
    summary: "Lists all webhooks in the order of their creation, without their secrets.",
    answers: "A page of the webhooks")
  static let createWebhook = OperatorEndpoint<NoMembers, NoMembers, WebhookRequest, WebhookWithSecretView>(
    .post, "/v1/operator/webhooks", role: .admin, name: "createWebhook",
    summary:
      """
      Creates a webhook: the server posts a message to its URL for each change after this moment. Documentation/webhooks.md describes \
      the messages.
      """, status: 201, answers: "The webhook, with its secret, which is sent only once",
    otherResponses: [
      OtherResponse(404, "unknownApp"), OtherResponse(409, "tooManyWebhooks"),
      OtherResponse(422, "invalid: a value, such as a URL that is not https"),
    ])
  static let webhook = OperatorEndpoint<WebhookPath, NoMembers, NoMembers, WebhookView>(
    .get, "/v1/operator/webhooks/{id}", role: .admin, name: "webhook",
    summary: "Returns a webhook, without its secret.",
    answers: "The webhook", otherResponses: [unknownWebhook])
  static let changeWebhook = OperatorEndpoint<WebhookPath, NoMembers, WebhookChange, WebhookView>(
    .patch, "/v1/operator/webhooks/{id}", role: .admin, name: "changeWebhook",
    summary: "Changes a webhook, or disables or enables it. What is left out stays as it is.", answers: "The webhook",
    otherResponses: [
      OtherResponse(404, "unknownWebhook, unknownApp"),
      OtherResponse(422, "invalid: a value, such as a URL that is not https"),
    ])
  static let removeWebhook = OperatorEndpoint<WebhookPath, ReasonQuery, NoMembers, NoContent>(
    .delete, "/v1/operator/webhooks/{id}", role: .admin, name: "removeWebhook",
    summary: "Removes a webhook with all its messages.", status: 204, answers: "Done", otherResponses: [unknownWebhook])
  static let rotateWebhookSecret = OperatorEndpoint<WebhookPath, NoMembers, OptionalReason, WebhookWithSecretView>(
    .post, "/v1/operator/webhooks/{id}/rotate", role: .admin, name: "rotateWebhookSecret",
    summary: "Replaces the secret of a webhook. For 24 hours, messages are signed with the secret before it as well.",
    answers: "The webhook, with its new secret, which is sent only once", otherResponses: [unknownWebhook])
  static let testWebhook = OperatorEndpoint<WebhookPath, NoMembers, OptionalReason, WebhookDeliveryView>(
    .post, "/v1/operator/webhooks/{id}/test", role: .admin, name: "testWebhook",
    summary: "Sends a message of the type TEST, whatever types the webhook has chosen.",
    answers: "The message, which is sent now, or when the webhook is enabled", otherResponses: [unknownWebhook])
  static let webhookDeliveries = OperatorEndpoint<WebhookPath, WebhookDeliveryQuery, NoMembers, WebhookDeliveryList>(
    .get, "/v1/operator/webhooks/{id}/deliveries", role: .admin, name: "webhookDeliveries",
    summary:
      "Lists the messages of a webhook, the newest first. Delivered ones are kept for 30 days, dead ones for 180 days.",
    answers: "A page of the messages", otherResponses: [unknownWebhook])
  static let resendWebhookDelivery = OperatorEndpoint<
    WebhookDeliveryPath, NoMembers, OptionalReason, WebhookDeliveryView
  >(
    .post, "/v1/operator/webhooks/{id}/deliveries/{number}/resend", role: .admin, name: "resendWebhookDelivery",
    summary: "Sends a dead or delivered message again, with the same id and ten new attempts.",
    answers: "The message, which is sent now, or when the webhook is enabled",
    otherResponses: [
      OtherResponse(404, "unknownWebhook, unknownWebhookDelivery"),
      OtherResponse(409, "webhookDeliveryNotSettled: it is still to be sent"),
    ])
  static let webhookEvents = OperatorEndpoint<NoMembers, ChangeQuery, NoMembers, JSONLines>(
    .get, "/v1/operator/events", role: .admin, name: "webhookEvents",
    summary:
      """
      Returns the messages that webhooks send about everything after a cursor, as one JSON object in each line, whether there is a \
      webhook or not. The header field Next-Cursor is `after` for the next page; there is nothing more now if it is the cursor that \
      was sent.
      """, answers: "A page of messages",
    otherResponses: [
      OtherResponse(409, "unknownCursor: the cursor is of another ledger, or of a time that was lost in a restore")
    ])

  private static let unknownWebhook = OtherResponse(404, "unknownWebhook")

  static let webhookCalls: [any DescribedEndpoint] = [
    webhooks, createWebhook, webhook, changeWebhook, removeWebhook, rotateWebhookSecret, testWebhook, webhookDeliveries,
    resendWebhookDelivery, webhookEvents,
  ]
}

struct WebhookPath: APIObject {
  let id: String
}

struct WebhookDeliveryPath: APIObject {
  let id: String
  let number: Int64
}

struct WebhookDeliveryQuery: ListQuery {
  let state: WebhookDelivery.State?
  let after: PageCursor?
  let limit: Int64?

  static let notes: [String: MemberNote] = ["after": "`next` of the page before.", "limit": .pageLimit]
}

struct WebhookDeliveryList: APIObject {
  let deliveries: [WebhookDeliveryView]
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["next": .nextPageAfter]
}

/// A webhook, without its secret.
struct WebhookView: APIObject {
  let id: String
  let name: String
  let url: String
  let apps: [BundleID]?
  let types: [WebhookMessageType]?
  let environments: [StoreEnvironment]
  let created: StoreDate
  let changed: StoreDate
  let disabled: StoreDate?
  let problem: String?
  let previousSecretUntil: StoreDate?

  init(_ webhook: Webhook) {
    id = webhook.id
    name = webhook.settings.name
    url = webhook.settings.url
    apps = webhook.settings.apps
    types = webhook.settings.types
    environments = webhook.settings.environments
    created = webhook.created
    changed = webhook.changed
    disabled = webhook.disabled
    problem = webhook.problem
    previousSecretUntil = webhook.previousSecretUntil
  }

  static let notes: [String: MemberNote] = [
    "apps": "Only messages about these apps; missing for all.",
    "types": "Only messages of these types; missing for all.",
    "disabled": "Since when nothing is sent; missing if it is enabled.",
    "problem": "Why the server has disabled it; missing if an operator has.",
    "previousSecretUntil": "Until when messages are signed with the secret before the last rotation as well.",
  ]
}

struct WebhookList: APIObject {
  let webhooks: [WebhookView]
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["next": .nextPageAfter]
}

struct WebhookWithSecretView: APIObject {
  let webhook: WebhookView
  let secret: String

  static let schemaName = "WebhookWithSecret"
  static let notes: [String: MemberNote] = ["secret": "whsec_ and base64: the secret of Standard Webhooks."]
}

struct WebhookRequest: APIObject {
  let name: String
  let url: String
  let apps: [BundleID]?
  let types: [WebhookMessageType]?
  let environments: [StoreEnvironment]?
  let after: PageCursor?
  let reason: String?

  static let notes: [String: MemberNote] = [
    "name": .webhookName, "url": .webhookURL, "apps": .webhookApps, "types": .webhookTypes,
    "environments": .init("\(WebhookChange.aboutEnvironments) Production without it.", minItems: 1),
    "after":
      "The cursor after which its messages begin, as of GET /v1/operator/events; missing for what happens from now on.",
    "reason": .reason,
  ]

  var settings: WebhookSettings {
    WebhookSettings(
      name: name, url: url, apps: apps?.chosen, types: types?.chosen, environments: environments ?? [.production])
  }
}

struct WebhookChange: APIObject {
  let name: String?
  let url: String?
  let apps: [BundleID]?
  let types: [WebhookMessageType]?
  let environments: [StoreEnvironment]?
  let isDisabled: Bool?
  let reason: String?

  static let notes: [String: MemberNote] = [
    "name": .webhookName, "url": .webhookURL, "apps": .webhookApps, "types": .webhookTypes,
    "environments": .init(aboutEnvironments, minItems: 1),
    "isDisabled": "If true, nothing is sent. When it is enabled again, it goes on where it was.", "reason": .reason,
  ]

  static let aboutEnvironments =
    "The environments of the purchases. Messages without one, about credits and operators' grants, are always sent."

  /// Returns the settings with the members that are given.
  func applied(to old: WebhookSettings) -> WebhookSettings {
    WebhookSettings(
      name: name ?? old.name, url: url ?? old.url, apps: apps.map(\.chosen) ?? old.apps,
      types: types.map(\.chosen) ?? old.types, environments: environments ?? old.environments)
  }
}

extension Array {
  /// The choice of an operator; nil for an empty list, which stands for all.
  fileprivate var chosen: [Element]? { isEmpty ? nil : self }
}

extension MemberNote {
  fileprivate static let webhookName = MemberNote("For operators; at most 100 bytes.", minLength: 1, maxLength: 100)
  fileprivate static let webhookURL = MemberNote(
    "Where messages are posted: an https URL of at most 2,000 ASCII characters.", minLength: 1, maxLength: 2_000)
  fileprivate static let webhookApps = MemberNote("Only messages about these apps. An empty list stands for all apps.")
  fileprivate static let webhookTypes = MemberNote(
    "Only messages of these types. An empty list stands for all types, also those of later versions.")
}

/// A message of a webhook.
struct WebhookDeliveryView: APIObject {
  let number: Int64
  let message: String
  let type: WebhookMessageType
  let app: BundleID?
  let customer: CustomerID?
  let cursor: PageCursor?
  let created: StoreDate
  let state: WebhookDelivery.State
  let due: StoreDate?
  let attempts: Int64
  let settled: StoreDate?
  let status: Int64?
  let problem: String?

  init(_ delivery: WebhookDelivery) {
    number = delivery.number
    message = delivery.message
    type = delivery.type
    app = delivery.app
    customer = delivery.customer
    cursor = delivery.cursor.map { PageCursor(key: $0.key) }
    created = delivery.created
    state = delivery.state
    due = delivery.due
    attempts = delivery.attempts
    settled = delivery.settled
    status = delivery.status
    problem = delivery.problem
  }

  static let schemaName = "WebhookDelivery"
  static let notes: [String: MemberNote] = [
    "number": "The order of the webhook's messages, from 1.",
    "message": "The id of the message, the same at each attempt: the header field webhook-id.",
    "customer": "Missing if nobody had claimed the purchase, and in a test.",
    "cursor": "The place after the event, as in the message. Missing in a test.",
    "state":
      """
    waiting: it is sent at `due`; sending: a server sends it; delivered: the receiver has answered 2xx; dead: ten attempts in three \
    days have failed. It can be sent again.
    """,
    "due":
      "When it is sent, or when another server sends it if this one has ended. Missing in a final state, and while it waits for earlier ones.",
    "attempts": "Since it was created or sent again.", "settled": "When it was delivered or became dead.",
    "status": "The HTTP status of the last attempt; missing if there was no answer.",
    "problem": "Why the last attempt has failed: the status of the answer, or what went wrong.",
  ]
}

extension WebhookDelivery.State: APIValue {
  package static var componentName: String? { "WebhookDeliveryState" }
}

extension WebhookMessageType: APIValue {
  package static var componentName: String? { "WebhookMessageType" }
}
