import Foundation
import PurchaseTesting
import StoreKitTest
import Testing

@Suite("SKTestSession: subscriptions", .isolatedStore, .timeLimit(.minutes(30)))
struct SubscriptionSessionTests {
  let shop: Session
  private var session: SKTestSession { shop.session }
  private var bed: TestBed { shop.session.testBed }

  init() throws {
    shop = try Session()
    try shop.session.testBed.setClockRate(0)
  }

  private func identifier(_ transaction: Transaction) -> UInt { UInt(transaction.id) }

  private func renewalInfo() async throws -> Product.SubscriptionInfo.RenewalInfo {
    let status = try #require(try await Product.SubscriptionInfo.status(for: "5E5510C0").first)
    return try status.renewalInfo.payloadValue
  }

  @Test("T6 A subscription that a session ends has ended at that moment, and does not renew")
  func expire() async throws {
    let first = try await shop.buy("silver.monthly")
    await first.finish()
    try bed.advance(by: .seconds(86_400))
    try session.expireSubscription(productIdentifier: "silver.monthly")
    #expect(try await shop.state() == .expired)
    #expect(await Session.entitled().isEmpty)
    let record = try #require(session.allTransactions().first)
    #expect(record.expirationDate == bed.now.flooredToSecond)
    #expect(!record.autoRenewingEnabled)
    #expect(try await renewalInfo().expirationReason == .autoRenewDisabled)
    // Apple's test suites buy again after that.
    try await shop.buy("silver.monthly")
    #expect(await Session.entitled() == ["silver.monthly"])
    #expect(session.allTransactions().count == 2)
  }

  @Test("T6 T7 Only a subscription of the file that the customer has can be ended or renewed")
  func subscriptionErrors() throws {
    for change in [session.expireSubscription, session.forceRenewalOfSubscription] {
      expect(.invalidProductIdentifier) { try change("nothing") }
      expect(.invalidProductType) { try change("coins") }
      expect(.noSubscriptionFound) { try change("gold.monthly") }
    }
  }

  @Test("T7 A forced renewal ends the period, and begins the next one")
  func forceRenewal() async throws {
    let first = try await shop.buy("silver.monthly")
    await first.finish()
    try session.disableAutoRenewForTransaction(identifier: identifier(first))
    #expect(session.allTransactions().first?.autoRenewingEnabled == false)
    try bed.advance(by: .seconds(3_600))
    var updates = Transaction.updates.makeAsyncIterator()
    try session.forceRenewalOfSubscription(productIdentifier: "silver.monthly")
    let all = session.allTransactions()
    #expect(all.count == 2)
    #expect(all.first?.expirationDate == bed.now.flooredToSecond)
    #expect(all.last?.purchaseDate == bed.now.flooredToSecond)
    #expect(all.last?.autoRenewingEnabled == true)
    #expect(all.last?.originalTransactionIdentifier == identifier(first))
    var seen: Set<UInt64> = []
    while seen.count < 2, let update = await updates.next() { seen.insert(update.unsafePayloadValue.id) }
    #expect(seen.count == 2)
    #expect(await Session.entitled() == ["silver.monthly"])
  }

  @Test("T7 A forced renewal begins an expired subscription again")
  func renewExpired() async throws {
    try await shop.buy("silver.monthly").finish()
    try session.expireSubscription(productIdentifier: "silver.monthly")
    try session.forceRenewalOfSubscription(productIdentifier: "silver.monthly")
    #expect(try await shop.state() == .subscribed)
    #expect(session.allTransactions().count == 2)
  }

  @Test("T12 A subscription renews at the end of its period, to the second")
  func renewal() async throws {
    let first = try await shop.buy("silver.weekly")
    await first.finish()
    try bed.advance(by: .seconds(7 * 86_400 - 1))
    #expect(session.allTransactions().count == 1)
    try bed.advance(by: .seconds(1))
    #expect(session.allTransactions().count == 2)
    #expect(session.allTransactions().last?.purchaseDate == first.expirationDate)
  }

  @Test("T8 A price increase that is consented to applies to the next period")
  func consent() async throws {
    let first = try await shop.buy("silver.monthly")
    await first.finish()
    expect(.invalidAction) {
      try session.consentToPriceIncreaseForTransaction(identifier: identifier(first))
    }
    var messages = Message.messages.makeAsyncIterator()
    try session.requestPriceIncreaseConsentForTransaction(identifier: identifier(first))
    #expect(session.allTransactions().first?.isPendingPriceIncreaseConsent == true)
    #expect(await messages.next()?.reason == .priceIncreaseConsent)
    #expect(try await renewalInfo().priceIncreaseStatus == .pending)
    try session.consentToPriceIncreaseForTransaction(identifier: identifier(first))
    #expect(session.allTransactions().first?.isPendingPriceIncreaseConsent == false)
    #expect(try await renewalInfo().priceIncreaseStatus == .agreed)
    try bed.advance(by: .seconds(31 * 86_400))
    #expect(session.allTransactions().count == 2)
  }

  @Test("T8 A price increase that is declined turns renewal off; one without an answer ends the subscription")
  func withoutConsent() async throws {
    let first = try await shop.buy("silver.monthly")
    await first.finish()
    try session.requestPriceIncreaseConsentForTransaction(identifier: identifier(first))
    try session.declinePriceIncreaseForTransaction(identifier: identifier(first))
    #expect(session.allTransactions().first?.isPendingPriceIncreaseConsent == false)
    #expect(session.allTransactions().first?.autoRenewingEnabled == false)
    try session.enableAutoRenewForTransaction(identifier: identifier(first))
    try session.requestPriceIncreaseConsentForTransaction(identifier: identifier(first))
    try bed.advance(by: .seconds(31 * 86_400))
    #expect(try await shop.state() == .expired)
    #expect(try await renewalInfo().expirationReason == .didNotConsentToPriceIncrease)
  }

  @Test("T9 A renewal that cannot be charged begins a billing retry, and resolving it charges")
  func billingRetry() async throws {
    let first = try await shop.buy("silver.monthly")
    await first.finish()
    session.shouldEnterBillingRetryOnRenewal = true
    try bed.advance(by: .seconds(31 * 86_400))
    #expect(try await shop.state() == .inBillingRetryPeriod)
    #expect(await Session.entitled().isEmpty)
    #expect(session.allTransactions().last?.hasPurchaseIssue == true)
    // The issue of another customer's store does not end by turning the switch off.
    session.shouldEnterBillingRetryOnRenewal = false
    #expect(try await shop.state() == .inBillingRetryPeriod)
    try session.resolveIssueForTransaction(identifier: identifier(first))
    #expect(try await shop.state() == .subscribed)
    #expect(session.allTransactions().count == 2)
    // No effect any more.
    try session.resolveIssueForTransaction(identifier: identifier(first))
    #expect(session.allTransactions().count == 2)
  }

  @Test("T9 With a grace period, the customer keeps access first")
  func gracePeriod() async throws {
    let first = try await shop.buy("silver.monthly")
    await first.finish()
    session.shouldEnterBillingRetryOnRenewal = true
    session.billingGracePeriodIsEnabled = true
    try bed.advance(by: .seconds(31 * 86_400))
    #expect(try await shop.state() == .inGracePeriod)
    #expect(await Session.entitled() == ["silver.monthly"])
    try bed.advance(by: .seconds(16 * 86_400))
    #expect(try await shop.state() == .inBillingRetryPeriod)
    try bed.advance(by: .seconds(60 * 86_400))
    #expect(try await shop.state() == .expired)
    #expect(try await renewalInfo().expirationReason == .billingError)
  }

  @Test("T26 A grace period of any length")
  func longGracePeriod() async throws {
    try await shop.buy("silver.monthly").finish()
    try bed.changeSettings { $0.renewalRules = RenewalRules(gracePeriod: .seconds(100), renewalsFail: true) }
    let end = try #require(session.allTransactions().first?.expirationDate)
    try bed.advance(to: end.addingTimeInterval(99))
    #expect(try await shop.state() == .inGracePeriod)
    try bed.advance(by: .seconds(1))
    #expect(try await shop.state() == .inBillingRetryPeriod)
  }

  @Test("T10 A purchase of the past has renewed until now, or was cancelled at once")
  func purchaseDate() async throws {
    let year = Date(timeIntervalSince1970: 1_700_000_000)
    let first = try await session.buyProduct(
      identifier: "silver.monthly", options: [.purchaseDate(year, renewalBehavior: .renewUntilNow)])
    #expect(first.purchaseDate == year)
    let all = session.allTransactions()
    #expect(all.count > 12)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.expirationDate == $1.purchaseDate })
    #expect(try await shop.state() == .subscribed)
    session.clearTransactions()
    try await session.buyProduct(
      identifier: "silver.monthly", options: [.purchaseDate(year, renewalBehavior: .cancelImmediately)])
    #expect(session.allTransactions().count == 1)
    #expect(try await shop.state() == .expired)
    let error = await #expect(throws: SKTestError.self) {
      try await session.buyProduct(identifier: "coins", options: [.purchaseDate(.distantFuture)])
    }
    #expect(error?.code == .invalidAction)
  }

  @Test("T11 An introductory offer, a promotional offer without a signature, an offer code, and a win-back offer")
  func offers() async throws {
    let trial = try await shop.buy("gold.monthly")
    #expect(trial.offer?.type == .introductory)
    #expect(trial.offer?.paymentMode == .freeTrial)
    await trial.finish()
    try session.expireSubscription(productIdentifier: "gold.monthly")
    let promoted = try await shop.buy("gold.monthly", options: [.promotionalOffer(id: "gold.promo")])
    #expect(promoted.offer?.type == .promotional)
    #expect(promoted.offer?.id == "gold.promo")
    await promoted.finish()
    try session.expireSubscription(productIdentifier: "gold.monthly")
    let code = try await session.buyProduct(
      identifier: "gold.monthly", options: [.codeOffer(referenceName: "WELCOME")])
    #expect(code.offer?.type == .code)
    #expect(code.offer?.id == "WELCOME")
    try session.expireSubscription(productIdentifier: "gold.monthly")
    #expect(try await renewalInfo().eligibleWinBackOfferIDs == ["gold.back"])
    let product = try await shop.product("gold.monthly")
    let winBack = try #require(product.subscription?.winBackOffers.first)
    let back = try await shop.buy("gold.monthly", options: [.winBackOffer(winBack)])
    #expect(back.offer?.type == .winBack)
  }

  @Test("T11 An upgrade begins at once, a downgrade with the next period")
  func plans() async throws {
    try await shop.buy("silver.monthly").finish()
    let gold = try await shop.buy("gold.monthly")
    #expect(gold.productID == "gold.monthly")
    #expect(await Session.entitled() == ["gold.monthly"])
    let held = try await shop.buy("silver.weekly")
    #expect(held.productID == "gold.monthly")
    #expect(try await renewalInfo().autoRenewPreference == "silver.weekly")
  }

  @Test("T5 A deleted first period takes its renewals with it; a deleted renewal ends the subscription before it")
  func delete() async throws {
    let first = try await shop.buy("silver.weekly")
    await first.finish()
    try bed.advance(by: .seconds(14 * 86_400))
    let all = session.allTransactions()
    #expect(all.count == 3)
    try session.deleteTransaction(identifier: try #require(all.last?.identifier))
    #expect(session.allTransactions().count == 2)
    #expect(try await shop.state() == .expired)
    #expect(await Session.entitled().isEmpty)
    try session.deleteTransaction(identifier: identifier(first))
    #expect(session.allTransactions().isEmpty)
    #expect(try await shop.state() == nil)
    expect(.noTransactionFound) { try session.deleteTransaction(identifier: identifier(first)) }
    try await shop.buy("silver.weekly")
    #expect(await Session.entitled() == ["silver.weekly"])
  }
}

extension Date {
  fileprivate var flooredToSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
