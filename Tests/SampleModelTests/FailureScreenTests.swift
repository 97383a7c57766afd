import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@testable import SampleModel

@Suite("The monkey credits screen when a purchase fails or is not allowed", .timeLimit(.minutes(30)))
struct FailureScreenTests {
  private let five = SampleCatalog.fiveCredits
  private let failed = Notification.Name.InAppPurchaseManagerTransactionFailedNotification

  @Test("C1 a cancellation shows no alert, removes no other alert, and the button can be pressed again")
  func cancellation() async throws {
    let sample = try await Sample()
    sample.customer.confirms = false
    try await sample.appear()
    try await sample.buy(five, until: failed)
    #expect(sample.screen.alert == nil)
    #expect(sample.button(five).isEnabled)
    // Another failure was reported while the sheet was open.
    try await sample.screen.spend(1)
    let before = try #require(sample.screen.alert)
    try await sample.waiting(for: failed) {
      try sample.manager.purchaseProduct(try #require(sample.manager.fetchedProducts[SampleCatalog.fiveCredits]))
    }
    #expect(sample.screen.alert == before)
    sample.customer.confirms = true
    try await sample.buy(five)
    #expect(try sample.screen.balanceText == "5 monkey credits")
    #expect(sample.screen.alert == nil)
  }

  @Test("C2 C3 any other failure is shown with its own message until the next attempt")
  func failure() async throws {
    let sample = try await Sample()
    try await sample.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .declined }
    try await sample.appear()
    try await sample.buy(five, until: failed)
    #expect(sample.screen.alert == "The payment method was declined. Nothing was charged.")
    #expect(sample.button(five).isEnabled)
    try await sample.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .valid }
    try await sample.buy(five)
    #expect(sample.screen.alert == nil)
  }

  @Test("C2 if the customer gives up after a refused password, the app's alert appears, unlike after a cancellation")
  func passwordRefused() async throws {
    let sample = try await Sample()
    try await sample.appear()
    sample.customer.account = "nobody"
    try await sample.buy(five, until: failed)
    #expect(sample.screen.alert == "Forget Your Password?")
    #expect(sample.button(five).isEnabled)
  }

  @Test("C5 C6 on a restricted device buttons read AppStore disabled and nothing is bought, but prices are loaded")
  func restricted() async throws {
    let sample = try await Sample()
    sample.device.paymentsAllowed = false
    #expect(sample.button(five).title == "AppStore disabled")
    try await sample.appear()
    #expect(sample.button(five).title == "AppStore disabled")
    #expect(!sample.button(five).isEnabled)
    #expect(throws: InAppPurchaseError.notForSale(five)) { try sample.screen.buy(five) }
    #expect(sample.customer.quotes.isEmpty)
    #expect(sample.screen.title(of: five) == "5 monkey credits")
    #expect(sample.screen.price(of: five) == "$0.99")
    // The restriction is lifted while the app runs. The price is loaded already.
    sample.device.paymentsAllowed = true
    sample.screen.appear()
    #expect(sample.button(five).title == "Buy $0.99")
    #expect(sample.requests.count == 1)
    try await sample.buy(five)
    // The restriction is switched on again.
    sample.device.paymentsAllowed = false
    #expect(sample.button(five).title == "AppStore disabled")
    #expect(try sample.screen.balanceText == "5 monkey credits")
  }

  @Test(
    "C6 a restriction between the button and the payment: StoreKit alone shows an alert, and no request reaches the store"
  )
  func restrictedMeanwhile() async throws {
    let sample = try await Sample(looksAtRestrictions: false)
    try await sample.appear()
    sample.device.paymentsAllowed = false
    #expect(sample.button(five).title == "Buy $0.99")
    try await sample.buy(five, until: failed)
    #expect(sample.screen.alert == nil, "StoreKit shows its own alert, and one is enough")
    #expect(await sample.customer.nextNotice() == .paymentsNotAllowed)
    #expect(sample.customer.notices == [.paymentsNotAllowed])
    #expect(sample.customer.quotes.isEmpty)
    #expect(sample.network.sent.allSatisfy { [.register, .products, .unfinished, .changes].contains($0) })
    #expect(try await sample.store.charges().isEmpty)
  }
}
