import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests the original transactions of shared subscriptions: one for each purchaser whose subscription a member shares.
@Suite("Shares of several relatives' subscriptions", .timeLimit(.minutes(30)))
struct ShareChainTests {
  private static let gold: ProductID = "gold"
  private static let silver: ProductID = "silver"
  private static let secret: ProductID = "secret"
  private static let day: Int64 = 86_400

  /// A shop with three plans of a group; families share gold and silver. Ada, Bob and Cleo are a family.
  private func shop(_ rules: RenewalRules = RenewalRules()) async throws -> TeaShop {
    let shop = try await TeaShop()
    func plan(_ id: ProductID, level: Int, isShared: Bool) -> ProductDefinition {
      ProductDefinition(
        productID: id, type: .autoRenewableSubscription, price: Milliunits(5_000), isFamilyShareable: isShared,
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: level, period: CalendarPeriod(value: 1, unit: .month), offers: []))
    }
    try await shop.sell([
      plan(Self.gold, level: 1, isShared: true), plan(Self.silver, level: 2, isShared: true),
      plan(Self.secret, level: 3, isShared: false),
    ])
    try await shop.store.setRenewalRules(rules, of: TeaShop.app)
    for name in ["ada", "bob", "cleo"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea"))
    }
    return shop
  }

  @discardableResult
  private func buy(_ product: ProductID, for name: AccountName, in shop: TeaShop) async throws -> TransactionID {
    try await shop.store.purchase(product, of: TeaShop.app, for: name, in: .sandbox).record.transactionID
  }

  /// Buys a plan while the customer is not in the family, and so has no share of the group.
  private func buyOutside(_ product: ProductID, for name: AccountName, in shop: TeaShop) async throws {
    try await move(name, to: nil, in: shop)
    try await buy(product, for: name, in: shop)
    try await move(name, to: "tea", in: shop)
  }

  /// The shares of Cleo, oldest first.
  private func shares(in shop: TeaShop) async throws -> [TransactionRecord] {
    try await shop.store.transactions(RecordFilter(account: "cleo")).filter { $0.sharedTransactionID != nil }
      .sorted { $0.sequence < $1.sequence }.map(\.record)
  }

  /// The products that Cleo owns now.
  private func owned(in shop: TeaShop) async throws -> [ProductID] {
    let found = try await shop.store.entitlements(of: "cleo", .sandbox, limit: 100)
    return (found.transactions.map(\.record.productID) + found.subscriptions.map(\.productID)).sorted {
      $0.rawValue < $1.rawValue
    }
  }

  private func move(_ name: AccountName, to family: String?, in shop: TeaShop) async throws {
    try await shop.store.changeCustomer(name, .sandbox) { $0.family = family }
  }

  private func answer(in shop: TeaShop) async throws -> VerifyReceiptAnswer {
    let phone = try await shop.phone("cleo's", signedInAs: "cleo")
    return try await VerifyReceiptAnswer(
      shop, try await shop.store.refreshReceipt(for: phone.id),
      password: try await shop.store.app(TeaShop.app).sharedSecret)
  }

  @Test("D1 H2 two relatives' subscriptions of a group are shares with two original transactions, and end separately")
  func twoPurchasers() async throws {
    let shop = try await shop()
    let ada = try await buy(Self.gold, for: "ada", in: shop)
    shop.clock.advance(seconds: 10 * Self.day)
    try await buyOutside(Self.silver, for: "bob", in: shop)
    let first = try await shares(in: shop)
    #expect(first.map(\.productID) == [Self.gold, Self.silver])
    #expect(first.map(\.originalTransactionID) == first.map(\.transactionID))
    #expect(first.map(\.originalPurchaseDate) == first.map(\.purchaseDate))

    // Both renew, each with its own original transaction.
    shop.clock.advance(seconds: 31 * Self.day)
    let renewed = try await shares(in: shop)
    #expect(renewed.count == 4)
    for product in [Self.gold, Self.silver] {
      let periods = renewed.filter { $0.productID == product }
      #expect(Set(periods.map(\.originalTransactionID)) == [periods[0].transactionID])
      #expect(periods.map(\.reason) == [.purchase, .renewal])
    }
    #expect(try await owned(in: shop) == [Self.gold, Self.silver])
    let pending = try await answer(in: shop).pending
    #expect(Set(pending.map { $0["original_transaction_id"] }) == Set(first.map(\.originalTransactionID.rawValue)))
    #expect(pending.map { $0["auto_renew_status"] } == ["1", "1"])

    let current = try await shop.store.subscription(ada).currentTransactionID
    try await shop.store.refund(current)
    #expect(try await owned(in: shop) == [Self.silver])
  }

  @Test("D1 a share goes on as the same one after renewals, upgrades, refunds, an end, and a return to the family")
  func oneChain() async throws {
    let shop = try await shop()
    let ada = try await buy(Self.silver, for: "ada", in: shop)
    shop.clock.advance(seconds: 35 * Self.day)
    try await buy(Self.gold, for: "ada", in: shop)
    try await move("cleo", to: nil, in: shop)
    #expect(try await owned(in: shop).isEmpty)
    shop.clock.advance(seconds: 1)
    try await move("cleo", to: "tea", in: shop)
    #expect(try await owned(in: shop) == [Self.gold])
    let current = try await shop.store.subscription(ada).currentTransactionID
    try await shop.store.refund(current)
    #expect(try await owned(in: shop).isEmpty)
    try await shop.store.reverseRefund(of: current)
    #expect(try await owned(in: shop) == [Self.gold])
    try await shop.store.setAutoRenew(ofSubscription: ada, isOn: false)
    shop.clock.advance(seconds: 40 * Self.day)
    #expect(try await owned(in: shop).isEmpty)
    try await buy(Self.silver, for: "ada", in: shop)
    #expect(try await owned(in: shop) == [Self.silver])
    let all = try await shares(in: shop)
    #expect(all.map(\.productID) == [Self.silver, Self.silver, Self.gold, Self.gold, Self.gold, Self.silver])
    #expect(Set(all.map(\.originalTransactionID)) == [all[0].transactionID])
    #expect(Set(all.map(\.originalPurchaseDate)) == [all[0].purchaseDate])
    #expect(Set(all.map(\.webOrderLineItemID)).count == all.count)
  }

  @Test("D1 of two relatives' subscriptions to the same plan, the later one remains when the earlier one ends")
  func samePlan() async throws {
    let shop = try await shop()
    let ada = try await buy(Self.gold, for: "ada", in: shop)
    shop.clock.advance(seconds: 10 * Self.day)
    try await buyOutside(Self.gold, for: "bob", in: shop)
    try await shop.store.setAutoRenew(ofSubscription: ada, isOn: false)
    // Ada's period has ended, and Bob's has not renewed yet.
    shop.clock.advance(seconds: 25 * Self.day)
    #expect(try await owned(in: shop) == [Self.gold])
    #expect(Set(try await shares(in: shop).map(\.originalTransactionID)).count == 2)
  }

  @Test("D1 a revoked share is no loss for a member who owns the product otherwise: only the receipt is fetched")
  func noLoss() async throws {
    let shop = try await shop()
    try await move("cleo", to: nil, in: shop)
    try await buy(Self.gold, for: "cleo", in: shop)
    let ada = try await buy(Self.gold, for: "ada", in: shop)
    let phone = try await shop.phone("cleo's", signedInAs: "cleo")
    try await move("cleo", to: "tea", in: shop)
    let received = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).cursor
    try await shop.store.refund(ada)
    let changes = try await shop.store.changes(after: received, waitSeconds: 0, for: phone.id).changes
    #expect(changes == [StoreChange(.entitlementsRevoked)])
    #expect(try await owned(in: shop) == [Self.gold])
  }

  @Test("A1 the purchaser's grace period gives the share access; without the family, verifyReceipt shows no renewal")
  func gracePeriod() async throws {
    let shop = try await shop(RenewalRules(gracePeriod: .standard))
    try await buy(Self.gold, for: "ada", in: shop)
    try await shop.store.changeCustomer("ada", .sandbox) { $0.paymentMethod = .declined }
    shop.clock.advance(seconds: 33 * Self.day)
    let share = try #require(try await shares(in: shop).first)
    let found = try await shop.store.entitlements(of: "cleo", .sandbox, limit: 100)
    #expect(found.transactions.map(\.record.transactionID) == [share.transactionID])
    #expect(found.graceEnds == [share.transactionID: try #require(share.expiresDate).adding(seconds: 16 * Self.day)])
    let inGrace = try #require(try await answer(in: shop).pending.first)
    #expect(inGrace["auto_renew_status"] == "1" && inGrace["grace_period_expires_date_ms"] != nil)

    try await move("cleo", to: nil, in: shop)
    #expect(try await owned(in: shop).isEmpty)
    let outside = try #require(try await answer(in: shop).pending.first)
    #expect(outside["auto_renew_status"] == "0" && outside["expiration_intent"] == "1")
    #expect(outside["is_in_billing_retry_period"] == nil && outside["grace_period_expires_date_ms"] == nil)
  }

  @Test("A1 a purchaser who changes to a plan that is not shared says nothing more about the share that ended")
  func unsharedPlan() async throws {
    let shop = try await shop()
    try await buy(Self.gold, for: "ada", in: shop)
    try await buy(Self.secret, for: "ada", in: shop)
    shop.clock.advance(seconds: 33 * Self.day)
    #expect(try await owned(in: shop).isEmpty)
    let pending = try #require(try await answer(in: shop).pending.first)
    #expect(pending["product_id"] == Self.gold.rawValue && pending["auto_renew_product_id"] == Self.gold.rawValue)
    #expect(pending["auto_renew_status"] == "0" && pending["expiration_intent"] == "1")
  }

  @Test("D1 leaving the family revokes what gives access; periods that have ended stay in the history as they are")
  func history() async throws {
    let shop = try await shop()
    try await buy(Self.gold, for: "ada", in: shop)
    shop.clock.advance(seconds: 100 * Self.day)
    try await move("cleo", to: nil, in: shop)
    #expect(try await shares(in: shop).map { $0.revocationDate == nil } == [true, true, true, false])
  }

  @Test("a share of an earlier version, whose original transaction is another purchaser's, begins anew at its renewal")
  func combined() async throws {
    let shop = try await shop()
    try await buy(Self.gold, for: "ada", in: shop)
    try await buyOutside(Self.silver, for: "bob", in: shop)
    // The version before gave both shares the original transaction of the first.
    try await shop.store.database.write { work in
      let all = "SELECT transactionID FROM transactionRecord WHERE account = 'cleo' ORDER BY sequence"
      let ids = try String.fetchAll(work.database, sql: all)
      try work.database.execute(
        sql: "UPDATE transactionRecord SET originalTransactionID = ? WHERE transactionID = ?",
        arguments: [ids[0], ids[1]])
    }
    shop.clock.advance(seconds: 65 * Self.day)
    let all = try await shares(in: shop)
    let (gold, silver) = (all.filter { $0.productID == Self.gold }, all.filter { $0.productID == Self.silver })
    #expect(gold.map(\.originalTransactionID) == Array(repeating: gold[0].transactionID, count: 3))
    #expect(
      silver.map(\.originalTransactionID) == [gold[0].transactionID, silver[1].transactionID, silver[1].transactionID])
  }

  @Test("a family has at most six members; a seventh is refused, and nothing changes")
  func full() async throws {
    let shop = try await shop()
    for name in ["dan", "eve", "finn"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea"))
    }
    try await buy(Self.gold, for: "ada", in: shop)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "gus"))
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.familyFull("tea")) { try await move("gus", to: "tea", in: shop) }
    await #expect(throws: AppStoreEmulatorError.familyFull("tea")) {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "hal", family: "tea"))
    }
    #expect(try await shop.records() == before)
    // Families of other environments have members of their own.
    try await shop.store.addCustomer(Customer(environment: .production, name: "hal", family: "tea"))
  }
}
