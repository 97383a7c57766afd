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
  /// The interface of the payment: 2 for StoreKit 2, otherwise nil.
  var interface: Int?
  /// The signed transaction of the entry; nil if it has none, or if it is not among the kept transactions.
  var signedTransactionID: TransactionID?

  /// The ``interface`` of StoreKit 2.
  static let storeKit2 = 2

  /// Whether the payment was added by `Product.purchase(options:)`.
  var isOfStoreKit2: Bool { interface == Self.storeKit2 }

  /// Whether the entry is in the queue that observers of StoreKit 1 see. They see a payment of StoreKit 2 only when it is
  /// purchased.
  var isVisible: Bool {
    guard isOfStoreKit2 else { return state.isVisible }
    if case .purchased = state { return true }
    return false
  }

  /// Whether the app has finished it, and the store has not acknowledged that.
  var isFinishing: Bool {
    if case .finishing = state { true } else { false }
  }

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

extension PaymentJournal {
  /// A verified transaction, with unsigned values of its delivery.
  struct Arrival: Sendable {
    /// The payment that the transaction belongs to. It is not signed.
    let payment: PaymentID?
    let transaction: PurchasedTransaction
    /// The id of the signed transaction; nil if it is not among the kept transactions.
    var signed: TransactionID?
    let appAccountToken: UUID?
    /// The app's username, as returned by the store. It is not signed.
    let applicationUsername: String?
    /// Whether the customer owned the product already.
    var isRedelivered = false
    /// Whether the product is an auto-renewable subscription.
    var isSubscription = false

    /// The payment to show to the app if the journal does not contain it.
    var paymentShown: PaymentRequest {
      PaymentRequest(
        paymentID: payment ?? "", productID: transaction.productID, quantity: transaction.quantity,
        applicationUsername: appAccountToken?.uuidString ?? applicationUsername)
    }

    /// Whether the transaction can be the one of `payment`.
    func answers(_ payment: PaymentRequest) -> Bool {
      // If a change of plan begins later, the store answers with the current period of the subscription. The app sees
      // the product of that period, because only this product is signed.
      let isCurrentPeriod = isRedelivered && isSubscription
      // The developer's server can have set another token, for the subscription or since the charge. The store then still
      // returns the username of the payment. A redelivered transaction has both of its first purchase.
      let token = payment.applicationUsername.flatMap(UUID.init(uuidString:))
      let isOfBuyer = appAccountToken == token || applicationUsername == payment.applicationUsername
      return (transaction.productID == payment.productID || isCurrentPeriod) && transaction.quantity == payment.quantity
        && (isRedelivered || isOfBuyer)
    }
  }
}
