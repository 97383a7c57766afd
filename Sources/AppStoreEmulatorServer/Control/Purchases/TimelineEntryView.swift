import AppStoreEmulator
import StoreModel

/// Something that happened to a purchase. Which members there are depends on what it was.
struct TimelineEntryView: Encodable, Sendable {
  enum Event: String, Encodable, Sendable, CaseIterable {
    case request, approvalAwaited, approved, purchased, shared, sharedWith, finished, redelivered, refunded,
      refundReversed,
      revoked
  }

  /// UNIX milliseconds.
  let date: StoreDate
  let event: Event
  private(set) var request: RequestView?
  private(set) var transactionId: TransactionID?
  private(set) var installationId: InstallationID?
  private(set) var paymentId: PaymentID?
  private(set) var customer: AccountName?
  /// In thousandths of the currency.
  private(set) var amount: Milliunits?
  private(set) var currency: String?
  private(set) var revocationType: RevocationType?

  init(_ entry: TimelineEntry) {
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
