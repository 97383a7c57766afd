import AppStoreServerAPI
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Contents of notifications that `AgreementTests` has found to be wrong.
@Suite("What notifications of subscriptions contain", .timeLimit(.minutes(30)))
struct NotificationContentTests {
  private let receiver = NotificationReceiver()

  /// A shop with a grace period, in which Ada is a family of one and Bob can join her.
  private func club() async throws -> (shop: TeaShop, original: TransactionID) {
    let shop = try await TeaShop.notifying(over: receiver)
    try await shop.sell(ClubCatalog.definitions)
    try await shop.store.setRenewalRules(RenewalRules(gracePeriod: .seconds(86_400)), of: TeaShop.app)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    return (shop, try await shop.purchase("silver", for: "ada"))
  }

  private func sent(_ shop: TeaShop) async throws -> [DecodedNotification] {
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    return receiver.take().compactMap(\.notification)
  }

  private func setFamily(of shop: TeaShop, _ isMember: Bool) async throws {
    try await shop.store.changeCustomer("bob", .sandbox) { $0.family = isMember ? "tea" : nil }
  }

  private func pay(_ shop: TeaShop, _ isPossible: Bool) async throws {
    try await shop.store.changeCustomer("ada", .sandbox) { $0.paymentMethod = isPossible ? .valid : .declined }
  }

  @Test(
    "an increase that needs consent: the renewal price is the new one, and while a failed renewal is retried the old one"
  )
  func priceIncrease() async throws {
    let (shop, original) = try await club()
    _ = try await sent(shop)
    func announce(_ price: Int64) async throws -> SignedRenewalInfo? {
      try await shop.store.changeProduct("silver", of: TeaShop.app, ProductChange(price: Milliunits(price)))
      try await shop.store.changeSubscription(original, by: [.announcePriceIncrease(needsConsent: true)])
      let pending = try #require(try await sent(shop).last)
      #expect(pending.name == "PRICE_INCREASE/PENDING" && pending.renewalInfo?.priceIncreaseStatus == .pending)
      return pending.renewalInfo
    }
    #expect(try await announce(5_990)?.renewalPrice == Milliunits(5_990))
    try await shop.store.changeSubscription(original, by: [.answerPriceIncrease(isAgreed: true)])
    try await pay(shop, false)
    try await shop.store.changeClock(.toNextEvent)
    _ = try await sent(shop)
    #expect(try await announce(6_990)?.renewalPrice == Milliunits(4_990))
  }

  @Test("a member who lost the share has no offer for a coming period")
  func offerOfRevokedShare() async throws {
    let (shop, _) = try await club()
    try await setFamily(of: shop, true)
    _ = try await shop.store.purchase(
      "silver", of: TeaShop.app, for: "ada", in: .sandbox,
      offer: PaymentOffer(kind: .promotional, identifier: "silver.half"))
    #expect(try await sent(shop).last?.renewalInfo?.offerIdentifier == "silver.half")
    try await setFamily(of: shop, false)
    let revoked = try #require(try await sent(shop).last)
    #expect(revoked.name == "REVOKE")
    let info = try #require(revoked.renewalInfo)
    #expect(info.autoRenewStatus == .off && info.offerIdentifier == nil && info.offerType == nil)
    #expect(info.rawOfferDiscountType == nil && info.rawOfferPeriod == nil)
  }

  @Test(
    "D1 H1 a member's share is a renewal only if the member had the period before; otherwise the member subscribes again"
  )
  func shares() async throws {
    let (shop, _) = try await club()
    try await setFamily(of: shop, true)
    try await setFamily(of: shop, false)
    try await shop.store.changeClock(.toNextEvent)
    _ = try await sent(shop)
    func shown() async throws -> [String] {
      try await sent(shop).map { "\($0.name) \($0.transaction?.rawReason ?? "")" }.sorted()
    }
    // At the moment of the renewal.
    try await setFamily(of: shop, true)
    #expect(try await shown() == ["SUBSCRIBED/RESUBSCRIBE PURCHASE"])
    try await setFamily(of: shop, false)
    try await pay(shop, false)
    try await shop.store.changeClock(.toNextEvent)
    try await setFamily(of: shop, true)
    _ = try await sent(shop)
    try await pay(shop, true)
    #expect(try await shown() == ["DID_RENEW/BILLING_RECOVERY RENEWAL", "SUBSCRIBED/RESUBSCRIBE PURCHASE"])
    try await pay(shop, false)
    try await shop.store.changeClock(.toNextEvent)
    try await shop.store.changeClock(.advance(milliseconds: 1_000))
    _ = try await sent(shop)
    // In the grace period, the new period begins before it is shared.
    try await pay(shop, true)
    #expect(try await shown() == Array(repeating: "DID_RENEW/BILLING_RECOVERY RENEWAL", count: 2))
  }

  @Test(
    "a customer who turns renewal off in billing retry: EXPIRED/BILLING_RETRY, intent 2, no longer in billing retry")
  func cancelledInRetry() async throws {
    let (shop, original) = try await club()
    try await pay(shop, false)
    try await shop.store.changeClock(.toNextEvent)
    try await shop.store.changeClock(.toNextEvent)
    _ = try await sent(shop)
    try await shop.store.setAutoRenew(ofSubscription: original, isOn: false)
    let expired = try await sent(shop)
    #expect(expired.map(\.name) == ["EXPIRED/BILLING_RETRY"])
    let info = expired.first?.renewalInfo
    #expect(info?.expirationIntent == .billingError && info?.isInBillingRetryPeriod == false)
    #expect(info?.autoRenewStatus == .off)
  }
}
