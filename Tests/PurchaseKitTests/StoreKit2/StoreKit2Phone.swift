import AppStoreEmulator
import Foundation
import OpenStoreKit
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import PurchaseKit

/// A device with an app of StoreKit 2 that sells a book, coins and a plan, without an observer of StoreKit 1.
final class StoreKit2Phone: Sendable {
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

  // MARK: What tests do with it

  /// Stores the first page of changes. It is history, which announces nothing.
  func takeHistoryIn() async throws {
    do {
      _ = try await reader.entitlements()
    } catch ReceiptError.missing {
      // Finished coins are no entitlement.
    }
  }

  func refund(_ purchase: PaidPurchase) async throws {
    try await store.refund(try #require(TransactionID(rawValue: purchase.transactionIdentifier)))
  }

  /// Asks for the approval of a purchase, which then waits for it.
  func askToBuy(_ product: String, with manager: InAppPurchaseManager? = nil) async throws {
    let manager = manager ?? self.manager
    try await store.changeCustomer("customer", .sandbox) { $0.needsApproval = true }
    await #expect(throws: InAppPurchaseError.waitingForApproval(productIdentifier: product)) {
      try await manager.purchase(manager.products([product])[0])
    }
    try await store.changeCustomer("customer", .sandbox) { $0.needsApproval = false }
  }

  /// Decides the oldest payment that waits for approval.
  func decideApproval(isApproved: Bool) async throws {
    let approval = try #require(try await store.pendingApprovals().first)
    try await store.decideApproval(of: approval.payment.paymentID, on: approval.installationID, isApproved: isApproved)
  }

  /// Buys a product without delivering it: its transaction stays unfinished.
  func buyWithoutDelivery(_ product: String) async throws {
    let keeping = InAppPurchaseManager(
      deliveries: [], calls: .on(device), notifications: NotificationCenter(), retry: ManualRetry())
    keeping.start()
    await #expect(throws: InAppPurchaseError.unknownProduct(product)) {
      try await keeping.purchase(keeping.products([product])[0])
    }
    keeping.stop()
  }
}

/// Lets other tasks run, so that one that does not wait as it should goes on.
func letOthersRun() async {
  for _ in 0..<200 { await Task.yield() }
  await MainActor.run {}
}
