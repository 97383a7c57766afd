import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests announced prices and extensions.
@Suite("Changes of a subscription by its operator", .timeLimit(.minutes(30)))
struct SubscriptionChangeTests {
  private static let club: ProductID = "org.example.teahouse.club"

  private func shop() async throws -> (TeaShop, Phone, TransactionID) {
    let shop = try await TeaShop()
    try await shop.sell([
      ProductDefinition(
        productID: Self.club, type: .autoRenewableSubscription, price: Milliunits(10_000), isFamilyShareable: true,
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month), offers: []))
    ])
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(Self.club, as: "1", on: phone).deliveries.first).signed
    return (shop, phone, first.transactionID)
  }

  /// Raises the catalog's price, which existing subscriptions keep until an increase is announced.
  private func raisePrice(_ shop: TeaShop) async throws {
    try await shop.store.changeProduct(Self.club, of: TeaShop.app, ProductChange(price: Milliunits(12_000)))
  }

  private func advance(_ shop: TeaShop, days: Int64) async throws {
    try await shop.store.changeClock(.advance(milliseconds: days * 86_400_000))
  }

  @Test("A1 a price increase without consent applies to the next period", arguments: [true, false])
  func priceIncrease(needsConsent: Bool) async throws {
    let (shop, _, id) = try await shop()
    try await raisePrice(shop)
    try await advance(shop, days: 32)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [10_000, 10_000])
    let details = try await shop.store.changeSubscription(id, by: [.announcePriceIncrease(needsConsent: needsConsent)])
    #expect(details.announcedPrice?.amount == Milliunits(12_000) && details.needsPriceConsent == needsConsent)
    if needsConsent {
      try await shop.store.changeSubscription(id, by: [.answerPriceIncrease(isAgreed: true)])
    }
    try await advance(shop, days: 32)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [12_000, 10_000, 10_000])
    #expect(try await shop.store.subscription(id).renewalPrice.amount == Milliunits(12_000))
  }

  @Test("A1 without the consent that a price increase needs, the subscription expires at the end of its period")
  func noConsent() async throws {
    let (shop, phone, id) = try await shop()
    try await raisePrice(shop)
    try await shop.store.changeSubscription(id, by: [.announcePriceIncrease(needsConsent: true)])
    let receipt = try await shop.freshReceipt(for: phone)
    let password = try await shop.store.app(TeaShop.app).sharedSecret
    let before = try await VerifyReceiptAnswer(shop, receipt, password: password)
    #expect(before.pending.first?["price_consent_status"] == "0")
    try await advance(shop, days: 32)
    let details = try await shop.store.subscription(id)
    #expect(details.state == .expired && details.expirationIntent == 3)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("A1 an extension moves the expiration date and the renewals after it, also for the family")
  func extended() async throws {
    let (shop, phone, id) = try await shop()
    let date = StoreDate("2026-08-15T12:00:00Z")
    let details = try await shop.store.changeSubscription(id, by: [.extend(to: date)])
    #expect(details.periodEnd == date && details.accessEnd == date)
    #expect(try await shop.store.transaction(id).stored.record.expiresDate == date)
    let receipt = try await shop.freshReceipt(for: phone)
    let password = try await shop.store.app(TeaShop.app).sharedSecret
    let answer = try await VerifyReceiptAnswer(shop, receipt, password: password)
    #expect(answer.latest.first?["expires_date"] == "2026-08-15 12:00:00 Etc/GMT")
    try await advance(shop, days: 40)
    #expect(try await shop.store.charges().count == 1)
    try await advance(shop, days: 10)
    #expect(try await shop.newestTransaction().record.purchaseDate == date)
  }

  @Test("A1 a change that is not possible is refused, and changes nothing")
  func refused() async throws {
    let (shop, _, id) = try await shop()
    let before = try await shop.records()
    for adjustments: [SubscriptionAdjustment] in [
      [.announcePriceIncrease(needsConsent: true)], [.answerPriceIncrease(isAgreed: true)],
      [.extend(to: StoreDate("2026-07-30T00:00:00Z"))], [.extend(to: StoreDate("2163-01-01T00:00:00Z"))],
      [.autoRenew(isOn: false), .extend(to: StoreDate("2026-07-30T00:00:00Z"))],
    ] {
      await #expect(throws: AppStoreEmulatorError.self) {
        try await shop.store.changeSubscription(id, by: adjustments)
      }
      #expect(try await shop.records() == before, "\(adjustments)")
    }
    try await shop.store.setAutoRenew(ofSubscription: id, isOn: false)
    try await advance(shop, days: 40)
    await #expect(throws: AppStoreEmulatorError.self) {
      try await shop.store.changeSubscription(id, by: [.announcePriceIncrease(needsConsent: true)])
    }
  }
}
