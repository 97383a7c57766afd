import Foundation
import StoreModel

/// Where a payment stands, with all that is durable of it there. See Documentation/payment-state-machine.md.
enum PaymentState: Hashable, Codable, Sendable {
  case added
  case confirmed(PaymentQuote)
  /// The store has the confirmation, and waits for somebody's approval.
  case deferred(PaymentQuote)
  case purchased(PurchasedTransaction)
  /// Brought back; only this journal knows of it.
  case restored(PurchasedTransaction)
  case failed(PaymentFailure)
  case finishing(TransactionID)
}

/// Something that happened to a payment.
enum PaymentEvent: Hashable, Sendable {
  /// The customer confirmed exactly this quote.
  case confirmed(PaymentQuote)
  /// The store waits for somebody's approval.
  case deferred
  /// The store delivered the payment's transaction, verified.
  case purchased(PurchasedTransaction)
  /// The customer or the store said no for good, or the payment provably never left.
  case failed(PaymentFailure)
  case finishRequested
  /// The store knows that it is finished.
  case finishAcknowledged
}

/// What is to be done once the new state is committed.
enum PaymentEffect: Hashable, Sendable {
  case tellUpdated
  case tellRemoved
  case sendFinish(TransactionID)
}

/// What an event makes of a state.
struct PaymentTransition: Hashable, Sendable {
  /// Nil: the payment is gone.
  let state: PaymentState?
  let effects: [PaymentEffect]
}

extension PaymentState {
  /// The transition `event` causes here, or nil where it changes nothing.
  func applying(_ event: PaymentEvent) -> PaymentTransition? {
    switch (self, event) {
    case (.added, .confirmed(let quote)), (.confirmed, .confirmed(let quote)), (.deferred, .confirmed(let quote)):
      PaymentTransition(state: .confirmed(quote), effects: [])
    case (.confirmed(let quote), .deferred):
      PaymentTransition(state: .deferred(quote), effects: [.tellUpdated])
    case (.added, .failed(let failure)), (.confirmed, .failed(let failure)), (.deferred, .failed(let failure)):
      PaymentTransition(state: .failed(failure), effects: [.tellUpdated])
    case (.added, .purchased(let transaction)), (.confirmed, .purchased(let transaction)),
      (.deferred, .purchased(let transaction)):
      PaymentTransition(state: .purchased(transaction), effects: [.tellUpdated])
    case (.purchased(let earlier), .purchased(let transaction)):
      transaction.changesRevocation(of: earlier)
        ? PaymentTransition(state: .purchased(transaction), effects: [.tellUpdated]) : nil
    case (.purchased(let transaction), .finishRequested):
      PaymentTransition(
        state: .finishing(transaction.transactionID),
        effects: [.tellRemoved, .sendFinish(transaction.transactionID)])
    case (.failed, .finishRequested), (.restored, .finishRequested):
      PaymentTransition(state: nil, effects: [.tellRemoved])
    case (.finishing, .finishAcknowledged):
      PaymentTransition(state: nil, effects: [])
    case (.added, _), (.confirmed, _), (.deferred, _), (.purchased, _), (.restored, _), (.failed, _), (.finishing, _):
      nil
    }
  }

  /// What was bought or brought back.
  var purchase: PurchasedTransaction? {
    switch self {
    case .purchased(let purchase), .restored(let purchase): purchase
    case .added, .confirmed, .deferred, .failed, .finishing: nil
    }
  }

  /// Whether the app sees the payment in its queue.
  var isVisible: Bool {
    if case .finishing = self { false } else { true }
  }
}

/// A purchase as the app is told of it, taken from the signed transaction once that was verified.
struct PurchasedTransaction: Hashable, Codable, Sendable {
  /// What StoreKit 1 calls it: the signed transaction's id, or one of its own where it is delivered once more.
  let transactionID: TransactionID
  let productID: ProductID
  let quantity: Int
  /// When it was bought, or delivered once more.
  let purchaseDate: StoreDate
  /// The proof, as a compact JWS.
  let signedTransaction: String
  /// The same in the form of iOS 6, for apps that ask for it; not checked here.
  var transactionReceipt: Data?
  /// The first transaction of the purchase, where that is another.
  var original: OriginalTransaction?
  /// Present where a part of the price was refunded before the product was given.
  var revocation: PurchaseRevocation?
  /// When the store signed it; nil in a journal of the version before.
  var signedDate: StoreDate?

  /// Whether this is the same purchase, signed later, with another revocation.
  func changesRevocation(of earlier: PurchasedTransaction) -> Bool {
    guard let signedDate, transactionID == earlier.transactionID, revocation != earlier.revocation else { return false }
    return earlier.signedDate.map { $0 < signedDate } ?? true
  }
}

/// A refund of a part of a consumable's price.
struct PurchaseRevocation: Hashable, Codable, Sendable {
  let date: StoreDate
  /// The refunded share of the price, in thousandths of a percent: 1 to 99,999.
  let percentage: Int
}

/// The transaction a purchase goes back to, taken from the signed one.
struct OriginalTransaction: Hashable, Codable, Sendable {
  let transactionID: TransactionID
  let purchaseDate: StoreDate
  /// In the form of iOS 6; not checked here.
  var transactionReceipt: Data?
}
