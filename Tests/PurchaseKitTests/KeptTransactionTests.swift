import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@Suite("Paid purchases that cannot be delivered yet", .timeLimit(.minutes(30)))
struct KeptTransactionTests {
  @Test(
    "B7 a paid product that this version does not know is kept and reported, and delivered once by a later version",
    arguments: StoreInterface.allCases)
  func laterVersion(_ storeKit: StoreInterface) async throws {
    var shop = try await TestShop(storeKit)
    shop.manager.start()
    try await shop.buyUnknown()
    let kept = try #require(shop.manager.keptTransactions.first)
    #expect(kept.transaction.productIdentifier == TestShop.unknown)
    #expect(kept.error as? InAppPurchaseError == .unknownProduct(TestShop.unknown))
    #expect(await shop.manager.deliverKept().count == 1)

    // After a launch of the same version, the transaction comes again and is still not finished.
    shop = try await shop.relaunched()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionKeptNotification)
    shop.manager.start()
    #expect(await log.next()?.error as? InAppPurchaseError == .unknownProduct(TestShop.unknown))
    #expect(shop.device.openPaymentCount == 1)

    shop = try await shop.relaunched(creditsForProduct: [TestShop.unknown: 100])
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    shop.manager.start()
    #expect(await succeeded.next()?.transaction?.productIdentifier == TestShop.unknown)
    #expect(try shop.credits.balance == 100)
    #expect(shop.manager.keptTransactions.isEmpty)

    await shop.untilAllIsFinished()
    shop = try await shop.relaunched(creditsForProduct: [TestShop.unknown: 100])
    shop.manager.start()
    #expect(shop.device.openPaymentCount == 0)
    #expect(try shop.credits.balance == 100)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test(
    "B7 a kept transaction is delivered in the same run when a delivery for its product is registered",
    arguments: StoreInterface.allCases)
  func registered(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit)
    shop.manager.start()
    try await shop.buyUnknown()
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    let (other, later) = (try credits(for: "com.example.other"), try credits(for: TestShop.unknown))
    shop.manager.register(other)
    shop.manager.register(later)
    #expect(await succeeded.next()?.transaction?.productIdentifier == TestShop.unknown)
    #expect(try later.balance == 100)
    #expect(try other.balance == 0)
    #expect(shop.manager.keptTransactions.isEmpty)
    await shop.untilAllIsFinished()
    try await shop.close()
  }

  @Test("B7 a delivery that is registered at the moment when none was found is still used")
  func registeredMeanwhile() async throws {
    let shop = try await TestShop()
    let later = try credits(for: TestShop.unknown)
    let nosy = RegistersAnother(later)
    let manager = shop.manager(on: shop.device.paymentQueue, deliveries: [nosy])
    nosy.manager = manager
    manager.start()
    let product = try await manager.products([TestShop.unknown])[0]
    let kept = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionKeptNotification,
      .InAppPurchaseManagerTransactionSucceededNotification)
    try await manager.purchase(product)
    #expect(await kept.next()?.name == .InAppPurchaseManagerTransactionSucceededNotification)
    #expect(try later.balance == 100)
    #expect(manager.keptTransactions.isEmpty)
  }

  @Test(
    "B7 B9 a purchase whose delivery failed is kept with the error, and retried without a relaunch: delivered once",
    arguments: StoreInterface.allCases)
  func triedAgain(_ storeKit: StoreInterface) async throws {
    let base = try TestVault.credits()
    let shop = try await TestShop(storeKit, creditStore: FailingOnce(base))
    let log = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification,
      .InAppPurchaseManagerTransactionKeptNotification)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: FailingOnce.Full.self) { try await shop.manager.purchase(five) }
    #expect(await log.next()?.name == .InAppPurchaseManagerTransactionKeptNotification)
    #expect(shop.manager.keptTransactions.map { $0.error is FailingOnce.Full } == [true])
    // The same product can be bought meanwhile.
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)

    // Many callers retry at the same time.
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = await shop.manager.deliverKept() } }
    }
    #expect(await log.next()?.name == .InAppPurchaseManagerTransactionSucceededNotification)
    #expect(await shop.manager.deliverKept().isEmpty)
    #expect(try base.balance() == 5)
    // Another delivery or attempt would have posted a notification before this one.
    shop.notifications.post(name: .InAppPurchaseManagerTransactionKeptNotification, object: nil, userInfo: [:])
    #expect(await log.next()?.transaction == nil)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B7 a transaction delivered elsewhere during a retry of kept transactions is not delivered or reported twice")
  func givenMeanwhile() async throws {
    let shop = try await TestShop()
    let (queue, delivery) = (ScriptedQueue(), OneByOne())
    let manager = shop.manager(on: queue, deliveries: [delivery])
    let (kept, succeeded) = (
      NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionKeptNotification),
      NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    )
    manager.start()
    let first = ScriptedTransaction(TestShop.five, .purchased, identifier: "1")
    let second = ScriptedTransaction(TestShop.five, .purchased, identifier: "2")
    for transaction in [first, second] {
      queue.report(transaction)
      await delivery.answer(.full)
      _ = await kept.next()
    }
    let attempt = Task { await manager.deliverKept() }
    await delivery.begun()
    queue.report(second)
    await delivery.answer(.given)
    delivery.end(.given)
    _ = await succeeded.next()
    _ = await succeeded.next()
    // From now on, another attempt would succeed and be counted.
    delivery.close()
    #expect(await attempt.value.isEmpty)
    #expect(queue.finished.count == 2)
    #expect(delivery.count == 4)
  }

  @Test(
    "B9 a failed delivery leaves the transaction unfinished; the next delivery delivers it once",
    arguments: StoreInterface.allCases)
  func failedDelivery(_ storeKit: StoreInterface) async throws {
    let base = try TestVault.credits()
    var shop = try await TestShop(storeKit, creditStore: FailingOnce(base))
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: FailingOnce.Full.self) { try await shop.manager.purchase(five) }
    #expect(try base.balance() == 0)
    #expect(shop.device.openPaymentCount == 1)

    shop = try await shop.relaunched()
    let succeeded = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    shop.manager.start()
    _ = await succeeded.next()
    #expect(try base.balance() == 5)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B7 E2 a restored product that this version does not know is kept and reported, not finished silently")
  func restored() async throws {
    let shop = try await TestShop()
    let queue = ScriptedQueue()
    let manager = shop.manager(on: queue)
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionKeptNotification)
    manager.start()
    let transaction = ScriptedTransaction(TestShop.unknown, .restored)
    queue.report(transaction)
    #expect(await log.next()?.error as? InAppPurchaseError == .unknownProduct(TestShop.unknown))
    #expect(manager.keptTransactions.map(\.transaction.skTransaction) == [transaction])
    #expect(queue.finished.isEmpty)
  }

  @Test("B7 a kept transaction that other code finishes is no longer kept; one reported as a new object is kept once")
  func finishedElsewhere() async throws {
    let shop = try await TestShop()
    let queue = ScriptedQueue()
    let manager = shop.manager(on: queue)
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionKeptNotification)
    manager.start()
    let transaction = ScriptedTransaction(TestShop.unknown, .purchased)
    queue.report(transaction)
    _ = await log.next()
    queue.report(ScriptedTransaction(TestShop.unknown, .purchased))
    _ = await log.next()
    #expect(manager.keptTransactions.count == 1)
    queue.remove(transaction)
    #expect(manager.keptTransactions.isEmpty)
    #expect(queue.finished.isEmpty)
  }

  private func credits(for product: String) throws -> CreditManager {
    CreditManager(
      store: try TestVault.credits(), creditsForProduct: [product: 100], notifications: NotificationCenter())
  }
}

extension TestShop {
  /// Buys a product that no registered delivery handles.
  fileprivate func buyUnknown() async throws {
    let log = NotificationLog(notifications, .InAppPurchaseManagerTransactionKeptNotification)
    let product = try await product(Self.unknown)
    do {
      try await manager.purchase(product)
    } catch InAppPurchaseError.unknownProduct(Self.unknown) {
      guard await log.next()?.error is InAppPurchaseError else { throw NotReported() }
    }
  }

  private struct NotReported: Error {}
}

/// A delivery that handles no product. When it is asked for the first time, it registers another delivery.
private final class RegistersAnother: ProductDelivery, @unchecked Sendable {
  private let another: LockedValue<(any ProductDelivery)?>
  weak var manager: InAppPurchaseManager?

  init(_ another: any ProductDelivery) { self.another = LockedValue(another) }

  func handles(_ productIdentifier: String) -> Bool {
    let delivery = another.withLock { another in
      defer { another = nil }
      return another
    }
    if let delivery { manager?.register(delivery) }
    return false
  }

  func deliver(_ purchase: PaidPurchase) async throws {}
}

/// A delivery whose attempts succeed or fail as the test decides, one by one.
private final class OneByOne: ProductDelivery {
  enum Answer { case given, full }
  struct Full: Error {}

  private struct State: Sendable {
    var waiting: [CheckedContinuation<Void, any Error>] = []
    var attempts = 0
    var isClosed = false
  }

  private let state = LockedValue(State())
  private let begins = AsyncStream.makeStream(of: Void.self)

  var count: Int { state.withLock { $0.attempts } }

  func handles(_ productIdentifier: String) -> Bool { true }

  func deliver(_ purchase: PaidPurchase) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let isTooLate = state.withLock { state in
        state.attempts += 1
        if !state.isClosed { state.waiting.append(continuation) }
        return state.isClosed
      }
      if isTooLate { continuation.resume() }
      begins.continuation.yield()
    }
  }

  /// Returns when an attempt has begun.
  func begun() async { _ = await begins.stream.first { _ in true } }

  /// Waits for an attempt to begin, and ends the newest attempt with `answer`.
  func answer(_ answer: Answer) async {
    await begun()
    end(answer)
  }

  /// Ends the newest attempt with `answer`.
  func end(_ answer: Answer) {
    let continuation = state.withLock { $0.waiting.popLast() }
    switch answer {
    case .given: continuation?.resume()
    case .full: continuation?.resume(throwing: Full())
    }
  }

  /// Lets all waiting and later attempts succeed.
  func close() {
    let left = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in left { continuation.resume() }
  }
}

/// A credit store whose first grant fails because the disk is full.
private final class FailingOnce: CreditStore {
  struct Full: Error {}

  private let base: VaultCreditStore
  private let failed = LockedValue(false)

  init(_ base: VaultCreditStore) { self.base = base }

  func balance() throws -> Int { try base.balance() }

  func grant(_ credits: Int, for purchase: PaidPurchase) async throws -> CreditGrant {
    let isFirst = failed.withLock { failed in
      defer { failed = true }
      return !failed
    }
    if isFirst { throw Full() }
    return try await base.grant(credits, for: purchase)
  }

  func spend(_ credits: Int, key: UUID, date: Date) throws -> Int { try base.spend(credits, key: key, date: date) }
}
