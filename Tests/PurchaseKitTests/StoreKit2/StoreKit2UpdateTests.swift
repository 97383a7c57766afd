import AppStoreEmulator
import Foundation
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit
@testable import PurchaseKit

@Suite("Updates of StoreKit 2", .timeLimit(.minutes(30)))
struct StoreKit2UpdateTests {
  private typealias Phone = StoreKit2Phone

  /// A delivery of everything that waits, or cannot record a revocation.
  private final class TestDelivery: ProductDelivery {
    let gate = SharedFixtures.Gate()
    private let isWaiting: Bool
    private let failsToRevoke: LockedValue<Bool>

    init(isWaiting: Bool = false, failsToRevoke: Bool = false) {
      self.isWaiting = isWaiting
      self.failsToRevoke = LockedValue(failsToRevoke)
    }

    func endFailing() { failsToRevoke.value = false }

    func handles(_ productIdentifier: String) -> Bool { true }

    func deliver(_ purchase: PaidPurchase) async throws { if isWaiting { await gate.pass() } }

    func revoke(productIdentifiers: Set<String>) async throws {
      if failsToRevoke.value { throw CocoaError(.fileWriteOutOfSpace) }
    }
  }

  private func manager(
    of delivery: any ProductDelivery, on phone: Phone, notifications: NotificationCenter = NotificationCenter(),
    retry: ManualRetry = ManualRetry()
  ) -> InAppPurchaseManager {
    InAppPurchaseManager(
      deliveries: [delivery], calls: .on(phone.device), notifications: notifications, retry: retry)
  }

  @Test("B9 E1 an app that ends during the delivery of a purchase of another device receives it again")
  func endedDuringDelivery() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    var tablet = try Phone(store)
    phone.manager.start()
    tablet.manager.start()
    _ = try await tablet.buy(Phone.coins)
    try await tablet.takeHistoryIn()
    tablet.manager.stop()
    let delivery = TestDelivery(isWaiting: true)
    let waiting = manager(of: delivery, on: tablet)
    waiting.start()
    let bought = try await phone.buy(Phone.book)
    // The other device has finished it, so it is not in the tablet's list of unfinished transactions.
    while phone.device.openPaymentCount > 0 { await Task.yield() }
    await delivery.gate.untilCallerWaits()
    await letOthersRun()
    waiting.stop()
    try await tablet.close()

    tablet = try Phone(store, folder: tablet.folder)
    let succeeded = NotificationLog(tablet.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    tablet.manager.start()
    #expect(await succeeded.next()?.transaction?.transactionIdentifier == bought.transactionIdentifier)
    #expect(try tablet.entitlements.isEntitled(to: Phone.book))
    await delivery.gate.open()
    for each in [phone, tablet] { try await each.close() }
  }

  @Test(
    "B4 D2 a revocation that a delivery could not record is reported again: in the same run, or at the next launch",
    arguments: [false, true])
  func revocationFails(endsBefore: Bool) async throws {
    let store = try await Phone.newStore()
    var phone = try Phone(store)
    let (delivery, retry, center) = (TestDelivery(failsToRevoke: true), ManualRetry(), NotificationCenter())
    let failing = manager(of: delivery, on: phone, notifications: center, retry: retry)
    failing.start()
    let bought = try await failing.purchase(failing.products([Phone.book])[0])
    try await phone.takeHistoryIn()
    let log = NotificationLog(center, .InAppPurchaseManagerProductsRevokedNotification)
    try await phone.refund(bought)
    #expect(await retry.nextWait() == 1)
    #expect(await log.next()?.error is CocoaError)
    #expect(await log.next()?.error == nil)
    // The second failure posts nothing.
    retry.release()
    #expect(await retry.nextWait() == 2)
    if endsBefore {
      failing.stop()
      try await phone.close()
      phone = try Phone(store, folder: phone.folder)
      let again = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
      phone.manager.start()
      #expect(await again.next()?.revokedProducts == [Phone.book])
    } else {
      delivery.endFailing()
      retry.release()
      let recorded = await log.next()
      #expect(recorded?.revokedProducts == [Phone.book] && recorded?.error == nil)
      failing.stop()
    }
    try await phone.close()
  }

  @Test("B4 B9 a purchase that is approved while a delivery cannot record a revocation is delivered, in the same run")
  func approvedBehindRevocation() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    let (delivery, retry, center) = (TestDelivery(failsToRevoke: true), ManualRetry(), NotificationCenter())
    let failing = manager(of: delivery, on: phone, notifications: center, retry: retry)
    failing.start()
    let book = try await failing.purchase(failing.products([Phone.book])[0])
    try await phone.askToBuy(Phone.coins, with: failing)
    try await phone.takeHistoryIn()
    let succeeded = NotificationLog(center, .InAppPurchaseManagerTransactionSucceededNotification)
    try await phone.refund(book)
    #expect(await retry.nextWait() == 1)
    try await phone.decideApproval(isApproved: true)
    while failing.openPayment(for: Phone.coins) != nil { await Task.yield() }
    retry.release()
    #expect(await succeeded.next()?.transaction?.productIdentifier == Phone.coins)
    failing.stop()
    try await phone.close()
  }

  @Test("D2 a purchase that was not finished and is refunded is reported as lost once at the next launch")
  func unfinishedRefund() async throws {
    let store = try await Phone.newStore()
    var phone = try Phone(store)
    try await phone.buyWithoutDelivery(Phone.book)
    let kept = try #require(try await store.transactions().first)
    try await phone.close()
    try await store.refund(kept.record.transactionID)

    phone = try Phone(store, folder: phone.folder)
    let revoked = LockedValue(0)
    let observer = phone.notifications.addObserver(
      forName: .InAppPurchaseManagerProductsRevokedNotification, object: nil, queue: nil
    ) { _ in revoked.withLock { $0 += 1 } }
    phone.manager.start()
    while phone.device.openPaymentCount > 0 { await Task.yield() }
    // Everything that was sent before is handled.
    _ = try await phone.buy(Phone.coins)
    await letOthersRun()
    #expect(revoked.value == 1)
    phone.notifications.removeObserver(observer)
    try await phone.close()
  }

  @Test("B4 a revocation that could not be recorded is reported again after the manager was stopped and started")
  func restartedDuringRevocation() async throws {
    let store = try await Phone.newStore()
    var phone = try Phone(store)
    try await phone.buyWithoutDelivery(Phone.book)
    let kept = try #require(try await store.transactions().first)
    try await phone.close()
    try await store.refund(kept.record.transactionID)
    phone = try Phone(store, folder: phone.folder)
    let retry = ManualRetry()
    var calls = StoreKit2Calls.on(phone.device)
    // The list of unfinished transactions alone has the revoked one, and its handling is not cancelled by `stop()`.
    calls.updates = calls.currentEntitlements
    let failing = InAppPurchaseManager(
      deliveries: [TestDelivery(failsToRevoke: true)], calls: calls, notifications: NotificationCenter(), retry: retry)
    failing.start()
    #expect(await retry.nextWait() == 1)
    failing.stop()
    failing.start()
    #expect(await retry.nextWait() == 1)
    failing.stop()
    try await phone.close()
  }

  @Test("a manager that is released while it reports a revocation ends its loops")
  func released() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    let retry = ManualRetry()
    var failing: InAppPurchaseManager? = manager(of: TestDelivery(failsToRevoke: true), on: phone, retry: retry)
    failing?.start()
    let product = try #require(try await failing?.products([Phone.book]).first)
    let book = try #require(try await failing?.purchase(product))
    try await phone.takeHistoryIn()
    try await phone.refund(book)
    #expect(await retry.nextWait() == 1)
    failing = nil
    while phone.device.updates.transactions.count > 0 { await Task.yield() }
    #expect(retry.count == 0)
    try await phone.close()
  }

  @Test("D2 a refund that is reversed while the app runs unlocks the product again, each time")
  func reversedRefund() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    phone.manager.start()
    let book = try await phone.buy(Phone.book)
    try await phone.takeHistoryIn()
    let id = try #require(TransactionID(rawValue: book.transactionIdentifier))
    let revoked = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    let succeeded = NotificationLog(phone.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    for _ in 1...2 {
      try await store.refund(id)
      #expect(await revoked.next()?.revokedProducts == [Phone.book])
      #expect(try !phone.entitlements.isEntitled(to: Phone.book))
      _ = try await store.reverseRefund(of: id)
      #expect(await succeeded.next()?.transaction?.transactionIdentifier == book.transactionIdentifier)
      #expect(try phone.entitlements.isEntitled(to: Phone.book))
    }
    try await phone.close()
  }

  @Test(
    "D2 the refund of a consumable is not reported as the loss of a product, with both StoreKits",
    arguments: StoreInterface.allCases)
  func refundedConsumable(_ storeKit: StoreInterface) async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    let device = phone.device
    let manager =
      switch storeKit {
      case .storeKit1:
        InAppPurchaseManager(
          deliveries: [phone.entitlements, phone.credits], queue: device.paymentQueue,
          notifications: phone.notifications,
          makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) })
      case .storeKit2: phone.manager
      }
    manager.start()
    let coins = try await manager.purchase(manager.products([Phone.coins])[0])
    let book = try await manager.purchase(manager.products([Phone.book])[0])
    try await phone.takeHistoryIn()
    let revoked = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    for purchase in [coins, book] {
      try await phone.refund(purchase)
    }
    #expect(await revoked.next()?.revokedProducts == [Phone.book])
    #expect(try phone.credits.balance == 5, "the purchase server takes credits back")
    manager.stop()
    try await phone.close()
  }

  @Test("D2 the refund of an earlier period of a subscription that continues is not reported as its loss")
  func refundedPeriod() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    phone.manager.start()
    let first = try await phone.buy(Phone.plan)
    let renewed = NotificationLog(phone.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    _ = try await store.changeClock(.toNextEvent)
    #expect(await renewed.next()?.transaction?.productIdentifier == Phone.plan)
    let book = try await phone.buy(Phone.book)
    let revoked = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    for purchase in [first, book] {
      try await phone.refund(purchase)
    }
    #expect(await revoked.next()?.revokedProducts == [Phone.book])
    #expect(try phone.entitlements.isEntitled(to: Phone.plan))
    try await phone.close()
  }

  @Test("a restore that began before stop() does not end the restore that begins after it")
  func restoredAfterStop() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    let gates = [SharedFixtures.Gate(), SharedFixtures.Gate()]
    let count = LockedValue(0)
    var calls = StoreKit2Calls.on(phone.device)
    calls.synchronize = {
      let number = count.withLock { count in
        defer { count += 1 }
        return count
      }
      await gates[number].pass()
    }
    let manager = InAppPurchaseManager(
      deliveries: [phone.entitlements], calls: calls, notifications: NotificationCenter(), retry: ManualRetry())
    manager.start()
    let first = Task { try await manager.restorePurchases() }
    await gates[0].untilCallerWaits()
    manager.stop()
    await #expect(throws: InAppPurchaseError.stopped) { try await first.value }
    manager.start()
    let second = Task { try await manager.restorePurchases() }
    await gates[1].untilCallerWaits()
    await gates[0].open()
    await letOthersRun()
    #expect(manager.isRestoring)
    await gates[1].open()
    #expect(try await second.value.isEmpty)
    manager.stop()
    try await phone.close()
  }

  @Test("entitlements for the delivery of a transaction that was verified are not read and verified again")
  func readOnce() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    phone.manager.start()
    _ = try await phone.buy(Phone.book)
    let device = phone.device
    let reads = LockedValue(0)
    var calls = StoreKit2Calls.on(device)
    let all = calls.all
    calls.all = {
      reads.withLock { $0 += 1 }
      return all()
    }
    let reader = TransactionReader(
      calls: calls, anchors: { device.transactionAnchors }, bundleID: Phone.app,
      device: .vendorIdentifier(device.deviceID), environments: [.sandbox])
    let proven = try await reader.entitlements()
    let stored = try #require(await calls.stored.transactions.first)
    let before = reads.value
    func purchase(_ jws: String?) -> PaidPurchase {
      PaidPurchase(
        transactionIdentifier: stored.identifier, productIdentifier: Phone.book, quantity: 1, date: Date(),
        signedTransaction: jws)
    }
    #expect(try await reader.entitlements(including: purchase(stored.jws)) == proven)
    #expect(reads.value == before)
    // Of an unknown transaction, or of one without a signature, they are read.
    for jws in ["a.b.c", nil] { #expect(try await reader.entitlements(including: purchase(jws)) == proven) }
    #expect(reads.value == before + 2)
    try await phone.close()
  }
}
