import APIDescription
import AppStoreServerAPI
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let consumptionRequests = OperatorEndpoint<AppPath, ConsumptionQuery, NoMembers, ConsumptionRequestList>(
    .get, "/v1/operator/apps/{bundleId}/consumption-requests", role: .read, name: "consumptionRequests",
    summary:
      "Lists the App Store's requests for information about consumption of the last 180 days, the newest first.",
    answers: "A page of the requests")
  static let consumptionRequest = OperatorEndpoint<
    NotificationPath, NoMembers, NoMembers, ConsumptionRequestWithValuesView
  >(
    .get, "/v1/operator/apps/{bundleId}/consumption-requests/{uuid}", role: .read, name: "consumptionRequest",
    summary: "Returns a request, and the values that would be sent for it now.", answers: "The request",
    otherResponses: [OtherResponse(404, "unknownConsumptionRequest")])
  static let answerConsumptionRequest = OperatorEndpoint<
    NotificationPath, NoMembers, ConsumptionAnswerRequest, RecordedConsumptionRequest
  >(
    .post, "/v1/operator/apps/{bundleId}/consumption-requests/{uuid}/answer", role: .support,
    name: "answerConsumptionRequest",
    summary:
      """
      Answers a request that waits. The server sends the answer to the App Store, if the customer consents. Without refundPreference, no \
      preference is sent. Other values that are left out are computed from what the ledger knows.
      """, answers: "The request, which is open now",
    otherResponses: [
      OtherResponse(404, "unknownConsumptionRequest"),
      OtherResponse(409, "consumptionRequestNotWaiting: it was answered, or its deadline has passed"),
      OtherResponse(422, "invalid: the App Store does not accept these values"),
    ])

  static let consumption: [any DescribedEndpoint] = [
    consumptionRequests, consumptionRequest, answerConsumptionRequest,
  ]
}

struct ConsumptionQuery: ListQuery {
  let state: ConsumptionState?
  let after: PageCursor?
  let limit: Int64?

  static let notes: [String: MemberNote] = ["after": "`next` of the page before.", "limit": .pageLimit]
}

struct ConsumptionRequestList: APIObject {
  let requests: [RecordedConsumptionRequest]
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["next": .nextPageAfter]
}

struct ConsumptionRequestWithValuesView: APIObject {
  let request: RecordedConsumptionRequest
  let computed: ConsumptionValues?

  static let notes: [String: MemberNote] = [
    "computed":
      "What would be sent now. Missing if nothing would be: the request is settled, the purchase is not claimed, or there is no consent."
  ]
}

struct ConsumptionAnswerRequest: ReasonedRequest {
  let refundPreference: ConsumptionValues.Preference?
  let deliveryStatus: ConsumptionValues.Delivery?
  let consumptionPercentage: Int64?
  let sampleContentProvided: Bool?
  let reason: String

  static let notes: [String: MemberNote] = [
    "refundPreference": "Without it, no preference is sent.",
    "consumptionPercentage": .init(
      "The consumed part, in thousandths of a percent. Not of auto-renewable subscriptions.", minimum: 0,
      maximum: 100_000),
    "reason": .reason,
  ]

  var values: ConsumptionValues {
    ConsumptionValues(
      refundPreference: refundPreference, deliveryStatus: deliveryStatus,
      consumptionPercentage: consumptionPercentage, sampleContentProvided: sampleContentProvided)
  }
}

extension ConsumptionState: APIValue {
  package static var componentName: String? { "ConsumptionState" }
}

extension ConsumptionValues.Preference: APIValue {
  package static var componentName: String? { "RefundPreference" }
}

extension ConsumptionRequest.DeliveryStatus: APIValue {
  package static var componentName: String? { "DeliveryStatus" }
}

extension ConsumptionValues: APIObject {
  package static let notes: [String: MemberNote] = [
    "refundPreference": "prorated: of the part that was not consumed. The App Store decides.",
    "consumptionPercentage": "The consumed part, in thousandths of a percent.",
    "sampleContentProvided": "Whether customers could try the content before the purchase.",
  ]
}

extension RecordedConsumptionRequest: APIObject {
  package static let schemaName = "ConsumptionRequest"
  package static let notes: [String: MemberNote] = [
    "uuid": "The notificationUUID.", "originalTransactionId": "The customer of the purchase is found by it.",
    "customer": "The owner of the purchase; missing if no customer has claimed it.",
    "hasConsent": "Whether this customer consents now.",
    "reason": "Why the customer asks for a refund, such as UNINTENDED_PURCHASE.",
    "requested": "By the store's clock.",
    "deadline": "Twelve hours after the request, by the store's clock.",
    "state":
      """
    waiting: an operator has to answer; open: the server sends the answer; noConsent, unclaimed: nothing is sent, unless that changes \
    before the deadline; answered: the App Store has accepted it; refused: the App Store has refused it; expired: the deadline has \
    passed; closed: the App Store has decided or has asked again, or the app's policy is off now.
    """,
    "attempts": "How often a server has looked at the request, to answer it.",
    "problem": "Why the last attempt has failed.",
    "settled": "When nothing more was going to happen.",
    "values": "In the state answered, what was sent; otherwise what an operator has chosen.",
    "consented": "The date of the consent with which it was sent.",
  ]
}
