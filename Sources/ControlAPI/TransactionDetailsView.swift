import APIDescription
import AppStoreEmulator
import StoreModel

/// A transaction, the records that belong to it, and its history.
package struct TransactionDetailsView: APIObject {
  package let transaction: TransactionView
  package let charge: ChargeView?
  package let redeliveries: [RedeliveryView]
  package let refunds: [RefundView]
  package let shares: [TransactionView]
  package let timeline: [TimelineEntryView]
  package let hasOlder: Bool

  package static let notes: [String: MemberNote] = [
    "redeliveries": "Oldest first.",
    "refunds": "Oldest first.",
    "shares": "The transactions that share this one in the family.",
    "timeline": "Oldest first.",
    "hasOlder":
      "Whether there are older redeliveries, refunds or shares. Only the newest 1,000 of each are here and in the timeline.",
  ]

  package init(_ details: TransactionDetails, timeline: [TimelineEntry]) {
    transaction = TransactionView(details.stored)
    charge = details.charge.map(ChargeView.init)
    redeliveries = details.redeliveries.map(RedeliveryView.init)
    refunds = details.refunds.map(RefundView.init)
    shares = details.shares.map(TransactionView.init)
    hasOlder = details.hasOlder
    self.timeline = timeline.map(TimelineEntryView.init)
  }
}

/// A transaction that was redelivered, without charge.
package struct RedeliveryView: APIObject {
  package let transactionId: TransactionID
  package let installationId: InstallationID
  package let paymentId: PaymentID?
  package let date: StoreDate
  package let finishedDate: StoreDate?

  package static let notes: [String: MemberNote] = [
    "transactionId": "The id under which StoreKit 1 delivers it."
  ]

  package init(_ redelivery: Redelivery) {
    transactionId = redelivery.transactionID
    installationId = redelivery.installationID
    paymentId = redelivery.paymentID
    date = redelivery.date
    finishedDate = redelivery.finishedDate
  }
}
