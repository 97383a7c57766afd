import Foundation
import StoreModel

/// An entry of the payment journal: a payment of this app, or a transaction without a payment of this app.
struct QueueEntry: Hashable, Sendable {
  /// The entry's position in the queue, which also identifies it within this installation. Negative if the entry could
  /// not be stored and exists in memory only.
  let sequence: Int64
  let payment: PaymentRequest
  var state: PaymentState
  /// The date at which the app added the payment; nil if it is not known.
  var addedDate: StoreDate?

  /// The first transaction of the purchase as an entry; nil if this entry has none. It is in no queue, because it is
  /// finished already.
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
