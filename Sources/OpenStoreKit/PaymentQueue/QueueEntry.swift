import Foundation
import StoreModel

/// One line of the payment journal: a payment of this app, or a transaction that reached it without one.
struct QueueEntry: Hashable, Sendable {
  /// The order in which entries came; also the entry's name within this installation. Negative for an entry
  /// that could not be written and lives in memory only.
  let sequence: Int64
  let payment: PaymentRequest
  var state: PaymentState

  /// The transaction this one goes back to, in no queue: nothing is left to be finished of it.
  var original: QueueEntry? {
    guard let purchase = state.purchase, let original = purchase.original else { return nil }
    return QueueEntry(
      sequence: 0, payment: payment,
      state: .purchased(
        PurchasedTransaction(
          transactionID: original.transactionID, productID: purchase.productID, quantity: purchase.quantity,
          purchaseDate: original.purchaseDate, signedTransaction: purchase.signedTransaction,
          transactionReceipt: original.transactionReceipt)))
  }
}
