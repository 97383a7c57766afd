import APIDescription
import AppStoreEmulator
import AppStoreServerAPI
import StoreModel

/// A customer's request for a refund, and what became of it.
package struct RefundRequestView: APIObject {
  // `RefundRequest` is the body of an immediate refund.
  package static let schemaName = "RequestedRefund"

  package let id: Int64
  package let transactionId: TransactionID
  package let reason: ConsumptionRequestReason
  package let date: StoreDate
  package let outcome: RequestedRefund.Outcome?
  package let percentage: Int?
  package let decisionDate: StoreDate?
  package let consumptionInformation: ConsumptionInformationView?

  package static let notes: [String: MemberNote] = [
    "outcome": "Missing while the request waits for a decision.",
    "percentage": "The refunded share of the price, in thousandths of a percent; missing unless it was granted.",
    "consumptionInformation":
      "What the developer's server told last about the transaction; missing if it told nothing.",
  ]

  package init(_ request: RequestedRefund) {
    (id, transactionId, reason) = (request.number, request.transactionID, request.reason)
    (date, outcome, percentage) = (request.date, request.outcome, request.percentage)
    decisionDate = request.decisionDate
    consumptionInformation = request.consumption.map(ConsumptionInformationView.init)
  }
}

/// What the developer's server told about a transaction.
package struct ConsumptionInformationView: APIObject {
  package let version: Int
  package let date: StoreDate
  package let content: String

  package static let notes: [String: MemberNote] = [
    "version": .init("1 or 2: the version of Send Consumption Information.", minimum: 1, maximum: 2),
    "content": "The request's body, as JSON.",
  ]

  package init(_ information: ConsumptionInformation) {
    (version, date, content) = (information.version, information.date, information.content)
  }
}

/// The requests for a refund of a transaction, oldest first.
package struct RefundRequestList: APIObject {
  package let refundRequests: [RefundRequestView]

  package static let notes: [String: MemberNote] = ["refundRequests": "The newest 100, oldest first."]

  package init(_ requests: [RequestedRefund]) { refundRequests = requests.map(RefundRequestView.init) }
}

/// A customer asks for a refund.
package struct RefundAsked: APIObject {
  package let reason: ConsumptionRequestReason?

  package static let notes: [String: MemberNote] = [
    "reason": .init("The customer's reason.", defaultValue: .string("OTHER"))
  ]

  package init(reason: ConsumptionRequestReason? = nil) { self.reason = reason }
}

/// The decision on a request for a refund.
package struct RefundDecision: APIObject {
  package let outcome: RequestedRefund.Outcome
  package let percentage: Int?

  package static let notes: [String: MemberNote] = [
    "percentage": .init(
      "The refunded share of the price, in thousandths of a percent. With prorated, and only with that.", minimum: 1,
      maximum: 99_999)
  ]

  package init(outcome: RequestedRefund.Outcome, percentage: Int? = nil) {
    (self.outcome, self.percentage) = (outcome, percentage)
  }
}

package struct RefundRequestPath: APIObject {
  package let transactionId: TransactionID
  package let id: Int64

  package init(_ id: Int64, of transactionID: TransactionID) { (self.id, transactionId) = (id, transactionID) }
}

extension RequestedRefund.Outcome: APIValue {
  package static var componentName: String? { "RefundOutcome" }
}

extension ConsumptionRequestReason: APIValue {
  package static var componentName: String? { "ConsumptionRequestReason" }
}
