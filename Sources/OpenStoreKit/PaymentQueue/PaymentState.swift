import Foundation
import StoreModel

/// The state of a payment, with all durable data of that state. See Documentation/payment-state-machine.md.
enum PaymentState: Hashable, Codable, Sendable {
  case added
  case confirmed(PaymentQuote)
  /// The store has the confirmation, and waits for approval (Ask to Buy).
  case deferred(PaymentQuote)
  case purchased(PurchasedTransaction)
  /// A restored transaction. Only this journal contains it; the store does not.
  case restored(PurchasedTransaction)
  case failed(PaymentFailure)
  case finishing(TransactionID)
}

/// An event that may change the state of a payment.
enum PaymentEvent: Hashable, Sendable {
  /// The customer confirmed this quote.
  case confirmed(PaymentQuote)
  /// The store waits for approval (Ask to Buy).
  case deferred
  /// The store delivered the payment's transaction, and it was verified.
  case purchased(PurchasedTransaction)
  /// The customer or the store refused the payment permanently, or the payment was certainly never sent.
  case failed(PaymentFailure)
  case finishRequested
  /// The store has recorded the finish.
  case finishAcknowledged
}

/// An action to perform after the new state was committed.
enum PaymentEffect: Hashable, Sendable {
  case notifyUpdated
  case notifyRemoved
  case sendFinish(TransactionID)
}

/// The new state and the effects of an event.
struct PaymentTransition: Hashable, Sendable {
  /// Nil if the payment is removed.
  let state: PaymentState?
  let effects: [PaymentEffect]
}

extension PaymentState {
  /// The transition for `event` in this state; nil if the event changes nothing.
  func applying(_ event: PaymentEvent) -> PaymentTransition? {
    switch (self, event) {
    case (.added, .confirmed(let quote)), (.confirmed, .confirmed(let quote)), (.deferred, .confirmed(let quote)):
      PaymentTransition(state: .confirmed(quote), effects: [])
    case (.confirmed(let quote), .deferred):
      PaymentTransition(state: .deferred(quote), effects: [.notifyUpdated])
    case (.added, .failed(let failure)), (.confirmed, .failed(let failure)), (.deferred, .failed(let failure)):
      PaymentTransition(state: .failed(failure), effects: [.notifyUpdated])
    case (.added, .purchased(let transaction)), (.confirmed, .purchased(let transaction)),
      (.deferred, .purchased(let transaction)):
      PaymentTransition(state: .purchased(transaction), effects: [.notifyUpdated])
    case (.purchased(let earlier), .purchased(let transaction)):
      transaction.changesRevocation(of: earlier)
        ? PaymentTransition(state: .purchased(transaction), effects: [.notifyUpdated]) : nil
    case (.purchased(let transaction), .finishRequested):
      PaymentTransition(
        state: .finishing(transaction.transactionID),
        effects: [.notifyRemoved, .sendFinish(transaction.transactionID)])
    case (.failed, .finishRequested), (.restored, .finishRequested):
      PaymentTransition(state: nil, effects: [.notifyRemoved])
    case (.finishing, .finishAcknowledged):
      PaymentTransition(state: nil, effects: [])
    case (.added, _), (.confirmed, _), (.deferred, _), (.purchased, _), (.restored, _), (.failed, _), (.finishing, _):
      nil
    }
  }

  /// The purchased or restored transaction.
  var purchase: PurchasedTransaction? {
    switch self {
    case .purchased(let purchase), .restored(let purchase): purchase
    case .added, .confirmed, .deferred, .failed, .finishing: nil
    }
  }

  /// The same state with `jws` as the signed transaction of its purchase.
  func signed(by jws: String) -> PaymentState {
    switch self {
    case .purchased(var purchase):
      purchase.signedTransaction = jws
      return .purchased(purchase)
    case .restored(var purchase):
      purchase.signedTransaction = jws
      return .restored(purchase)
    case .added, .confirmed, .deferred, .failed, .finishing: return self
    }
  }

  /// Whether the payment is in the queue that the app sees.
  var isVisible: Bool {
    if case .finishing = self { false } else { true }
  }
}

/// A purchase as the app sees it, with the values of the verified transaction.
struct PurchasedTransaction: Hashable, Codable, Sendable {
  /// The transaction id that StoreKit 1 shows: that of the signed transaction, or of the redelivery.
  let transactionID: TransactionID
  let productID: ProductID
  let quantity: Int
  /// The date of the purchase or of the redelivery.
  let purchaseDate: StoreDate
  /// The signed transaction, as a compact JWS.
  var signedTransaction: String
  /// The transaction as a receipt of iOS 6, for apps that read it. It is not verified here.
  var transactionReceipt: Data?
  /// The first transaction of the purchase; nil if this transaction is the first.
  var original: OriginalTransaction?
  /// Present if a part of a consumable's price was refunded before the transaction was finished.
  var revocation: PurchaseRevocation?
  /// The date of the signature; nil if an earlier version of the journal stored the transaction.
  var signedDate: StoreDate?

  /// Whether this is the same purchase as `earlier`, signed later and with a different revocation.
  func changesRevocation(of earlier: PurchasedTransaction) -> Bool {
    guard let signedDate, transactionID == earlier.transactionID, revocation != earlier.revocation else { return false }
    return earlier.signedDate.map { $0 < signedDate } ?? true
  }
}

/// A partial refund of a consumable.
struct PurchaseRevocation: Hashable, Codable, Sendable {
  let date: StoreDate
  /// The refunded share of the price, in thousandths of a percent: 1 to 99,999.
  let percentage: Int
}

/// The first transaction of a purchase. Its id and date come from the delivered signed transaction, which names them.
struct OriginalTransaction: Hashable, Codable, Sendable {
  let transactionID: TransactionID
  let purchaseDate: StoreDate
  /// The transaction as a receipt of iOS 6. It is not verified here.
  var transactionReceipt: Data?
}
