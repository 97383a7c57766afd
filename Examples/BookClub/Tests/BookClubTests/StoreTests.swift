import Foundation
import PurchaseTesting
import StoreKit
import StoreKitTest
import Testing

@testable import BookClub

// Each test has a current device of its own, so that they can run at the same time.
@MainActor @Suite("BookClub", .isolatedStore, .timeLimit(.minutes(5)))
struct StoreTests {
  let appStore: TestStore
  let device: TestDevice
  let ledger = CreditLedger()

  init() async throws {
    let file = try #require(Bundle.module.url(forResource: "BookClub", withExtension: "storekit"))
    appStore = try await TestStore(file, bundleID: "com.example.bookclub")
    device = try TestDevice(appStore, observesQueue: false)
  }

  /// Launches the app.
  private func launched() async throws -> Store {
    let store = Store(ledger: ledger)
    try await store.load()
    return store
  }

  private func product(_ id: Product.ID, of store: Store) throws -> Product {
    try #require((store.books + store.credits + store.memberships).first { $0.id == id })
  }

  @Test func products() async throws {
    let store = try await launched()
    #expect(store.books.map(\.displayName) == ["Novel", "Atlas"])
    #expect(store.books.map(\.displayPrice) == ["$9.99", "$19.99"])
    #expect(store.memberships.map(\.id) == [Catalog.reader, Catalog.patron])
    #expect(store.memberships.first?.subscription?.subscriptionPeriod == .monthly)
  }

  @Test func purchase() async throws {
    let store = try await launched()
    let novel = try product(Catalog.novel, of: store)
    let transaction = try #require(try await store.purchase(novel))
    #expect(transaction.productID == Catalog.novel && transaction.price == Decimal(string: "9.99"))
    #expect(store.isPurchased(novel))
    #expect(try await appStore.appStore.charges().map(\.amount) == [Milliunits(9_990)])
  }

  @Test func consumable() async throws {
    let store = try await launched()
    let credit = try product(Catalog.credit, of: store)
    try await store.purchase(credit, options: [.quantity(3)])
    #expect(ledger.balance == 3)
    try await store.purchase(credit)
    #expect(ledger.balance == 4)
  }

  @Test func cancelledSheet() async throws {
    let store = try await launched()
    device.customer.confirms = false
    #expect(try await store.purchase(product(Catalog.novel, of: store)) == nil)
    #expect(store.purchasedBooks.isEmpty)
    #expect(try await appStore.appStore.charges().isEmpty)
  }

  @Test(arguments: [true, false]) func askToBuy(isApproved: Bool) async throws {
    let store = try await launched()
    try await appStore.setAskToBuy(true)
    #expect(try await store.purchase(product(Catalog.novel, of: store)) == nil)
    #expect(store.purchasedBooks.isEmpty)
    try await appStore.decidePendingApprovals(isApproved: isApproved)
    if isApproved {
      try await until { store.purchasedBooks == [Catalog.novel] }
      try await until { await unfinished() == 0 }
    } else {
      try await appStore.setAskToBuy(false)
      // The declined purchase does not come back with the next one.
      try await store.purchase(product(Catalog.atlas, of: store))
      #expect(store.purchasedBooks == [Catalog.atlas])
    }
  }

  @Test func refund() async throws {
    let store = try await launched()
    try await store.purchase(product(Catalog.novel, of: store))
    #expect(store.purchasedBooks == [Catalog.novel])
    try await appStore.refund(ProductID(Catalog.novel))
    try await until { store.purchasedBooks.isEmpty }
  }

  @Test func refundOfCredits() async throws {
    let store = try await launched()
    try await store.purchase(product(Catalog.credit, of: store), options: [.quantity(3)])
    #expect(ledger.balance == 3)
    try await appStore.refund(ProductID(Catalog.credit))
    try await until { ledger.balance == 0 }
  }

  @Test func renewal() async throws {
    let store = try await launched()
    let first = try #require(try await store.purchase(product(Catalog.reader, of: store)))
    #expect(store.membership == Catalog.reader && store.membershipState == .subscribed && store.willRenew)
    try await appStore.renew()
    try await until { await latest(Catalog.reader)?.id != first.id }
    let renewed = try #require(await latest(Catalog.reader))
    #expect(renewed.originalID == first.id && renewed.reason == .renewal)
    try await until { await unfinished() == 0 }
    #expect(store.membership == Catalog.reader)
  }

  @Test func upgrade() async throws {
    let store = try await launched()
    try await store.purchase(product(Catalog.reader, of: store))
    try await store.purchase(product(Catalog.patron, of: store))
    #expect(store.membership == Catalog.patron)
  }

  @Test func expiry() async throws {
    let store = try await launched()
    let first = try #require(try await store.purchase(product(Catalog.reader, of: store)))
    try await device.storeKit.changeSubscription(TransactionID(first.id), .autoRenew(isOn: false))
    await store.updateCustomerProductStatus()
    #expect(store.membership == Catalog.reader && !store.willRenew)
    try await appStore.renew()
    await store.updateCustomerProductStatus()
    #expect(store.membership == nil && store.membershipState == .expired)
  }

  @Test func secondDevice() async throws {
    let store = try await launched()
    try await store.purchase(product(Catalog.novel, of: store))

    let tablet = try TestDevice(appStore, observesQueue: false)
    // The account of the device is signed in, so no restore is necessary.
    let tabletStore = try await launched()
    #expect(tabletStore.purchasedBooks == [Catalog.novel])
    #expect(try await appStore.appStore.charges().count == 1)
    _ = tablet
  }

  @Test func restore() async throws {
    let store = try await launched()
    try await store.purchase(product(Catalog.novel, of: store))

    let tablet = try TestDevice(appStore, observesQueue: false)
    let tabletStore = Store(ledger: CreditLedger())
    try await tabletStore.restore()
    #expect(tabletStore.purchasedBooks == [Catalog.novel])
    _ = tablet
  }

  @Test func crash() async throws {
    // The app ends after StoreKit has returned the transaction, and before the app has stored anything.
    let credit = try #require(try await Product.products(for: [Catalog.credit]).first)
    guard case .success(.verified(let bought)) = try await credit.purchase() else {
      Issue.record("the purchase has failed")
      return
    }
    try await device.relaunch()

    let store = try await launched()
    try await until { await unfinished() == 0 }
    #expect(ledger.balance == 1)
    #expect(try await appStore.appStore.charges().count == 1)
    #expect(bought.productID == Catalog.credit)
    _ = store
  }

  @Test func wrongSignature() async throws {
    let store = try await launched()
    let novel = try product(Catalog.novel, of: store)
    _ = try appStore.appStore.set(Fault(WrongSignatureFault(), id: "forger"))
    await #expect(throws: Store.Failure.failedVerification) { try await store.purchase(novel) }
    #expect(!store.isPurchased(novel))
    try appStore.appStore.removeFault("forger")
    // The customer was charged, so the genuine transaction arrives.
    try await until { store.purchasedBooks == [Catalog.novel] }
    #expect(try await appStore.appStore.charges().count == 1)
  }

  // MARK: Helpers

  private func unfinished() async -> Int {
    var count = 0
    for await _ in StoreKit.Transaction.unfinished { count += 1 }
    return count
  }

  private func latest(_ product: Product.ID) async -> StoreKit.Transaction? {
    await StoreKit.Transaction.latest(for: product)?.unsafePayloadValue
  }

  /// Returns when a condition holds. The app receives updates in a task of its own.
  private func until(_ condition: @MainActor () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while await !condition() {
      try #require(ContinuousClock.now < end, "the app has not reacted in time")
      await Task.yield()
    }
  }
}
