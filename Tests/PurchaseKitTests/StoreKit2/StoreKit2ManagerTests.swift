import AppStoreEmulator
import Foundation
import OpenStoreKit
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Purchases by StoreKit 2", .timeLimit(.minutes(30)))
struct StoreKit2ManagerTests {
  private typealias Phone = StoreKit2Phone

  @Test("B4 D2 a purchase refunded while the app runs and one while it is closed: locked in both cases, and finished")
  func refunds() async throws {
    let store = try await Phone.newStore()
    var phone = try Phone(store)
    phone.manager.start()
    await #expect(throws: ReceiptError.missing) { try await phone.reader.entitlements() }
    let first = try await phone.buy(Phone.book)
    #expect(try phone.entitlements.isEntitled(to: Phone.book))
    #expect(try await phone.reader.proof(of: first) == .signedTransaction(try #require(first.signedTransaction)))

    try await phone.takeHistoryIn()
    let revoked = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    try await phone.refund(first)
    #expect(await revoked.next()?.revokedProducts == [Phone.book])
    #expect(try !phone.entitlements.isEntitled(to: Phone.book))

    let second = try await phone.buy(Phone.book)
    #expect(second.transactionIdentifier != first.transactionIdentifier)
    #expect(try phone.entitlements.isEntitled(to: Phone.book))
    while phone.device.openPaymentCount > 0 { await Task.yield() }
    try await phone.close()
    try await phone.refund(second)

    phone = try Phone(store, folder: phone.folder)
    try await phone.entitlements.readReceipt()
    #expect(try !phone.entitlements.isEntitled(to: Phone.book), "before the manager is started")
    let again = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    phone.manager.start()
    #expect(await again.next()?.revokedProducts == [Phone.book])
    #expect(try await store.charges().count == 2)
    try await phone.close()
  }

  @Test("B1 C4 a wrongly signed answer leaves the payment open, and delivers nothing; a rightly signed one ends it")
  func wrongSignature() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    phone.manager.start()
    let product = try await phone.manager.products([Phone.coins])[0]
    _ = try store.set(Fault(WrongSignatureFault(), id: "wrong"))
    let call = Task { try await phone.manager.purchase(product) }
    // The device reports what it could not verify, and asks again.
    while phone.problems.value == 0 { await Task.yield() }
    #expect(phone.manager.openPayment(for: Phone.coins) == .underWay)
    #expect(try phone.credits.balance == 0)
    #expect(!phone.manager.keptTransactions.contains { $0.transaction.productIdentifier == Phone.coins })
    let succeeded = NotificationLog(phone.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    try store.removeFault("wrong")
    let given = try await call.value
    #expect(await succeeded.next()?.transaction?.transactionIdentifier == given.transactionIdentifier)
    #expect(phone.manager.openPayment(for: Phone.coins) == nil)
    #expect(try phone.credits.balance == 5)
    #expect(try await store.charges().count == 1)
    try await phone.close()
  }

  @Test("E1 a purchase of another device is restored, and given by an update of the running app before that")
  func otherDevice() async throws {
    let store = try await Phone.newStore()
    let (phone, tablet) = (try Phone(store), try Phone(store))
    phone.manager.start()
    tablet.manager.start()
    _ = try await tablet.buy(Phone.coins)
    try await tablet.takeHistoryIn()
    let succeeded = NotificationLog(tablet.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    let bought = try await phone.buy(Phone.book)
    #expect(await succeeded.next()?.transaction?.transactionIdentifier == bought.transactionIdentifier)
    #expect(try tablet.entitlements.isEntitled(to: Phone.book))

    let other = try Phone(store)
    other.manager.start()
    let restored = try await other.manager.restorePurchases()
    #expect(restored.given.map(\.originalTransactionIdentifier) == [bought.transactionIdentifier])
    #expect(try other.entitlements.isEntitled(to: Phone.book))
    #expect(try other.credits.balance == 0, "a consumable is delivered to the device that paid only")
    for phone in [phone, tablet, other] { try await phone.close() }
  }

  @Test("B4 an app that delivers by both StoreKits grants a purchase once, whichever of them has bought")
  func both() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    let device = phone.device
    let other = InAppPurchaseManager(
      deliveries: [phone.entitlements, phone.credits], queue: device.paymentQueue, notifications: NotificationCenter(),
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) })
    phone.manager.start()
    other.start()
    _ = try await phone.buy(Phone.coins)
    try await other.purchase(other.products([Phone.coins])[0])
    while device.openPaymentCount > 0 { await Task.yield() }
    #expect(try phone.credits.balance == 10)
    #expect(try await store.charges().count == 2)
    other.stop()
    try await phone.close()
  }

  @Test("B7 a kept transaction is delivered when the manager is started again, and reported once by each start")
  func restarted() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    let notifications = NotificationCenter()
    let manager = InAppPurchaseManager(
      deliveries: [], calls: .on(phone.device), notifications: notifications, retry: ManualRetry())
    let log = NotificationLog(notifications, .InAppPurchaseManagerTransactionKeptNotification)
    manager.start()
    await #expect(throws: InAppPurchaseError.unknownProduct(Phone.coins)) {
      try await manager.purchase(manager.products([Phone.coins])[0])
    }
    #expect(await log.next()?.error as? InAppPurchaseError == .unknownProduct(Phone.coins))
    manager.stop()
    manager.start()
    #expect(await log.next()?.error as? InAppPurchaseError == .unknownProduct(Phone.coins))
    #expect(manager.keptTransactions.count == 1)
    manager.register(phone.credits)
    while phone.device.openPaymentCount > 0 { await Task.yield() }
    #expect(try phone.credits.balance == 5)
    manager.stop()
    try await phone.close()
  }
}
