import AppStoreEmulator
import StoreModel

/// A transaction, what the books hold about it besides, and what happened to it.
struct TransactionDetailsView: Encodable, Sendable {
  let transaction: TransactionView
  let charge: ChargeView?
  let redeliveries: [RedeliveryView]
  let refunds: [RefundView]
  let shares: [TransactionView]
  let timeline: [TimelineEntryView]

  init(_ details: TransactionDetails, timeline: [TimelineEntry]) {
    transaction = TransactionView(details.stored)
    charge = details.charge.map(ChargeView.init)
    redeliveries = details.redeliveries.map(RedeliveryView.init)
    refunds = details.refunds.map(RefundView.init)
    shares = details.shares.map(TransactionView.init)
    self.timeline = timeline.map(TimelineEntryView.init)
  }
}

/// A transaction that was delivered once more, without charge.
struct RedeliveryView: Encodable, Sendable {
  /// Its own, under which StoreKit 1 delivers it.
  let transactionId: TransactionID
  let installationId: InstallationID
  let paymentId: PaymentID?
  /// UNIX milliseconds.
  let date: StoreDate
  let finishedDate: StoreDate?

  init(_ redelivery: Redelivery) {
    transactionId = redelivery.transactionID
    installationId = redelivery.installationID
    paymentId = redelivery.paymentID
    date = redelivery.date
    finishedDate = redelivery.finishedDate
  }
}
