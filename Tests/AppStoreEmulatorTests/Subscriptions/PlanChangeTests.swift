import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests purchases of another plan while a subscription of the group is active, and introductory offers.
@Suite("Changes of plan", .timeLimit(.minutes(30)))
struct PlanChangeTests {
  private static let gold: ProductID = "org.example.teahouse.gold"
  private static let silver: ProductID = "org.example.teahouse.silver"
  private static let silverYearly: ProductID = "org.example.teahouse.silver.yearly"

  /// A shop with a club of two levels. Silver has an introductory week for free.
  private func shop() async throws -> TeaShop {
    func plan(
      _ id: ProductID, level: Int, _ period: String, price: Int64, offers: [SubscriptionOffer] = []
    ) -> ProductDefinition {
      ProductDefinition(
        productID: id, type: .autoRenewableSubscription, price: Milliunits(price), isFamilyShareable: true,
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: level, period: CalendarPeriod(iso8601: period)!, offers: offers))
    }
    let week = SubscriptionOffer(
      kind: .introductory, identifier: nil, paymentMode: .freeTrial, period: CalendarPeriod(value: 1, unit: .week),
      price: .zero)
    let shop = try await TeaShop()
    try await shop.sell(
      TeaShop.catalog() + [
        plan(Self.gold, level: 1, "P1M", price: 10_000),
        plan(Self.silver, level: 2, "P1M", price: 4_000, offers: [week]),
        plan(Self.silverYearly, level: 2, "P1Y", price: 40_000),
      ])
    return shop
  }

  private func advance(_ shop: TeaShop, days: Int64) async throws {
    try await shop.store.changeClock(.advance(milliseconds: days * 86_400_000))
  }

  @Test("A1 an introductory week is quoted and charged at 0 once, and then the plan renews at its price")
  func introductoryOffer() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(Self.silver, as: "1", on: phone)
    #expect(quote.total.amount == .zero && quote.unitPrice.amount == Milliunits(4_000))
    #expect(quote.plan?.offer?.kind == .introductory && quote.hasConsistentTotal)
    let signed = try #require(try await shop.buy(Self.silver, as: "1", on: phone).deliveries.first).signed
    #expect(signed.expiresDate == StoreDate("2026-07-08T12:00:00Z"))
    #expect(try await shop.store.charges().isEmpty)
    try await advance(shop, days: 8)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(4_000)])
    // After it has expired, the offer is not given again.
    try await shop.store.setAutoRenew(ofSubscription: signed.transactionID, isOn: false)
    try await advance(shop, days: 60)
    let later = try await shop.quote(Self.silver, as: "2", on: phone)
    #expect(later.plan?.offer == nil && later.total.amount == Milliunits(4_000))
  }

  @Test("A1 an upgrade begins at once, refunds the rest of the period, and marks the old transaction")
  func upgrade() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(Self.silverYearly, as: "1", on: phone).deliveries.first).signed
    try await advance(shop, days: 73)
    let quote = try await shop.quote(Self.gold, as: "2", on: phone)
    #expect(quote.plan?.startDate == nil && quote.total.amount == Milliunits(10_000))
    let batch = try await shop.store.confirm(quote, for: phone.id).purchase()
    let second = try #require(batch.deliveries.first).signed
    #expect(second.productID == Self.gold && second.originalTransactionID == first.transactionID)
    #expect(second.expiresDate == StoreDate("2026-10-12T12:00:00Z"))

    let old = try await shop.store.transaction(first.transactionID)
    #expect(old.stored.record.isUpgraded && old.stored.record.revocationDate == nil)
    #expect(old.stored.record.expiresDate == first.expiresDate)
    #expect(old.refunds.map(\.amount) == [Milliunits(32_000)])
    let receipt = try UnverifiedAppReceipt(try #require(batch.receipt)).receipt
    let listed = Dictionary(receipt.inAppPurchases.map { ($0.transactionID, $0) }) { first, _ in first }
    #expect(listed[first.transactionID]?.cancellationDate == second.purchaseDate)
    #expect(listed[second.transactionID]?.cancellationDate == nil)
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.refund(first.transactionID) }

    let subscription = try await shop.store.subscription(first.transactionID)
    #expect(subscription.productID == Self.gold && subscription.currentTransactionID == second.transactionID)
    try await advance(shop, days: 40)
    #expect(try await shop.store.charges().first?.productID == Self.gold)
  }

  @Test("A1 verifyReceipt shows an upgraded transaction with is_upgraded and its cancellation date")
  func upgradedAnswer() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    let receipt = try #require(try await shop.buy(Self.silverYearly, as: "1", on: phone).receipt)
    try await advance(shop, days: 10)
    try await shop.buy(Self.gold, as: "2", on: phone)
    let password = try await shop.store.app(TeaShop.app).sharedSecret
    let answer = try await VerifyReceiptAnswer(shop, receipt, password: password)
    #expect(answer.latest.map { $0["is_upgraded"] } == [nil, "true"])
    #expect(answer.latest.map { $0["cancellation_date"] } == [nil, "2026-07-11 12:00:00 Etc/GMT"])
    #expect(answer.pending.map { $0["product_id"] } == [Self.gold.rawValue])
  }

  @Test("A1 a downgrade charges nothing now, delivers the current period again, and begins with the next period")
  func downgrade() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(Self.gold, as: "1", on: phone).deliveries.first).signed
    let quote = try await shop.quote(Self.silver, as: "2", on: phone)
    #expect(quote.plan?.startDate == first.expiresDate && quote.total.amount == .zero && quote.hasConsistentTotal)
    let answer = try #require(try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.first)
    #expect(answer.redelivery != nil)
    #expect(try answer.signed.transactionID == first.transactionID)
    #expect(try await shop.store.charges().count == 1)
    #expect(try await shop.store.subscription(first.transactionID).renewalProductID == Self.silver)
    // The same payment is answered the same, and changes nothing.
    let again = try #require(try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.first)
    #expect(again.redelivery?.transactionID == answer.redelivery?.transactionID)
    try await advance(shop, days: 32)
    let newest = try await shop.newestTransaction().record
    #expect(newest.productID == Self.silver && newest.reason == .renewal && newest.price == Milliunits(4_000))
    #expect(newest.originalTransactionID == first.transactionID)
  }

  @Test("A1 the current plan is bought again to cancel a change of plan; a chosen plan is refused")
  func undone() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(Self.gold, as: "1", on: phone).deliveries.first).signed
    try await shop.buy(Self.silver, as: "2", on: phone)
    await #expect(throws: StoreRefusal.self) { _ = try await shop.quote(Self.silver, as: "3", on: phone) }
    try await shop.buy(Self.gold, as: "4", on: phone)
    #expect(try await shop.store.subscription(first.transactionID).renewalProductID == Self.gold)
    try await advance(shop, days: 32)
    #expect(try await shop.store.charges().map(\.productID) == [Self.gold, Self.gold])
    #expect(
      try await shop.store.history(ofSubscription: first.transactionID).map(\.step) == [
        .subscribed, .planChosen, .planChoiceCancelled, .renewed,
      ])
  }

  @Test("A1 a plan of another period of the same level begins with the next period")
  func crossgrade() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    try await shop.buy(Self.silverYearly, as: "1", on: phone)
    let quote = try await shop.quote(Self.silver, as: "2", on: phone)
    #expect(quote.plan?.startDate == StoreDate("2027-07-01T12:00:00Z") && quote.plan?.offer == nil)
  }

  @Test("A1 a change of plan that waits for approval is refused if the subscription has changed meanwhile")
  func approvedTooLate() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    try await shop.buy(Self.gold, as: "1", on: phone)
    let quote = try await shop.quote(Self.silver, as: "2", on: phone)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    #expect(try await shop.store.confirm(quote, for: phone.id) == .deferred)
    let original = try await shop.newestTransaction().record.transactionID
    try await shop.store.refund(original)
    #expect(try await shop.store.decideApproval(of: "2", on: phone.id, isApproved: true) == nil)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("A1 an operator's purchase changes the plan by the same rules")
  func operatorPurchase() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    try await shop.buy(Self.silver, as: "1", on: phone)
    let upgrade = try await shop.store.purchase(
      Self.gold, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    #expect(upgrade.record.productID == Self.gold)
    let current = try await shop.store.purchase(
      Self.silver, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    #expect(current.record.transactionID == upgrade.record.transactionID)
    #expect(try await shop.store.charges().map(\.productID) == [Self.gold])
  }

  @Test("A1 the family shares the plan after an upgrade, and loses the share of the plan before")
  func family() async throws {
    let shop = try await shop()
    let phone = try await shop.phone()
    try await shop.buy(Self.silverYearly, as: "1", on: phone)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    for name in ["customer", "bob"] as [AccountName] {
      try await shop.store.changeCustomer(name, .sandbox) { $0.family = "tea" }
    }
    try await shop.buy(Self.gold, as: "2", on: phone)
    let shares = try await shop.store.transactions().filter { $0.account == "bob" }.map(\.record)
    #expect(shares.map(\.productID) == [Self.gold, Self.silverYearly])
    #expect(shares.map { $0.revocationDate == nil } == [true, false])
  }
}
