import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@testable import SampleModel

@Suite("The monkey credits screen", .timeLimit(.minutes(30)))
struct ConsumablesModelTests {
  private let five = SampleCatalog.fiveCredits
  private let ten = SampleCatalog.tenCredits

  @Test("A2 the products are built in: the screen shows the app's own ids, and the app grants each of them")
  func builtIn() async throws {
    let sample = try await Sample()
    #expect(
      sample.screen.productIdentifiers == [
        "com.xamarin.storekit.testing.consume5credits", "com.xamarin.storekit.testing.consume10credits",
      ])
    #expect(Set(sample.screen.productIdentifiers) == Set(SampleCatalog.creditsForProduct.keys))
    try await sample.appear()
    var balance = 0
    for product in sample.screen.productIdentifiers {
      try await sample.buy(product)
      balance += try #require(SampleCatalog.creditsForProduct[product])
      #expect(try sample.screen.balanceText == "\(balance) monkey credits")
    }
    #expect(balance == 15)
  }

  @Test("A4 A7 buttons are disabled until their price has arrived, and then read Buy with the price")
  func prices() async throws {
    let sample = try await Sample(sellsTen: false)
    let screen = sample.screen
    #expect(sample.button(five) == .loading)
    #expect(!sample.button(five).isEnabled)
    #expect(sample.button(five).title == "Loading…")
    // The app knows the names of built-in products.
    #expect(screen.title(of: five) == "5 monkey credits")
    #expect(throws: InAppPurchaseError.notForSale(five)) { try screen.buy(five) }
    try await sample.appear()
    #expect(sample.button(five).title == "Buy $0.99")
    #expect(sample.button(five).isEnabled)
    #expect(screen.title(of: five) == "5 monkey credits")
    #expect(screen.text(of: five) == "A few")
    // In this test the store does not sell the other product.
    #expect(sample.button(ten) == .invalidProduct)
    #expect(throws: InAppPurchaseError.notForSale(ten)) { try screen.buy(ten) }
  }

  @Test("A7 loaded prices are not requested again on the next appearance")
  func pricesOnce() async throws {
    let sample = try await Sample()
    try await sample.appear()
    for _ in 1...3 {
      sample.screen.disappear()
      sample.screen.appear()
    }
    // Requests are counted when they are sent, so a second request would be counted by now.
    try await sample.manager.products([five])
    #expect(sample.requests.count == 2)
    #expect(sample.button(ten).title == "Buy $1.99")
  }

  @Test(
    "A5 A6 after a failed request the buttons read Network down?; when the network returns, the prices load by themselves"
  )
  func outage() async throws {
    let sample = try await Sample()
    sample.network.isUp = false
    try await sample.appear()
    #expect(sample.button(five).title == "Network down?")
    #expect(!sample.button(five).isEnabled)
    #expect(throws: InAppPurchaseError.notForSale(five)) { try sample.screen.buy(five) }
    #expect(await sample.reachability.nextWait() == 1)
    sample.network.isUp = true
    let changes = ChangeCount()
    sample.screen.didChange = { changes.increment() }
    try await sample.waiting(for: .InAppPurchaseManagerProductsFetchedNotification) { sample.reachability.release() }
    #expect(changes.count == 1)
    #expect(sample.button(five).title == "Buy $0.99")
    #expect(sample.button(ten).isEnabled)
    #expect(sample.screen.alert == nil)
  }

  @Test("B1 B2 pressing returns at once; the confirmation shows product, quantity, unit price and total")
  func confirmation() async throws {
    let sample = try await Sample()
    try await sample.appear()
    try await sample.waiting(for: .InAppPurchaseManagerTransactionSucceededNotification) {
      try sample.screen.buy(SampleCatalog.tenCredits, quantity: 3)
      #expect(sample.button(SampleCatalog.tenCredits) == .purchasing)
      #expect(sample.button(SampleCatalog.fiveCredits).isEnabled)
    }
    let quote = try #require(sample.customer.quotes.first)
    #expect(quote.displayName == "10 monkey credits")
    #expect(quote.payment.quantity == 3)
    #expect(quote.unitPrice == Price(amount: Milliunits(1990), currency: "USD"))
    #expect(quote.total == Price(amount: Milliunits(5970), currency: "USD"))
    #expect(sample.customer.quotes.count == 1)
  }

  @Test("B5 every purchase raises the balance; spending lowers it; a spend above the balance is refused with a message")
  func balance() async throws {
    let sample = try await Sample()
    try await sample.appear()
    #expect(try sample.screen.balanceText == "0 monkey credits")
    try await sample.buy(five)
    try await sample.buy(five)
    #expect(try sample.screen.balanceText == "10 monkey credits")
    try await sample.buy(ten)
    #expect(try sample.screen.balanceText == "20 monkey credits")
    try await sample.screen.spend(6)
    #expect(try sample.screen.balanceText == "14 monkey credits")
    #expect(sample.screen.alert == nil)
    try await sample.screen.spend(15)
    #expect(sample.screen.alert == "You have 14 monkey credits, and 15 are needed. Buy more first.")
    #expect(try sample.screen.balanceText == "14 monkey credits")
    try await sample.screen.spend(0)
    #expect(sample.screen.alert?.contains("Choose 1 or more") == true)
    sample.screen.dismissAlert()
    #expect(sample.screen.alert == nil)
  }

  @Test(
    "B6 a quantity is one payment and is granted as many times; a quantity out of range is refused and changes nothing")
  func quantity() async throws {
    let sample = try await Sample()
    try await sample.appear()
    try await sample.buy(five, quantity: 10)
    #expect(try sample.screen.balanceText == "50 monkey credits")
    #expect(try await sample.store.charges().map(\.amount.rawValue) == [9900])
    for quantity in [0, -1, 11, Int.max] {
      #expect(throws: InAppPurchaseError.quantityOutOfRange(quantity)) {
        try sample.screen.buy(five, quantity: quantity)
      }
    }
    #expect(sample.button(five).isEnabled)
    #expect(sample.customer.quotes.count == 1)
  }

  @Test("B8 a screen receives notifications while it is shown, and not after it has disappeared")
  func registration() async throws {
    let sample = try await Sample()
    let changes = ChangeCount()
    sample.screen.didChange = { changes.increment() }
    try await sample.manager.products([five, ten])
    #expect(changes.count == 0)
    sample.screen.appear()
    #expect(changes.count == 1)
    try await sample.manager.products([five])
    await MainActor.run {}
    #expect(changes.count == 2)
    // Appearing twice must not register the observer twice.
    sample.screen.appear()
    try await sample.manager.products([five])
    await MainActor.run {}
    #expect(changes.count == 4)
    sample.screen.disappear()
    try await sample.manager.products([five])
    await MainActor.run {}
    #expect(changes.count == 4)
  }

  @Test("B7 a paid product that the app does not know is reported, and does not block others")
  func unknownProduct() async throws {
    let sample = try await Sample()
    try await sample.appear()
    #expect(sample.screen.alert == nil)
    sample.notifications.post(
      name: .InAppPurchaseManagerTransactionKeptNotification, object: sample.manager,
      userInfo: [
        InAppPurchaseManager.transactionKey: StoreTransaction(
          state: .purchased, productIdentifier: "com.example.later", quantity: 1),
        InAppPurchaseManager.errorKey: InAppPurchaseError.unknownProduct("com.example.later"),
      ])
    #expect(
      sample.screen.alert
        == "You have paid for this product, but this version of the app does not have it. Update the app to receive it."
    )
    try await sample.buy(five)
    #expect(try sample.screen.balanceText == "5 monkey credits")
  }

  @Test("B3 Ask to Buy: the button waits for approval, without an alert, and other products can be bought")
  func askToBuy() async throws {
    let sample = try await Sample()
    try await sample.store.changeCustomer("customer", .sandbox) { $0.needsApproval = true }
    try await sample.appear()
    try await sample.buy(five, until: .InAppPurchaseManagerTransactionDeferredNotification)
    #expect(sample.button(five).title == "Waiting for approval")
    #expect(throws: InAppPurchaseError.notForSale(five)) { try sample.screen.buy(five) }
    #expect(sample.screen.alert == nil)
    try await sample.store.changeCustomer("customer", .sandbox) { $0.needsApproval = false }
    try await sample.buy(ten)
    #expect(try sample.screen.balanceText == "10 monkey credits")
  }
}

final class ChangeCount: Sendable {
  private let number = LockedValue(0)
  var count: Int { number.value }
  func increment() { number.withLock { $0 += 1 } }
}
