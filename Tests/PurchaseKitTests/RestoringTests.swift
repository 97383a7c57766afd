import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

/// A delivery that adds purchases to a list, once for each original transaction.
private final class RecordingDelivery: ProductDelivery {
  private struct State: Sendable {
    var delivered: [PaidPurchase] = []
    var lost: Set<String> = []
    var failure: (any Error)?
    var holding: (@Sendable () async -> Void)?
  }

  private let state = LockedValue(State())
  private let products: Set<String>

  init(_ products: Set<String>) { self.products = products }

  var purchases: [PaidPurchase] { state.withLock { $0.delivered } }
  var revoked: Set<String> { state.withLock { $0.lost } }
  func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

  func handles(_ productIdentifier: String) -> Bool { products.contains(productIdentifier) }

  /// Sets work that each delivery waits for.
  func hold(_ work: @escaping @Sendable () async -> Void) { state.withLock { $0.holding = work } }

  func deliver(_ purchase: PaidPurchase) async throws {
    await state.withLock { $0.holding }?()
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      let isKnown = state.delivered.contains {
        $0.originalTransactionIdentifier == purchase.originalTransactionIdentifier
      }
      if !isKnown { state.delivered.append(purchase) }
    }
  }

  func revoke(productIdentifiers: Set<String>) async throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.lost.formUnion(productIdentifiers)
    }
  }
}

@Suite("Restoring through the manager", .timeLimit(.minutes(30)))
struct RestoringTests {
  private static let sepia = "com.example.credits.sepia"
  private static let greyscale = "com.example.credits.greyscale"

  /// Returns a shop with a queue whose restores the test scripts.
  private func shop() async throws -> (
    shop: TestShop, queue: ScriptedQueue, delivery: RecordingDelivery, manager: InAppPurchaseManager
  ) {
    let shop = try await TestShop()
    let (queue, delivery) = (ScriptedQueue(), RecordingDelivery([Self.sepia, Self.greyscale]))
    let manager = shop.manager(on: queue, deliveries: [delivery, shop.credits])
    manager.start()
    return (shop, queue, delivery, manager)
  }

  @Test(
    "E1 E2 E4 a restored purchase is delivered under its original transaction and finished; the end reports all of them"
  )
  func restored() async throws {
    let (shop, queue, delivery, manager) = try await shop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerRestoreFinishedNotification)
    queue.onRestore { queue in
      queue.report(ScriptedTransaction(Self.sepia, .restored, identifier: "11", original: "1"))
      queue.report(ScriptedTransaction(Self.greyscale, .restored, identifier: "12", original: "2"))
      queue.endRestoring()
    }
    let purchases = try await manager.restorePurchases()
    #expect(purchases.given.map(\.originalTransactionIdentifier).sorted() == ["1", "2"])
    #expect(purchases.given.map(\.isRestored) == [true, true])
    #expect(queue.finished.count == 2)
    #expect(delivery.purchases.map(\.productIdentifier).sorted() == [Self.greyscale, Self.sepia])
    #expect(await log.next()?.restoredPurchases == purchases)
    #expect(!manager.isRestoring)
  }

  @Test(
    "E4 a transaction reported again during its delivery, as on entering the foreground, counts once")
  func foreground() async throws {
    let (_, queue, delivery, manager) = try await shop()
    let (began, goOn) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    delivery.hold {
      began.continuation.yield()
      for await _ in goOn.stream { break }
    }
    let transaction = ScriptedTransaction(Self.sepia, .restored, identifier: "11", original: "1")
    queue.onRestore { $0.report(transaction) }
    async let purchases = manager.restorePurchases()
    for await _ in began.stream { break }
    queue.report(transaction)
    queue.endRestoring()
    goOn.continuation.yield()
    #expect(try await purchases.given.count == 1)
    #expect(!manager.isRestoring)
  }

  @Test("E5 restored again, a recorded purchase is finished and nothing more is granted")
  func again() async throws {
    let (_, queue, delivery, manager) = try await shop()
    for identifier in ["11", "12"] {
      queue.onRestore { queue in
        queue.report(ScriptedTransaction(Self.sepia, .restored, identifier: identifier, original: "1"))
        queue.endRestoring()
      }
      #expect(try await manager.restorePurchases().given.map(\.originalTransactionIdentifier) == ["1"])
    }
    #expect(delivery.purchases.count == 1)
    #expect(queue.finished.count == 2)
  }

  @Test("E1 several periods of one subscription are one purchase in the result")
  func periods() async throws {
    let (_, queue, _, manager) = try await shop()
    queue.onRestore { queue in
      for number in 11...13 {
        queue.report(ScriptedTransaction(Self.sepia, .restored, identifier: "\(number)", original: "1"))
      }
      queue.endRestoring()
    }
    #expect(try await manager.restorePurchases().given.count == 1)
    #expect(queue.finished.count == 3)
  }

  @Test("E3 E4 with nothing to restore, the result is empty, and the end is reported")
  func nothing() async throws {
    let (shop, queue, _, manager) = try await shop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerRestoreFinishedNotification)
    queue.onRestore { $0.endRestoring() }
    #expect(try await manager.restorePurchases().isEmpty)
    #expect(await log.next()?.restoredPurchases?.isEmpty == true)
  }

  @Test("E4 if the restore fails, the error is thrown and reported after the received purchases were delivered")
  func partialFailure() async throws {
    let (shop, queue, delivery, manager) = try await shop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerRestoreFailedNotification)
    queue.onRestore { queue in
      queue.report(ScriptedTransaction(Self.sepia, .restored, identifier: "11", original: "1"))
      queue.endRestoring(URLError(.networkConnectionLost))
    }
    await #expect(throws: URLError.self) { try await manager.restorePurchases() }
    #expect(delivery.purchases.count == 1)
    #expect(queue.finished.count == 1)
    let reported = await log.next()?.error as? NSError
    #expect(reported?.domain == NSURLErrorDomain && reported?.code == NSURLErrorNetworkConnectionLost)
  }

  @Test("B7 E2 a purchase that cannot be delivered is kept, listed in the result, and not finished")
  func kept() async throws {
    let (_, queue, delivery, manager) = try await shop()
    delivery.fail(with: CocoaError(.fileWriteOutOfSpace))
    queue.onRestore { queue in
      queue.report(ScriptedTransaction(Self.sepia, .restored, identifier: "11", original: "1"))
      queue.endRestoring()
    }
    let purchases = try await manager.restorePurchases()
    #expect(purchases.given.isEmpty)
    #expect(purchases.keptProductIdentifiers == [Self.sepia])
    #expect(queue.finished.isEmpty)
    delivery.fail(with: nil)
    let stillKept = await manager.deliverKept()
    #expect(stillKept.isEmpty)
    #expect(queue.finished.count == 1)
  }

  @Test(
    "E5 a second restore during the first is refused and does not affect it; before start, restores are refused, too")
  func twoAtOnce() async throws {
    let (_, queue, _, manager) = try await shop()
    let begun = AsyncStream.makeStream(of: Void.self)
    queue.onRestore { _ in begun.continuation.yield() }
    async let first = manager.restorePurchases()
    for await _ in begun.stream { break }
    #expect(manager.isRestoring)
    #expect(throws: InAppPurchaseError.restoring) { try manager.restore() }
    queue.endRestoring()
    #expect(try await first.isEmpty)
    manager.stop()
    #expect(throws: InAppPurchaseError.notStarted) { try manager.restore() }
  }

  @Test("E4 a restore during one that the app began itself ends with it, on the real queue, which ignores the call")
  func duringTheAppsOwn() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    shop.device.paymentQueue.restoreCompletedTransactions()
    #expect(try await shop.manager.restorePurchases().isEmpty)
    #expect(!shop.manager.isRestoring)
    #expect(try await shop.manager.restorePurchases().isEmpty)
    shop.manager.stop()
    try await shop.close()
  }

  @Test("E4 a cancelled task no longer waits; the restore continues, and its end is reported")
  func cancelled() async throws {
    let (shop, queue, _, manager) = try await shop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerRestoreFinishedNotification)
    let begun = AsyncStream.makeStream(of: Void.self)
    queue.onRestore { _ in begun.continuation.yield() }
    let waiting = Task { try await manager.restorePurchases() }
    for await _ in begun.stream { break }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(manager.isRestoring)
    queue.endRestoring()
    #expect(await log.next()?.restoredPurchases?.isEmpty == true)
    #expect(!manager.isRestoring)
  }

  @Test("E4 stop during a restore resumes its callers with an error")
  func stopped() async throws {
    let (_, queue, _, manager) = try await shop()
    let begun = AsyncStream.makeStream(of: Void.self)
    queue.onRestore { _ in begun.continuation.yield() }
    let waiting = Task { try await manager.restorePurchases() }
    for await _ in begun.stream { break }
    manager.stop()
    await #expect(throws: InAppPurchaseError.stopped) { try await waiting.value }
  }

  @Test("E1 H2 a consumable is never restored; if the store reports one as restored, it grants nothing more")
  func consumable() async throws {
    let (shop, queue, _, manager) = try await shop()
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    queue.report(ScriptedTransaction(TestShop.five, .purchased, identifier: "1"))
    _ = await succeeded.next()
    queue.onRestore { queue in
      queue.report(ScriptedTransaction(TestShop.five, .restored, identifier: "11", original: "1"))
      queue.endRestoring()
    }
    _ = try await manager.restorePurchases()
    #expect(try shop.credits.balance == 5)
  }

  @Test(
    "D1 a revoked purchase is revoked by its delivery and reported; if that fails, the error is reported first")
  func revoked() async throws {
    let (shop, queue, delivery, manager) = try await shop()
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    queue.revoke([Self.sepia, "unknown"])
    #expect(await log.next()?.revokedProducts == [Self.sepia, "unknown"])
    #expect(delivery.revoked == [Self.sepia])
    delivery.fail(with: CocoaError(.fileWriteOutOfSpace))
    queue.revoke([Self.greyscale])
    #expect(await log.next()?.error is CocoaError)
    #expect(await log.next()?.error == nil)
    withExtendedLifetime(manager) {}
  }
}
