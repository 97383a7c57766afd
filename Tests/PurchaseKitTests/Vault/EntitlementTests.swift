import Foundation
import PurchaseKit
import StoreModel
import Testing

@Suite("Entitlements in a vault", .timeLimit(.minutes(30)))
struct EntitlementTests {
  private let files = TestVault()

  private func purchase(_ id: String, original: String? = nil, _ product: String = TestVault.sepia) -> PaidPurchase {
    PaidPurchase(
      transactionIdentifier: id, originalTransactionIdentifier: original, productIdentifier: product, quantity: 1,
      date: TestVault.date)
  }

  @Test(
    "D2 H2 a purchase is owned from its delivery, at every later launch, and recorded once by its original transaction")
  func delivered() async throws {
    let center = NotificationCenter()
    let changes = Counter()
    let observation = center.addObserver(
      forName: .EntitlementManagerEntitlementsChangedNotification, object: nil, queue: nil
    ) { _ in changes.increment() }
    defer { center.removeObserver(observation) }
    var vault = try files.open()
    var entitlements = try files.entitlements(vault, notifications: center)
    #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    try await entitlements.deliver(purchase("100"))
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
    #expect(try !entitlements.isEntitled(to: TestVault.noir))
    // A repeated delivery, a restore, or buying the product again changes nothing.
    try await entitlements.deliver(purchase("100"))
    try await entitlements.deliver(purchase("101", original: "100"))
    #expect(changes.count == 1)
    try vault.close()
    vault = try files.open()
    entitlements = try files.entitlements(vault)
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
    #expect(entitlements.entitlements.map(\.originalTransactionIdentifier) == ["100"])
    await #expect(throws: InAppPurchaseError.unknownProduct("other")) {
      try await entitlements.deliver(purchase("9", "other"))
    }
  }

  @Test("B9 a purchase with the identifier of another product is not taken for delivered")
  func identifierReused() async throws {
    let entitlements = try files.entitlements(try files.open())
    try await entitlements.deliver(purchase("100"))
    await #expect(
      throws: TransactionIdentifierReused(
        transactionIdentifier: "100", productIdentifier: TestVault.noir, deliveredProductIdentifier: TestVault.sepia,
        deliveredPurchaseDate: TestVault.date)
    ) {
      try await entitlements.deliver(purchase("100", TestVault.noir))
    }
    #expect(try !entitlements.isEntitled(to: TestVault.noir))
  }

  @Test(
    "D1 a refund in a newer receipt ends it, its reversal in a still newer one restores it; older receipts change nothing"
  )
  func receiptOrder() async throws {
    let vault = try files.open()
    let entitlements = try files.entitlements(vault)
    func merge(_ seconds: Double, cancelled: Bool) async throws -> Bool {
      try files.put(
        receipt: [.init(id: 100, product: TestVault.sepia, cancelled: cancelled ? TestVault.date : nil)],
        at: TestVault.date.addingTimeInterval(seconds))
      try await entitlements.merge(files.reader().receipt())
      return try entitlements.isEntitled(to: TestVault.sepia)
    }
    try await entitlements.deliver(purchase("100"))
    #expect(try await merge(10, cancelled: false))
    #expect(try await !merge(20, cancelled: true))
    #expect(try await !merge(15, cancelled: false), "older, arrived later")
    #expect(try await !merge(20, cancelled: false), "of the same second: the refund counts")
    #expect(try await merge(30, cancelled: false), "the refund was reversed")
    #expect(try await merge(25, cancelled: true))
    // The same date in the other order: the refund counts.
    #expect(try await !merge(30, cancelled: true))
  }

  @Test("D1 a refund known before its transaction: delivered later, it is refused and grants nothing")
  func refundedBeforeDelivery() async throws {
    let vault = try files.open()
    let entitlements = try files.entitlements(vault)
    try files.put(receipt: [.init(id: 100, product: TestVault.sepia, cancelled: TestVault.date)])
    try await entitlements.merge(files.reader().receipt())
    await #expect(throws: RefusedPurchase.self) { try await entitlements.deliver(purchase("100")) }
    #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    // Buying the product again after the refund creates another original transaction.
    try await entitlements.deliver(purchase("300"))
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
  }

  @Test("D1 revoked by product: all entitlements of the product end, except those that the receipt shows as valid")
  func revokedByProduct() async throws {
    let vault = try files.open()
    let entitlements = try files.entitlements(vault)
    for id in ["100", "300"] { try await entitlements.deliver(purchase(id)) }
    try await entitlements.deliver(purchase("200", TestVault.noir))
    try files.put(receipt: [
      .init(id: 100, product: TestVault.sepia, cancelled: TestVault.date), .init(id: 300, product: TestVault.sepia),
    ])
    try await entitlements.revoke(productIdentifiers: [TestVault.sepia])
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
    #expect(
      entitlements.entitlements.filter { $0.revocationDate != nil }.map(\.originalTransactionIdentifier) == ["100"])
    // Without a valid receipt, all entitlements of the product end. An older receipt does not restore them.
    try FileManager.default.removeItem(at: files.receipt)
    try await entitlements.revoke(productIdentifiers: [TestVault.sepia])
    #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    try files.put(receipt: [.init(id: 300, product: TestVault.sepia)], at: TestVault.date.addingTimeInterval(-1))
    try await entitlements.merge(files.reader().receipt())
    #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    #expect(try entitlements.isEntitled(to: TestVault.noir))
  }

  @Test("A1 a subscription has the product, the end and the revocation of one period, its newest one that counts")
  func onePeriod() async throws {
    func entitlement(_ purchases: [TestReceipt.Purchase]) async throws -> Entitlement? {
      try files.put(receipt: purchases)
      let found = try await files.reader().receipt().entitlements
      #expect(found.count == 1)
      return found.first
    }
    func period(
      _ id: UInt64, _ product: String, from later: Double, until end: Double, cancelled: Double? = nil
    ) -> TestReceipt.Purchase {
      TestReceipt.Purchase(
        id: id, original: 1, product: product, later: later, type: .autoRenewableSubscription,
        expires: TestVault.date.addingTimeInterval(end), cancelled: cancelled.map(TestVault.date.addingTimeInterval))
    }
    // The yearly plan was replaced by the monthly one, and Apple's newer receipts do not show it as cancelled.
    let upgraded = try await entitlement([
      period(1, "yearly", from: 0, until: 9_000), period(2, "monthly", from: 100, until: 1_000),
    ])
    #expect(upgraded?.productIdentifier == "monthly")
    #expect(upgraded?.expirationDate == TestVault.date.addingTimeInterval(1_000))
    // Of periods that were all revoked, the newest one has both dates.
    let revoked = try await entitlement([
      period(1, "yearly", from: 0, until: 9_000, cancelled: 500),
      period(2, "monthly", from: 100, until: 1_000, cancelled: 200),
    ])
    #expect(revoked?.productIdentifier == "monthly")
    #expect(revoked?.expirationDate == TestVault.date.addingTimeInterval(1_000))
    #expect(revoked?.revocationDate == TestVault.date.addingTimeInterval(200))
    // A period that was restored under a second id can have two ends.
    let restored = try await entitlement([
      period(1, "monthly", from: 0, until: 2_000), period(2, "monthly", from: 0, until: 1_000),
    ])
    #expect(restored?.expirationDate == TestVault.date.addingTimeInterval(2_000))
  }

  @Test("D1 A1 two subscriptions of a group, such as a relative's, give access each by itself")
  func twoOfAGroup() async throws {
    let plans: Set<String> = ["gold", "silver"]
    let clock = ManualClock(StoreDate(TestVault.date))
    let vault = try PurchaseVault(at: nil, keys: MemoryVaultKeyStore(), owner: TestVault.owner(), clock: clock)
    let entitlements = EntitlementManager(
      vault: vault, receipts: nil, productIdentifiers: [], subscriptionIdentifiers: plans)
    func end(_ seconds: Double) -> Date { TestVault.date.addingTimeInterval(seconds) }
    try files.put(receipt: [
      .init(id: 1, product: "gold", type: .autoRenewableSubscription, expires: end(1_000)),
      .init(id: 2, product: "silver", type: .autoRenewableSubscription, expires: end(2_000)),
    ])
    try await entitlements.merge(files.reader().receipt())
    #expect(try entitlements.isEntitled(to: "gold") && entitlements.isEntitled(to: "silver"))
    #expect(
      try entitlements.subscriptionState(of: plans) == .active(productIdentifier: "silver", until: end(2_000)))
    clock.set(StoreDate(end(1_500)))
    #expect(try !entitlements.isEntitled(to: "gold"))
    // The relative's subscription is refunded.
    try files.put(
      receipt: [
        .init(id: 1, product: "gold", type: .autoRenewableSubscription, expires: end(1_000)),
        .init(id: 2, product: "silver", type: .autoRenewableSubscription, expires: end(2_000), cancelled: end(1_500)),
      ], at: end(1_500))
    try await entitlements.merge(files.reader().receipt())
    #expect(try !entitlements.isEntitled(to: "silver"))
    #expect(
      try entitlements.subscriptionState(of: plans) == .expired(productIdentifier: "gold", since: end(1_000)))
  }

  @Test("E1 a receipt rebuilds restorable types only, never consumables")
  func restorableKinds() async throws {
    let vault = try files.open()
    try files.put(receipt: [
      .init(id: 1, product: TestVault.noir, type: .consumable),
      .init(id: 2, product: TestVault.noir, type: .nonRenewingSubscription),
      .init(id: 3, product: TestVault.sepia),
    ])
    let entitlements = try files.entitlements(vault)
    #expect(try await entitlements.rebuild(from: files.reader()).map(\.originalTransactionIdentifier) == ["3"])
    #expect(try !entitlements.isEntitled(to: TestVault.noir))
  }

  @Test("F1 a clock that is set back extends no subscription, also after a launch or a loss of the file")
  func clockBack() async throws {
    let end = TestVault.date.addingTimeInterval(3600)
    try files.put(receipt: [.init(id: 1, product: TestVault.magazine, type: .autoRenewableSubscription, expires: end)])
    let clock = ManualClock(StoreDate(TestVault.date))
    func launch() throws -> (PurchaseVault, EntitlementManager) {
      let vault = try PurchaseVault(
        at: files.file, keys: FileVaultKeyStore(directory: files.keyFolder), owner: TestVault.owner(),
        clock: clock)
      return (vault, try files.entitlements(vault))
    }
    var (vault, entitlements) = try launch()
    try await entitlements.deliver(purchase("1", TestVault.magazine))
    #expect(try entitlements.isEntitled(to: TestVault.magazine))
    clock.set(StoreDate(end))
    #expect(try !entitlements.isEntitled(to: TestVault.magazine))
    clock.set(StoreDate(TestVault.date))
    #expect(try !entitlements.isEntitled(to: TestVault.magazine))
    try vault.close()
    (vault, entitlements) = try launch()
    #expect(try !entitlements.isEntitled(to: TestVault.magazine))
    try vault.close()
    try FileManager.default.removeItem(at: files.file)
    (vault, entitlements) = try launch()
    try await entitlements.rebuild(from: files.reader())
    #expect(try !entitlements.isEntitled(to: TestVault.magazine))
    // After a renewal, the receipt has another period of the same original, and the subscription is active again.
    try files.put(
      receipt: [
        .init(id: 1, product: TestVault.magazine, type: .autoRenewableSubscription, expires: end),
        .init(
          id: 2, original: 1, product: TestVault.magazine, type: .autoRenewableSubscription,
          expires: end.addingTimeInterval(3600)),
      ], at: end)
    try await entitlements.merge(files.reader().receipt())
    #expect(try entitlements.isEntitled(to: TestVault.magazine))
  }

  @Test("F1 the receipt's own date counts as time that has passed")
  func receiptDateIsSeen() async throws {
    let vault = try files.open()
    let later = TestVault.date.addingTimeInterval(86_400)
    try files.put(receipt: [.init(id: 100, product: TestVault.sepia)], at: later)
    try await files.entitlements(vault).merge(files.reader().receipt())
    #expect(try vault.date() == later)
  }

  @Test("A1 a group's state is unknown until a receipt was read, then none, active, expired or revoked")
  func subscriptionState() async throws {
    let clock = ManualClock(StoreDate(TestVault.date))
    let vault = try PurchaseVault(
      at: files.file, keys: FileVaultKeyStore(directory: files.keyFolder), owner: TestVault.owner(), clock: clock)
    let entitlements = try files.entitlements(vault)
    let end = TestVault.date.addingTimeInterval(3600)
    func state() throws -> SubscriptionState { try entitlements.subscriptionState(of: [TestVault.magazine]) }
    func read(_ seconds: Double, cancelled: Date? = nil, lists: Bool = true) async throws {
      let period = TestReceipt.Purchase(
        id: 1, product: TestVault.magazine, type: .autoRenewableSubscription, expires: end, cancelled: cancelled)
      try files.put(receipt: lists ? [period] : [], at: TestVault.date.addingTimeInterval(seconds))
      try await entitlements.merge(files.reader().receipt())
    }
    #expect(try state() == .unknown)
    try await entitlements.readReceipt()
    #expect(try state() == .unknown, "there is no receipt")
    try await read(1, lists: false)
    #expect(try state() == .none)
    try await read(2)
    #expect(try state() == .active(productIdentifier: TestVault.magazine, until: end))
    clock.set(StoreDate(end))
    #expect(try state() == .expired(productIdentifier: TestVault.magazine, since: end))
    try await read(3, cancelled: TestVault.date)
    #expect(try state() == .revoked(productIdentifier: TestVault.magazine, since: TestVault.date))
    #expect(try entitlements.subscriptionState(of: ["another group"]) == .none)
  }

  @Test("a subscription that the receipt does not show is not delivered, and is redelivered")
  func subscriptionWithoutReceipt() async throws {
    let entitlements = try files.entitlements(files.open())
    await #expect(throws: ReceiptError.missing) { try await entitlements.deliver(purchase("1", TestVault.magazine)) }
    try files.put(receipt: [.init(id: 100, product: TestVault.sepia)])
    await #expect(throws: ReceiptError.notListed(productIdentifier: TestVault.magazine)) {
      try await entitlements.deliver(purchase("1", TestVault.magazine))
    }
    #expect(try !entitlements.isEntitled(to: TestVault.magazine))
  }

  private final class Counter: Sendable {
    private let number = LockedValue(0)
    var count: Int { number.value }
    func increment() { number.withLock { $0 += 1 } }
  }
}
