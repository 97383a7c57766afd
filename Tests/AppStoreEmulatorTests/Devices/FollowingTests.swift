import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

/// A device that follows its customer's records learns of each change of them, and of nothing else.
@Suite("Following a customer's records", .timeLimit(.minutes(30)))
struct FollowingTests {
  private static let start = ChangeCursor(rawValue: 0)

  /// The end of all pages with statuses.
  private func revision(_ shop: TeaShop, _ phone: Phone) async throws -> StoreRevision {
    var page: TransactionChanges
    var last: StoreRevision?
    repeat {
      page = try await shop.store.transactions(after: last, withStatuses: true, for: phone.id)
      last = page.revision
    } while page.hasMore
    return page.revision
  }

  private func haveChanged(
    _ shop: TeaShop, _ phone: Phone, after revision: StoreRevision?
  ) async throws -> Bool? {
    try await shop.store.changes(
      after: Self.start, waitSeconds: 0, follows: TransactionFollowing(after: revision), for: phone.id
    ).transactionsHaveChanged
  }

  /// A change of the records of the shop's customer, or of another customer.
  private struct Change: CustomTestStringConvertible, Sendable {
    let name: String
    var isOfCustomer = true
    let make: @Sendable (TeaShop) async throws -> Void
    var testDescription: String { name }
  }

  private static let changes: [Change] = [
    Change(name: "a purchase on another device") { shop in
      try await shop.buy(TeaShop.sencha, as: "new", on: try await shop.phone("tablet"))
    },
    Change(name: "a purchase outside the app") { try await $0.order(TeaShop.oolong) },
    Change(name: "a refund of a finished consumable") { try await $0.store.refund($0.newestID(TeaShop.oolong)) },
    Change(name: "renewal is turned off") {
      try await $0.store.setAutoRenew(ofSubscription: $0.newestID(TeaShop.monthly), isOn: false)
    },
    Change(name: "a renewal") { try await $0.advance(days: 32) },
    Change(name: "a renewal that fails") { shop in
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
      try await shop.advance(days: 32)
    },
    Change(name: "an extension") { shop in
      let id = try await shop.newestID(TeaShop.monthly)
      let end = try await shop.store.subscription(id).periodEnd
      try await shop.store.changeSubscription(id, by: [.extend(to: end.adding(seconds: 86_400))])
    },
    Change(name: "a relative's share") { shop in
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = "tea" }
      try await shop.order(TeaShop.yearly, for: "ada")
    },
    Change(name: "another customer's purchase", isOfCustomer: false) { shop in
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
      try await shop.order(TeaShop.yearly, for: "ada")
    },
    Change(name: "a purchase in the other environment", isOfCustomer: false) { shop in
      try await shop.order(TeaShop.oolong, in: .production)
    },
    Change(name: "a finish", isOfCustomer: false) { shop in
      try await shop.store.finish(shop.newestID(TeaShop.teapot), for: shop.phone().id)
    },
    Change(name: "a redelivery", isOfCustomer: false) { shop in
      try await shop.buy(TeaShop.teapot, as: "again", on: try await shop.phone("tablet"))
    },
    Change(name: "a changed storefront", isOfCustomer: false) { shop in
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "DEU" }
    },
  ]

  /// A shop whose customer has a finished consumable, an unfinished non-consumable and a subscription.
  private func shop() async throws -> (TeaShop, Phone) {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    for product in [TeaShop.oolong, TeaShop.teapot, TeaShop.monthly] {
      try await shop.buy(product, as: PaymentID(product.rawValue), on: phone)
    }
    try await shop.store.finish(shop.newestID(TeaShop.oolong), for: phone.id)
    return (shop, phone)
  }

  @Test("a change of the customer's records is reported until the device has a later revision", arguments: changes)
  private func reported(change: Change) async throws {
    let (shop, phone) = try await shop()
    let before = try await revision(shop, phone)
    #expect(try await haveChanged(shop, phone, after: before) == false)
    try await change.make(shop)
    #expect(try await haveChanged(shop, phone, after: before) == change.isOfCustomer)
    let after = try await revision(shop, phone)
    #expect(change.isOfCustomer == false || after.number > before.number)
    #expect(try await haveChanged(shop, phone, after: after) == false)
  }

  @Test("a waiting call is answered by such a change, and by a change for the installation; others leave it waiting")
  func wakes() async throws {
    let (shop, phone) = try await shop()
    let (store, before) = (shop.store, try await revision(shop, phone))
    let following = TransactionFollowing(after: before)
    let cursor = try await store.changes(after: Self.start, waitSeconds: 0, for: phone.id).cursor
    async let purchase = store.changes(after: cursor, waitSeconds: 60, follows: following, for: phone.id)
    try await store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    try await shop.order(TeaShop.yearly, for: "ada")
    try await shop.buy(TeaShop.sencha, as: "new", on: shop.phone("tablet"))
    let news = try await purchase
    #expect(news == DeviceChanges(changes: [], cursor: cursor, transactionsHaveChanged: true))
    let next = TransactionFollowing(after: try await revision(shop, phone))
    async let promoted = store.changes(after: cursor, waitSeconds: 60, follows: next, for: phone.id)
    try await store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    #expect(try await promoted.changes == [StoreChange(.promotedPurchase, productIDs: [TeaShop.sencha])])
    #expect(try await promoted.transactionsHaveChanged == false)
  }

  @Test("a call that does not follow the records is not woken by them, and has no such member")
  func withoutFollowing() async throws {
    let (shop, phone) = try await shop()
    let wakes = shop.store.database.deviceChanges.count
    try await shop.buy(TeaShop.sencha, as: "new", on: shop.phone("tablet"))
    #expect(shop.store.database.deviceChanges.count == wakes)
    let answer = try await shop.store.changes(after: Self.start, waitSeconds: 0, for: phone.id)
    #expect(answer.transactionsHaveChanged == nil)
    let json = String(decoding: try DeviceAPI.encoder().encode(answer), as: UTF8.self)
    #expect(!json.contains("transactionsHaveChanged"))
  }

  @Test("no revision, and one of another epoch, count as changed at once; without a customer, nothing has changed")
  func withoutRevision() async throws {
    let (shop, phone) = try await shop()
    let before = try await revision(shop, phone)
    #expect(try await haveChanged(shop, phone, after: nil) == true)
    try await shop.store.restore(try await shop.store.snapshot())
    let again = try await shop.phone("again")
    #expect(try await haveChanged(shop, again, after: before) == true)
    try await shop.store.signOut(on: again.id)
    for revision in [before, nil] { #expect(try await haveChanged(shop, again, after: revision) == false) }
  }

  @Test("a reset and a restored snapshot wake the device, which learns that it must register again")
  func epochs() async throws {
    let (shop, phone) = try await shop()
    let (store, before) = (shop.store, try await revision(shop, phone))
    let count = store.database.recordChanges.count
    let answer = Task {
      try await store.changes(
        after: Self.start, waitSeconds: 60, follows: TransactionFollowing(after: before), for: phone.id)
    }
    try await store.reset()
    #expect(store.database.recordChanges.count == count + 1)
    #expect(try await refusal { _ = try await answer.value } == .unknownInstallation)
  }

  @Test("the queries read indexes, and not all rows of the customer")
  func plans() async throws {
    let (shop, _) = try await shop()
    let scope = Scope(account: TeaShop.customer, bundleID: TeaShop.app, environment: .sandbox)
    func plan(_ sql: String) async throws -> [String] {
      try await shop.store.database.read {
        try Row.fetchAll($0.database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: scope.arguments)
          .map { $0["detail"] as String }
      }
    }
    let newest = try await plan(StoreUnitOfWork.lastTransactionSQL)
    #expect(newest.count == 1 && newest[0].contains("transactionRecordRevised (account=?"), "\(newest)")
    let subscriptions = try await plan(StoreUnitOfWork.lastSubscriptionSQL)
    let scans = subscriptions.filter { $0.contains("SCAN subscription") || $0.contains("SCAN member") }
    #expect(scans.isEmpty, "\(subscriptions)")
    let shares = try await plan(StoreUnitOfWork.lastSharesSQL)
    #expect(shares.contains { $0.contains("transactionRecordSharedPeriod (account=?") }, "\(shares)")
  }
}

extension TeaShop {
  /// The id of the newest purchase of a product.
  fileprivate func newestID(_ product: ProductID) async throws -> TransactionID {
    try await newest(product).record.transactionID
  }
}
