import GRDB
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests what a customer sees and changes in the settings of a device.
@Suite("Subscriptions in a device's settings", .timeLimit(.minutes(30)))
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
    try await shop.store.serve("org.example.other", catalog: [TeaShop.file([])])
    let otherApp = try await shop.phone("the same customer's", app: "org.example.other")
    let before = try await shop.records()
    for installation in [other.id, otherApp.id] {
      #expect(try await shop.store.subscriptions(for: installation).subscriptions.isEmpty)
      #expect(
        try await refusal { try await shop.store.changeSubscription(id, .autoRenew(isOn: false), for: installation) }
          == .unknownTransaction)
    }
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

  @Test("A1 C6 the settings, the statuses and a proof of an app read no subscription of the customer's other apps")
  func otherApps() async throws {
    let (shop, phone, id) = try await subscribed()
    for number in 1...3 { try await shop.buy(as: PaymentID("\(number)"), on: phone) }
    // Rows of other apps, which cannot be read.
    try await shop.store.database.write { work in
      try work.database.execute(
        sql: """
          INSERT INTO subscription
            (originalTransactionID, environment, bundleID, account, groupID, currentTransactionID, state, revision)
          SELECT transactionID, environment, 'app ' || sequence, account, 'club', transactionID, '{}', 0
          FROM transactionRecord WHERE productID = ?
          """, arguments: [TeaShop.oolong.rawValue])
      #expect(work.database.changesCount == 3)
    }
    #expect(
      try await shop.store.subscriptions(for: phone.id).subscriptions.map(\.originalTransactionID) == [id])
    #expect(try await shop.store.proofBasis(of: id).subscriptions.map(\.originalTransactionID) == [id])
    let scope = Scope(account: TeaShop.customer, bundleID: TeaShop.app, environment: .sandbox)
    #expect(
      try await shop.store.database.read { try $0.customerSubscriptions(of: scope).map(\.row.originalTransactionID) }
        == [id])
    // The same of all apps reads them.
    await #expect(throws: (any Error).self) {
      try await shop.store.subscriptions(of: TeaShop.customer, in: .sandbox)
    }
    let plan = try await shop.store.database.read {
      try Row.fetchAll(
        $0.database, sql: "EXPLAIN QUERY PLAN \(SubscriptionRecords.ofScopeSQL)", arguments: scope.arguments
      ).map { $0["detail"] as String }
    }
    #expect(plan.first?.contains("(account=? AND bundleID=? AND environment=?)") == true, "\(plan)")
  }
}
