import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests what a customer sees and changes in the settings of a device.
@Suite("Subscriptions in a device's settings", .timeLimit(.minutes(10)))
struct SubscriptionSettingsTests {
  private func subscribed() async throws -> (shop: TeaShop, phone: Phone, id: TransactionID) {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(TeaShop.monthly, on: phone).deliveries.first).signed
    return (shop, phone, first.transactionID)
  }

  @Test("A1 the settings show the plan, its next price and dates, and cancel it")
  func cancelled() async throws {
    let (shop, phone, id) = try await subscribed()
    let overview = try await shop.store.subscriptions(for: phone.id)
    let shown = try #require(overview.subscriptions.first)
    #expect(overview.date == shop.store.clock.now)
    #expect(shown.originalTransactionID == id && shown.productID == TeaShop.monthly && shown.state == .active)
    #expect(shown.isAutoRenewOn && shown.renewalDate == StoreDate("2026-08-01T12:00:00Z"))
    #expect(shown.renewalPrice == (try await shop.store.subscription(id)).renewalPrice)
    try await shop.store.changeSubscription(id, .autoRenew(isOn: false), for: phone.id)
    #expect(try await shop.store.subscriptions(for: phone.id).subscriptions.first?.isAutoRenewOn == false)
    try await shop.store.changeClock(.advance(milliseconds: 40 * 86_400_000))
    #expect(try await shop.store.subscriptions(for: phone.id).subscriptions.first?.state == .expired)
    let refused = try await refusal {
      try await shop.store.changeSubscription(id, .autoRenew(isOn: true), for: phone.id)
    }
    #expect(refused == .productNotAvailable)
  }

  @Test("A1 a customer neither sees nor changes the subscription of another customer or app")
  func others() async throws {
    let (shop, phone, id) = try await subscribed()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let other = try await shop.phone("other", signedInAs: "bob")
    #expect(try await shop.store.subscriptions(for: other.id).subscriptions.isEmpty)
    let before = try await shop.records()
    #expect(
      try await refusal { try await shop.store.changeSubscription(id, .autoRenew(isOn: false), for: other.id) }
        == .unknownTransaction)
    #expect(try await shop.records() == before)
    try await shop.store.signOut(on: phone.id)
    #expect(try await refusal { _ = try await shop.store.subscriptions(for: phone.id) } == .signInRequired)
    #expect(
      try await refusal { try await shop.store.changeSubscription(id, .autoRenew(isOn: false), for: phone.id) }
        == .signInRequired)
  }

  @Test("A1 the settings ask for the consent to a price increase, and take the answer")
  func priceIncrease() async throws {
    let (shop, phone, id) = try await subscribed()
    try await shop.store.changeProduct(TeaShop.monthly, of: TeaShop.app, ProductChange(price: Milliunits(99_990)))
    try await shop.store.changeSubscription(id, by: [.announcePriceIncrease(needsConsent: true)])
    #expect(
      try await shop.store.subscriptions(for: phone.id).subscriptions.first?.priceToAgree?.amount == Milliunits(99_990))
    try await shop.store.changeSubscription(id, .priceIncrease(isAgreed: true), for: phone.id)
    let agreed = try #require(try await shop.store.subscriptions(for: phone.id).subscriptions.first)
    #expect(agreed.priceToAgree == nil && agreed.renewalPrice.amount == Milliunits(99_990))
  }
}
