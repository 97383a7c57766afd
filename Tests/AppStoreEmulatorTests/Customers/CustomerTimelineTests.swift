import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The timeline of a customer", .timeLimit(.minutes(30)))
struct CustomerTimelineTests {
  private func page(
    _ shop: TeaShop, of name: AccountName = TeaShop.customer, skipping skipped: Int = 0, limit: Int = 100
  ) async throws -> CustomerEventPage {
    try await shop.store.timeline(ofCustomer: name, .sandbox, skipping: skipped, limit: limit)
  }

  /// Returns a short text for each event, newest first.
  private func history(_ shop: TeaShop, of name: AccountName = TeaShop.customer) async throws -> [String] {
    let events = try await page(shop, of: name).events
    #expect(events.map(\.date.wholeSeconds) == events.map(\.date.wholeSeconds).sorted(by: >))
    return events.map { event in
      switch event.kind {
      case .transaction(let stored, let charge):
        "\(stored.sharedTransactionID == nil ? stored.record.reason.rawValue : "shared") \(charge?.amount.rawValue ?? 0)"
      case .redelivered(let redelivery, let stored): "\(stored.record.productID) again on \(redelivery.installationID)"
      case .refunded(let refund): "refunded \(refund.amount.rawValue)"
      case .refundReversed(let refund): "reversed \(refund.amount.rawValue)"
      case .revoked(let stored): "revoked \(stored.record.revocationType?.rawValue ?? "")"
      case .approvalAsked(let payment): "asked \(payment.paymentID)"
      case .approvalDecided(let payment):
        "\(payment.transactionID == nil ? payment.refusal?.code.rawValue ?? "" : "approved") \(payment.paymentID)"
      case .refused(let payment): "refused \(payment.refusal?.code.rawValue ?? "")"
      case .subscription(let step, _): step.rawValue
      case .request(let request): "request \(request.metadata.kind.rawValue) \(request.outcome.name.rawValue)"
      }
    }
  }

  @Test("purchases, refunds, reversals, redeliveries and refused payments are in it once, newest first")
  func purchases() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try await shop.buy(TeaShop.teapot, as: "one", on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    shop.clock.advance(seconds: 5)
    try await shop.buy(TeaShop.teapot, as: "two", on: tablet)
    shop.clock.advance(seconds: 5)
    try await shop.store.refund(id)
    shop.clock.advance(seconds: 5)
    try await shop.store.reverseRefund(of: id)
    shop.clock.advance(seconds: 5)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    _ = try await refusal { try await shop.buy(as: "declined", on: phone) }
    #expect(
      try await history(shop) == [
        "refused paymentDeclined", "reversed -24000", "refunded 24000",
        "\(TeaShop.teapot) again on \(tablet.id)", "PURCHASE 24000",
      ])
    #expect(try await history(shop, of: "nobody").isEmpty)
  }

  @Test("an approval that was asked, granted, declined or timed out is in it")
  func approvals() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
    let phone = try await shop.phone(signedInAs: "child")
    for payment in ["yes", "no", "late"] as [PaymentID] {
      _ = try await shop.store.confirm(try await shop.quote(as: payment, on: phone), for: phone.id)
      shop.clock.advance(seconds: 1)
    }
    try await shop.store.decideApproval(of: "yes", on: phone.id, isApproved: true)
    shop.clock.advance(seconds: 1)
    try await shop.store.decideApproval(of: "no", on: phone.id, isApproved: false)
    #expect(
      try await history(shop, of: "child") == [
        "approvalDeclined no", "PURCHASE 1990", "approved yes", "asked late", "asked no", "asked yes",
      ])
    shop.clock.advance(seconds: 100_000)
    #expect(try await history(shop, of: "child").first == "approvalDeclined late")
  }

  @Test("A1 a subscription's renewals are transactions; its failures, recoveries and changes are steps")
  func subscription() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.setRenewalRules(RenewalRules(gracePeriod: .standard), of: TeaShop.app)
    let original = try await shop.store.purchase(TeaShop.monthly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      .record.transactionID
    let day: Int64 = 86_400_000
    try await shop.store.changeClock(.advance(milliseconds: 32 * day))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try await shop.store.changeClock(.advance(milliseconds: 31 * day))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    try await shop.store.setAutoRenew(ofSubscription: original, isOn: false)
    try await shop.store.changeClock(.advance(milliseconds: 40 * day))
    // The recovered period begins when the renewal failed, and so does its transaction.
    #expect(
      try await history(shop) == [
        "expired", "autoRenewOff", "recovered", "gracePeriodBegan", "RENEWAL 5000", "RENEWAL 5000", "PURCHASE 5000",
      ])
  }

  @Test("D1 a share and the end of the sharing are in the member's timeline")
  func family() async throws {
    let shop = try await TeaShop.lasting()
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea drinkers"))
    }
    _ = try await shop.store.purchase(TeaShop.samovar, of: TeaShop.app, for: "ada", in: .sandbox)
    shop.clock.advance(seconds: 5)
    try await shop.store.changeCustomer("bob", .sandbox) { $0.family = nil }
    #expect(try await history(shop, of: "bob") == ["revoked FAMILY_REVOKE", "shared 0"])
    #expect(try await history(shop, of: "ada") == ["PURCHASE 24000"])
  }

  @Test("a refused or failed request is in it, unless its payment shows the refusal")
  func requests() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await refusal { _ = try await shop.quote("org.example.teahouse.none", on: phone) }
    shop.clock.advance(seconds: 1)
    try shop.store.set(Fault(AnswerLostFault(), id: "lost", count: 1))
    let quote = try await shop.quote(as: "one", on: phone)
    await #expect(throws: StoreConnectionFailure.self) { try await shop.store.confirm(quote, for: phone.id) }
    #expect(
      try await history(shop) == ["PURCHASE 1990", "request confirm noAnswer", "request quote refused"])
    shop.store.clearRequests()
    #expect(try await history(shop) == ["PURCHASE 1990"])
  }

  @Test("the pages have every event once")
  func pages() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for number in 0..<7 {
      try await shop.buy(as: PaymentID("payment \(number)"), on: phone)
      try await shop.store.refund(shop.newestTransaction().record.transactionID)
      _ = try await refusal { _ = try await shop.quote("org.example.teahouse.none", on: phone) }
      if number % 3 == 0 { shop.clock.advance(seconds: 1) }
    }
    let all = try await page(shop)
    #expect(all.events.count == 21 && !all.hasMore)
    var (events, hasMore) = ([CustomerEvent](), true)
    while hasMore {
      let next = try await page(shop, skipping: events.count, limit: 4)
      events += next.events
      hasMore = next.hasMore
    }
    #expect(events == all.events)
  }
}
