import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

/// A device keeps its data when its store is reset or restored. No purchase may be lost or granted twice.
@Suite("A device whose store is reset or restored", .timeLimit(.minutes(30)))
struct StoreLivesTests {
  /// The transactions that an app has granted, each id once.
  private final class Grants: Sendable {
    private let ids = LockedValue<[String]>([])

    var all: [String] { ids.value }

    func give(_ transaction: SKPaymentTransaction) {
      guard let id = transaction.transactionIdentifier else { return }
      ids.withLock { ids in if !ids.contains(id) { ids.append(id) } }
    }
  }

  /// Buys `product`, grants it and finishes it. Returns when the store has received the finish.
  private func buyAndFinish(
    _ product: String, on device: StoreKitDevice, reported observer: RecordingObserver,
    _ connection: ScriptedConnection,
    _ grants: Grants
  ) async throws {
    device.paymentQueue.add(SKPayment.of(product))
    let transaction = try await observer.next(.purchased)
    grants.give(transaction)
    device.paymentQueue.finishTransaction(transaction)
    await connection.nextFinish()
  }

  @Test("B9 a reset store is found again by itself: bought before and after, each is given once, and no id repeats")
  func resetBetweenPurchases() async throws {
    let shop = try await TestStore()
    let connection = ScriptedConnection(shop.store)
    let device = try shop.device(through: connection)
    let (observer, grants) = (RecordingObserver(), Grants())
    device.paymentQueue.add(observer)
    for _ in 1...3 {
      try await buyAndFinish(TestStore.five, on: device, reported: observer, connection, grants)
      #expect(try await shop.store.charges().count == 1)
      try await shop.store.reset()
    }
    #expect(grants.all.count == 3)
    #expect(Set(grants.all.map { $0.prefix(10) }).count == 3)
    try await device.close()
  }

  @Test("B4 a purchase that was delivered before a reset is still the app's, and finishing it ends it")
  func resetBeforeFinish() async throws {
    let shop = try await TestStore()
    let folder = TemporaryFolder()
    let observer = RecordingObserver()
    let device = try shop.device(storage: .directory(folder.url))
    device.paymentQueue.add(observer)
    device.paymentQueue.add(SKPayment.of(TestStore.five))
    let bought = try await observer.next(.purchased).transactionIdentifier
    try await device.close()
    try await shop.store.reset()

    let later = try shop.device(storage: .directory(folder.url))
    let (laterObserver, grants) = (RecordingObserver(), Grants())
    later.paymentQueue.add(laterObserver)
    let again = try await laterObserver.next(.purchased)
    grants.give(again)
    #expect(grants.all == [bought])
    later.paymentQueue.finishTransaction(again)
    while try await laterObserver.next().event != .removed(TestStore.five) {}
    try await later.close()
    let last = try shop.device(storage: .directory(folder.url))
    #expect(last.paymentQueue.transactions.isEmpty)
    try await last.close()
  }

  @Test("B9 a payment confirmed under a store that was reset fails, and is charged in neither of its lives")
  func resetWhileConfirmed() async throws {
    let shop = try await TestStore()
    let connection = ScriptedConnection(shop.store)
    let retry = ManualRetry()
    let device = try shop.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    connection.script(.confirm, .unreachable)
    device.paymentQueue.add(SKPayment.of(TestStore.five))
    _ = await retry.nextWait()
    try await shop.store.reset()
    retry.release()
    let failed = try await observer.next(.failed)
    #expect(failed.transactionIdentifier == nil)
    #expect(try await shop.store.charges().isEmpty)
    device.paymentQueue.finishTransaction(failed)
    device.paymentQueue.add(SKPayment.of(TestStore.five))
    _ = try await observer.next(.purchased)
    #expect(try await shop.store.charges().count == 1)
    try await device.close()
  }

  @Test("B9 bought before a snapshot, finished after it, restored: it comes again, and is not given again")
  func restoredUnfinished() async throws {
    let shop = try await TestStore()
    let connection = ScriptedConnection(shop.store)
    let folder = TemporaryFolder()
    let grants = Grants()
    let device = try shop.device(through: connection, storage: .directory(folder.url))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(SKPayment.of(TestStore.five))
    let transaction = try await observer.next(.purchased)
    grants.give(transaction)
    let snapshot = try await shop.store.snapshot()
    device.paymentQueue.finishTransaction(transaction)
    await connection.nextFinish()
    // A purchase that the snapshot does not have.
    try await buyAndFinish(TestStore.ten, on: device, reported: observer, connection, grants)
    try await device.close()
    #expect(grants.all.count == 2)
    let epoch = try await shop.store.restore(snapshot)

    let later = try shop.device(through: connection, storage: .directory(folder.url))
    let laterObserver = RecordingObserver()
    later.paymentQueue.add(laterObserver)
    let again = try await laterObserver.next(.purchased)
    #expect(again.transactionIdentifier == transaction.transactionIdentifier)
    grants.give(again)
    later.paymentQueue.finishTransaction(again)
    await connection.nextFinish()
    #expect(grants.all.count == 2)
    try await buyAndFinish(TestStore.ten, on: later, reported: laterObserver, connection, grants)
    #expect(grants.all.count == 3)
    #expect(grants.all.last?.hasPrefix(epoch.rawValue) == true)
    #expect(try await shop.store.charges().count == 2)
    #expect(try await shop.store.transactions().allSatisfy { $0.finishedDate != nil })
    try await later.close()
  }

  @Test("B9 charged before a snapshot with the answer lost, restored: the transaction comes at the next launch, once")
  func restoredUnanswered() async throws {
    let shop = try await TestStore()
    let connection = ScriptedConnection(shop.store)
    let folder = TemporaryFolder()
    let retry = ManualRetry()
    let device = try shop.device(through: connection, storage: .directory(folder.url), retry: retry)
    device.paymentQueue.add(RecordingObserver.lasting)
    connection.loseAnswer(to: .confirm)
    device.paymentQueue.add(SKPayment.of(TestStore.five))
    _ = await retry.nextWait()
    try await device.close()
    connection.endScript(of: .confirm)
    try await shop.store.restore(try await shop.store.snapshot())

    let (observer, grants) = (RecordingObserver(finishesEverything: true), Grants())
    let later = try shop.device(through: connection, storage: .directory(folder.url))
    later.paymentQueue.add(observer)
    grants.give(try await observer.next(.purchased))
    await connection.nextFinish()
    #expect(grants.all.count == 1)
    #expect(try await shop.store.charges().count == 1)
    #expect(try await shop.store.transactions().map(\.record.transactionID.rawValue) == grants.all)
    try await later.close()
  }

  @Test("B4 what begins in a restored store reaches an app that runs and listens late, and nothing older does")
  func restoredRunning() async throws {
    let shop = try await TestStore()
    let connection = ScriptedConnection(shop.store)
    let retry = ManualRetry()
    let device = try shop.device(through: connection, retry: retry)
    let (observer, events, grants) = (RecordingObserver(), EventObserver(), Grants())
    connection.script(.changes, .unreachable, .pass, .unreachable)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(events)
    _ = await retry.nextWait()
    try await buyAndFinish(TestStore.five, on: device, reported: observer, connection, grants)
    try await shop.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)
    retry.release()
    #expect(await events.next() == .storePayment(product: TestStore.five, quantity: 1, price: "0.99"))
    _ = await retry.nextWait()

    // The device no longer waits for changes, so it notices the restored store only when it buys.
    // By then a promoted purchase has begun in that store.
    try await shop.store.restore(try await shop.store.snapshot())
    try await shop.store.beginPromotedPurchase(of: ProductID(TestStore.ten), on: device.installationID)
    try await buyAndFinish(TestStore.five, on: device, reported: observer, connection, grants)
    retry.release()
    #expect(await events.next() == .storePayment(product: TestStore.ten, quantity: 1, price: "1.99"))
    _ = try await shop.store.purchase(
      ProductID(TestStore.ten), of: TestStore.bundleID, for: "customer", in: .sandbox)
    let bought = try await observer.next(.purchased)
    #expect(bought.payment.productIdentifier == TestStore.ten)
    #expect(try await shop.store.transactions().first?.record.transactionID.rawValue == bought.transactionIdentifier)
    try await device.close()
  }

  @Test("B9 a payment under way when the store was restored is asked for again: one that was charged comes, once")
  func restoredWhileConfirmed() async throws {
    let shop = try await TestStore()
    let connection = ScriptedConnection(shop.store)
    let retry = ManualRetry()
    let device = try shop.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    connection.loseAnswer(to: .confirm)
    device.paymentQueue.add(SKPayment.of(TestStore.five))
    _ = await retry.nextWait()
    try await shop.store.restore(try await shop.store.snapshot())
    connection.endScript(of: .confirm)
    retry.release()
    var reported = try await observer.next()
    while case .updated(_, .purchasing, _) = reported.event { reported = try await observer.next() }
    let charged = try await shop.store.charges().map(\.transactionID.rawValue)
    #expect(charged.count == 1)
    #expect(reported.event == .updated(TestStore.five, .purchased, charged.first))
    #expect(device.paymentQueue.transactions.count == 1)
    try await device.close()
  }
}
