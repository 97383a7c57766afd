import APIDescription
import AppStoreEmulator
import AppStoreServerAPI
import StoreModel

/// An event in the timeline of a purchase. The kind of event determines its members.
package struct TimelineEntryView: APIObject {
  package enum Event: String, APIValue, CaseIterable {
    case request, approvalAwaited, approved, purchased, shared, sharedWith, finished, redelivered, refundRequested,
      refundDecided, refunded, refundReversed, revoked
  }

  package static let notes: [String: MemberNote] = [
    "event":
      """
    request: a device's quote, confirm, unfinished or finish, while the journal has it. shared: the transaction is a share of \
    `transactionId`. sharedWith: `customer` received a share. refundDecided: the request `refundRequestId` was granted or declined; \
    a refund that was granted follows. revoked: revoked without a refund.
    """,
    "amount":
      "In thousandths of the currency's unit; negative for a refund that was reversed; missing if there was nothing to pay.",
    "percentage": "The refunded share of the price, in thousandths of a percent, if a request was granted.",
  ]

  package let date: StoreDate
  package let event: Event
  package private(set) var request: RequestView?
  package private(set) var transactionId: TransactionID?
  package private(set) var installationId: InstallationID?
  package private(set) var paymentId: PaymentID?
  package private(set) var customer: AccountName?
  package private(set) var amount: Milliunits?
  package private(set) var currency: String?
  package private(set) var revocationType: RevocationType?
  package private(set) var refundRequestId: Int64?
  package private(set) var reason: ConsumptionRequestReason?
  package private(set) var outcome: RequestedRefund.Outcome?
  package private(set) var percentage: Int?

  package init(_ entry: TimelineEntry) {
    date = entry.date
    switch entry.event {
    case .request(let request):
      event = .request
      self.request = RequestView(request)
    case .approvalAwaited(let payment, let installation):
      event = .approvalAwaited
      (paymentId, installationId) = (payment, installation)
    case .approved: event = .approved
    case .purchased(let charge):
      event = .purchased
      (customer, amount, currency) = (charge?.account, charge?.amount, charge?.currency)
    case .shared(let id):
      event = .shared
      transactionId = id
    case .sharedWith(let member, let id):
      event = .sharedWith
      (customer, transactionId) = (member, id)
    case .finished(let id, let installation):
      event = .finished
      (transactionId, installationId) = (id, installation)
    case .redelivered(let redelivery):
      event = .redelivered
      (transactionId, installationId) = (redelivery.transactionID, redelivery.installationID)
      paymentId = redelivery.paymentID
    case .refundRequested(let request):
      event = .refundRequested
      (refundRequestId, reason) = (request.number, request.reason)
    case .refundDecided(let request):
      event = .refundDecided
      (refundRequestId, outcome, percentage) = (request.number, request.outcome, request.percentage)
    case .refunded(let refund):
      event = .refunded
      (customer, amount, currency) = (refund.account, refund.amount, refund.currency)
    case .refundReversed(let refund):
      event = .refundReversed
      (customer, amount, currency) = (refund.account, refund.amount, refund.currency)
    case .revoked(let type):
      event = .revoked
      revocationType = type
    }
  }
}
