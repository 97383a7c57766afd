import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit
@testable import PurchaseKit

@Suite("Payments of StoreKit 2 without an outcome", .timeLimit(.minutes(30)))
struct StoreKit2PaymentTests {
  private typealias Phone = StoreKit2Phone

  @Test("B3 where StoreKit does not list payments, one that waits for approval blocks the button until it arrives")
  func deferredWithoutList() async throws {
    let store = try await Phone.newStore()
    let phone = try Phone(store)
    var calls = StoreKit2Calls.on(phone.device)
    calls.openPayments = { nil }
    let center = NotificationCenter()
    let manager = InAppPurchaseManager(
      deliveries: [phone.credits], calls: calls, notifications: center, retry: ManualRetry())
    manager.start()
    try await phone.askToBuy(Phone.coins, with: manager)
    #expect(manager.openPayment(for: Phone.coins) == .waitingForApproval)
    let succeeded = NotificationLog(center, .InAppPurchaseManagerTransactionSucceededNotification)
    try await phone.decideApproval(isApproved: true)
    #expect(await succeeded.next()?.transaction?.productIdentifier == Phone.coins)
    #expect(manager.openPayment(for: Phone.coins) == nil)
    manager.stop()
    try await phone.close()
  }

  /// A connection to a store. The receipts of its answers to confirmations are no receipts while ``isDamaged`` is true.
  private final class DamagedConnection: AppStoreConnection {
    private let base: EmulatedAppStore
    let isDamaged = LockedValue(true)

    init(_ base: EmulatedAppStore) { self.base = base }

    func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
      let answer = try await base.send(call, for: installation)
      guard isDamaged.value, case .purchased(let batch)? = answer as? ConfirmationResult else { return answer }
      let damaged = ConfirmationResult.purchased(
        DeliveryBatch(deliveries: batch.deliveries, receipt: Data("no receipt".utf8)))
      return damaged as? Call.Answer ?? answer
    }
  }

  @Test("B1 C4 an answer that cannot be read leaves the payment open, and no failure is reported; a later one ends it")
  func unreadableAnswer() async throws {
    let store = try await Phone.newStore()
    let connection = DamagedConnection(store)
    let phone = try Phone(store, through: connection)
    let failed = LockedValue(0)
    let observer = phone.notifications.addObserver(
      forName: .InAppPurchaseManagerTransactionFailedNotification, object: nil, queue: nil
    ) { _ in failed.withLock { $0 += 1 } }
    phone.manager.start()
    let call = Task { try await phone.buy(Phone.coins) }
    while phone.problems.value == 0 { await Task.yield() }
    await letOthersRun()
    #expect(phone.manager.openPayment(for: Phone.coins) == .underWay)
    connection.isDamaged.value = false
    let bought = try await call.value
    #expect(try phone.credits.balance == 5 && failed.value == 0)
    #expect(try await store.charges().map(\.transactionID.rawValue) == [bought.transactionIdentifier])
    phone.notifications.removeObserver(observer)
    try await phone.close()
  }

  @Test("B9 C4 a finish while a payment for the product waits for approval is repeated when it was decided")
  func finishedAgain() async throws {
    let store = try await Phone.newStore()
    let (phone, tablet) = (try Phone(store), try Phone(store))
    phone.manager.start()
    tablet.manager.start()
    _ = try await tablet.buy(Phone.coins)
    try await tablet.takeHistoryIn()
    try await tablet.askToBuy(Phone.book)
    phone.manager.stop()
    let succeeded = NotificationLog(tablet.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    try await phone.buyWithoutDelivery(Phone.book)
    #expect(await succeeded.next()?.transaction?.productIdentifier == Phone.book)
    try await phone.decideApproval(isApproved: false)
    while tablet.device.openPaymentCount > 0 { await Task.yield() }
    func isFinished() async throws -> Bool {
      try await store.transactions().first { $0.record.productID.rawValue == Phone.book }?.finishedDate != nil
    }
    #expect(try await !isFinished())
    tablet.manager.stop()
    tablet.manager.start()
    while try await !isFinished() { await Task.yield() }
    for each in [phone, tablet] { try await each.close() }
  }
}
