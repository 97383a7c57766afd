import AppStoreEmulator
import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Promotional offers", .timeLimit(.minutes(30)))
struct DiscountTests {
  /// The discount that the developer's server signs for a payment of the monthly plan.
  private func discount(_ identifier: String = "half", username: String = "") throws -> SKPaymentDiscount {
    let (nonce, timestamp) = (UUID(), Int64(1_790_000_000_000))
    let content = PromotionalOfferContent(
      bundleID: TestStore.bundleID.rawValue, keyID: TestStore.offerKeyID, productID: TestStore.monthly,
      offerID: identifier, applicationUsername: username, nonce: nonce.uuidString, timestamp: timestamp)
    return SKPaymentDiscount(
      identifier: identifier, keyIdentifier: TestStore.offerKeyID, nonce: nonce,
      signature: try content.signature(with: TestStore.offerKey), timestamp: NSNumber(value: timestamp))
  }

  private func payment(_ discount: SKPaymentDiscount, of product: String = TestStore.monthly) -> SKPayment {
    let payment = SKMutablePayment()
    payment.productIdentifier = product
    payment.paymentDiscount = discount
    return payment
  }

  @Test("B1 a payment with a discount shows the customer the offer, and the transaction keeps it")
  func bought() async throws {
    let test = try await TestStore.lasting()
    let first = try await test.boughtLongAgo(TestStore.monthly)
    try await test.store.refund(first)
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    let discount = try discount()
    device.paymentQueue.add(payment(discount))
    let transaction = try await observer.next(.purchased)
    #expect(transaction.payment.paymentDiscount?.identifier == "half")
    #expect(transaction.payment.paymentDiscount?.nonce == discount.nonce)
    #expect(transaction.payment.paymentDiscount?.timestamp == discount.timestamp)
    let confirmed = try #require(customer.askedToConfirm.last)
    #expect(confirmed.total.amount == Milliunits(2_490) && confirmed.plan?.offer?.identifier == "half")
    #expect(try await test.store.charges().first?.amount == Milliunits(2_490))
  }

  @Test("B1 a discount that the store refuses fails the payment with the code of SKError, and charges nothing")
  func refused() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    let empty = SKPaymentDiscount(
      identifier: "half", keyIdentifier: "", nonce: UUID(), signature: "", timestamp: 0)
    for (discount, product, code) in [
      (try discount(), TestStore.monthly, SKError.Code.ineligibleForOffer),
      (try discount("none"), TestStore.monthly, .invalidOfferIdentifier),
      (try discount(username: "ann"), TestStore.monthly, .invalidSignature),
      (try discount(), TestStore.five, .invalidSignature),
      (empty, TestStore.monthly, .missingOfferParams),
    ] {
      device.paymentQueue.add(payment(discount, of: product))
      let transaction = try await observer.next(.failed)
      #expect((transaction.error as? SKError)?.code == code)
    }
    #expect(try await test.store.charges().isEmpty)
  }
}
