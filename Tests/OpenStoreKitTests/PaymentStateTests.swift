import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("The payment state machine", .timeLimit(.minutes(30)))
struct PaymentStateTests {
  private static let payment = PaymentRequest(paymentID: "1", productID: "a")
  private static let quote = PaymentQuote(
    payment: payment, account: "customer", displayName: "A", unitPrice: Price(amount: Milliunits(990), currency: "USD"),
    total: Price(amount: Milliunits(990), currency: "USD"), storefrontCountryCode: "USA", localeIdentifier: "en_US",
    epoch: "1", authenticationCode: Data())
  private static let transaction = PurchasedTransaction(
    transactionID: TransactionID(7), productID: "a", quantity: 1,
    purchaseDate: StoreDate(millisecondsSince1970: 0), signedTransaction: "x.y.z")
  private static let failure = PaymentFailure(.unknown, "no")

  private static let states: [PaymentState] = [
    .added, .confirmed(quote), .deferred(quote), .purchased(transaction), .failed(failure),
    .finishing(transaction.transactionID),
  ]
  private static let events: [PaymentEvent] = [
    .confirmed(quote), .deferred, .purchased(transaction), .failed(failure), .finishRequested, .finishAcknowledged,
  ]

  /// The table of Documentation/payment-state-machine.md. A pair that it does not have changes nothing.
  private static let table: [(PaymentState, PaymentEvent, PaymentTransition)] = [
    (.added, .confirmed(quote), PaymentTransition(state: .confirmed(quote), effects: [])),
    (.confirmed(quote), .confirmed(quote), PaymentTransition(state: .confirmed(quote), effects: [])),
    (.added, .failed(failure), PaymentTransition(state: .failed(failure), effects: [.notifyUpdated])),
    (.confirmed(quote), .failed(failure), PaymentTransition(state: .failed(failure), effects: [.notifyUpdated])),
    (.added, .purchased(transaction), PaymentTransition(state: .purchased(transaction), effects: [.notifyUpdated])),
    (
      .confirmed(quote), .purchased(transaction),
      PaymentTransition(state: .purchased(transaction), effects: [.notifyUpdated])
    ),
    (.confirmed(quote), .deferred, PaymentTransition(state: .deferred(quote), effects: [.notifyUpdated])),
    (.deferred(quote), .confirmed(quote), PaymentTransition(state: .confirmed(quote), effects: [])),
    (.deferred(quote), .failed(failure), PaymentTransition(state: .failed(failure), effects: [.notifyUpdated])),
    (
      .deferred(quote), .purchased(transaction),
      PaymentTransition(state: .purchased(transaction), effects: [.notifyUpdated])
    ),
    (
      .purchased(transaction), .finishRequested,
      PaymentTransition(
        state: .finishing(transaction.transactionID), effects: [.notifyRemoved, .sendFinish(transaction.transactionID)])
    ),
    (.failed(failure), .finishRequested, PaymentTransition(state: nil, effects: [.notifyRemoved])),
    (.finishing(transaction.transactionID), .finishAcknowledged, PaymentTransition(state: nil, effects: [])),
  ]

  @Test("every state meets every event as the documentation's table says, and what it does not list changes nothing")
  func table() {
    for state in Self.states {
      for event in Self.events {
        let expected = Self.table.first { $0.0 == state && $0.1 == event }?.2
        #expect(state.applying(event) == expected, "\(state) + \(event)")
      }
    }
  }

  @Test("B9 a payment that was delivered can neither fail nor be delivered again")
  func deliveredIsDelivered() {
    for state in [PaymentState.purchased(Self.transaction), .finishing(Self.transaction.transactionID)] {
      #expect(state.applying(.failed(Self.failure)) == nil)
      #expect(state.applying(.purchased(Self.transaction)) == nil)
    }
  }
}
