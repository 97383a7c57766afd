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
  /// A device with an app of StoreKit 2 that sells a book, coins and a plan, without an observer of StoreKit 1.
  final class Phone: Sendable {
    static let app: BundleID = "com.example.vault"
    static let book = "com.example.vault.book"
    static let coins = "com.example.vault.coins"
    static let plan = "com.example.vault.plan"

    let store: EmulatedAppStore
    let folder: TestFolder
    let device: StoreKitDevice
    let vault: PurchaseVault
    let entitlements: EntitlementManager
    let credits: CreditManager
    let manager: InAppPurchaseManager
    let reader: TransactionReader
    let notifications = NotificationCenter()
    /// The number of problems that the device has reported.
    let problems = LockedValue(0)

    static func newStore() async throws -> EmulatedAppStore {
      let monthly = ProductDefinition(
        productID: ProductID(plan), type: .autoRenewableSubscription, price: Milliunits(2_990),
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month), offers: []))
      return try await .selling([.nonConsumable(book, 4_990), .consumable(coins, 990), monthly], in: app, seed: 9)
    }

    /// - Parameter connection: the connection to the store; nil for the store itself.
    init(
      _ store: EmulatedAppStore, folder: TestFolder = TestFolder(), through connection: (any AppStoreConnection)? = nil
    ) throws {
      self.store = store
      self.folder = folder
      let device = try StoreKitDevice(
        connection: connection ?? store, bundleID: Self.app, storage: .directory(folder.url.appending(path: "device")),
        customer: AutomaticCustomer(credentials: .customer), report: { [problems] _ in problems.withLock { $0 += 1 } })
      self.device = device
      let identifier = DeviceIdentifier.vendorIdentifier(device.deviceID)
      vault = try PurchaseVault(
        at: folder.url.appending(path: "vault.sqlite"), keys: FileVaultKeyStore(directory: folder.url),
        owner: VaultOwner(bundleID: Self.app, deviceIdentifier: identifier))
      reader = TransactionReader(
        calls: .on(device), anchors: { device.transactionAnchors }, bundleID: Self.app, device: identifier,
        environments: [.sandbox])
      entitlements = EntitlementManager(
        vault: vault, receipts: reader, productIdentifiers: [Self.book], subscriptionIdentifiers: [Self.plan],
        notifications: notifications)
      credits = CreditManager(
        store: VaultCreditStore(vault), creditsForProduct: [Self.coins: 5], notifications: notifications)
      manager = InAppPurchaseManager(
        deliveries: [entitlements, credits], calls: .on(device), notifications: notifications, retry: ManualRetry())
    }

    @discardableResult
    func buy(_ product: String) async throws -> PaidPurchase {
      try await manager.purchase(manager.products([product])[0])
    }

    func close() async throws {
      manager.stop()
      try await device.close()
      try vault.close()
    }
  }

  @Test("B4 D2 a purchase refunded while the app runs and one while it is closed: locked in both cases, and finished")
  func refunds() async throws {
    let store = try await Phone.newStore()
    var phone = try Phone(store)
    phone.manager.start()
    await #expect(throws: ReceiptError.missing) { try await phone.reader.entitlements() }
    let first = try await phone.buy(Phone.book)
    #expect(try phone.entitlements.isEntitled(to: Phone.book))
    #expect(try await phone.reader.proof(of: first) == .signedTransaction(try #require(first.signedTransaction)))

    // The first page of changes is history, which announces nothing.
    _ = try await phone.reader.entitlements()
    let revoked = NotificationLog(phone.notifications, .InAppPurchaseManagerProductsRevokedNotification)
    try await store.refund(try #require(TransactionID(rawValue: first.transactionIdentifier)))
    #expect(await revoked.next()?.revokedProducts == [Phone.book])
    #expect(try !phone.entitlements.isEntitled(to: Phone.book))

    let second = try await phone.buy(Phone.book)
    #expect(second.transactionIdentifier != first.transactionIdentifier)
    #expect(try phone.entitlements.isEntitled(to: Phone.book))
    while phone.device.openPaymentCount > 0 { await Task.yield() }
    try await phone.close()
    try await store.refund(try #require(TransactionID(rawValue: second.transactionIdentifier)))

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
    // The first page of changes is history, which announces nothing. The coins are no entitlement.
    _ = try? await tablet.reader.entitlements()
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
