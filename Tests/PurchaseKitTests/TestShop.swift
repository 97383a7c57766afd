import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import ShopFixtures
import StoreModel

/// An emulated store, a device, and an app's manager over them, in one process. The manager uses either StoreKit.
struct TestShop {
  static let bundleID: BundleID = "com.example.credits"
  static let five = "com.example.credits.five"
  static let ten = "com.example.credits.ten"
  static let unknown = "com.example.credits.later"

  let store: EmulatedAppStore
  let network: Network
  let device: StoreKitDevice
  let credits: CreditManager
  let manager: InAppPurchaseManager
  let notifications = NotificationCenter()
  let reachability = ManualRetry()
  let requests = RequestLog()
  private let folder: TestFolder
  private let creditStore: any CreditStore

  init(
    _ storeKit: StoreInterface = .storeKit1, creditStore: (any CreditStore)? = nil,
    customer: any StoreCustomer = AutomaticCustomer(credentials: .customer),
    devicePaymentsAllowed: Bool = true, retry: any RetrySchedule = ManualRetry()
  ) async throws {
    let five = ProductDefinition(
      productID: ProductID(Self.five), type: .consumable, price: Milliunits(990),
      localizations: [
        .init(locale: "en_US", displayName: "5 credits", description: "Five"),
        .init(locale: "de_DE", displayName: "5 Punkte", description: "Fünf"),
      ])
    let store = try await EmulatedAppStore.selling(
      [five, .consumable(Self.ten, 1_990), .consumable(Self.unknown, 2_990)], in: Self.bundleID, seed: 5)
    try self.init(
      storeKit, store: store, folder: TestFolder(), creditStore: try creditStore ?? TestVault.credits(),
      creditsForProduct: [Self.five: 5, Self.ten: 10], customer: customer,
      devicePaymentsAllowed: devicePaymentsAllowed, retry: retry)
  }

  private init(
    _ storeKit: StoreInterface, store: EmulatedAppStore, folder: TestFolder, creditStore: any CreditStore,
    creditsForProduct: [String: Int], customer: any StoreCustomer, devicePaymentsAllowed: Bool, retry: any RetrySchedule
  ) throws {
    self.store = store
    self.folder = folder
    self.creditStore = creditStore
    let (network, requests) = (Network(store), requests)
    let device = try StoreKitDevice(
      connection: network, bundleID: Self.bundleID, storage: .directory(folder.url), customer: customer,
      switches: DeviceSwitches(isRestricted: !devicePaymentsAllowed), retry: retry, report: { _ in })
    (self.network, self.device) = (network, device)
    credits = CreditManager(store: creditStore, creditsForProduct: creditsForProduct, notifications: notifications)
    switch storeKit {
    case .storeKit1:
      manager = InAppPurchaseManager(
        deliveries: [credits], queue: device.paymentQueue, notifications: notifications,
        makeProductsRequest: {
          requests.add($0)
          return SKProductsRequest(productIdentifiers: $0, device: device)
        }, paymentsAllowed: { device.paymentsAllowed }, retry: reachability)
    case .storeKit2:
      manager = InAppPurchaseManager(
        deliveries: [credits], calls: .on(device) { requests.add($0) }, notifications: notifications,
        retry: reachability)
    }
  }

  /// Ends the app and launches it again on the same device, perhaps as a version that sells other products.
  func relaunched(
    _ storeKit: StoreInterface? = nil, creditsForProduct: [String: Int] = [five: 5, ten: 10]
  ) async throws -> TestShop {
    manager.stop()
    try await device.close()
    return try TestShop(
      storeKit ?? manager.interface, store: store, folder: folder, creditStore: creditStore,
      creditsForProduct: creditsForProduct, customer: AutomaticCustomer(credentials: .customer),
      devicePaymentsAllowed: true, retry: ManualRetry())
  }

  /// Closes the device. Returns when the main queue has run all its notifications.
  func close() async throws {
    try await device.close()
    await MainActor.run {}
  }

  var folderURL: URL { folder.url }

  /// Returns when no payment is open, and all transactions are finished at the store.
  func untilAllIsFinished() async {
    while device.openPaymentCount > 0 { await Task.yield() }
  }

  func product(_ identifier: String) async throws -> StoreProduct {
    try await manager.products([identifier])[0]
  }

  /// Decides on the only payment that waits for approval.
  func decideApproval(isApproved: Bool) async throws {
    let waiting = try await store.pendingApprovals()
    guard waiting.count == 1, let approval = waiting.first else { throw NotOneApproval(count: waiting.count) }
    try await store.decideApproval(
      of: approval.payment.paymentID, on: approval.installationID, isApproved: isApproved)
  }

  struct NotOneApproval: Error { let count: Int }
}

extension SignInCredentials {
  static let customer = SignInCredentials(account: "customer")
}

/// A temporary folder. It is removed when this object is released.
final class TestFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "purchasekit-tests-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// The products of each request.
final class RequestLog: Sendable {
  private let requests = LockedValue<[Set<String>]>([])

  var all: [Set<String>] { requests.value }
  func add(_ identifiers: Set<String>) { requests.withLock { $0.append(identifiers) } }
}
