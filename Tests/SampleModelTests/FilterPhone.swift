import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import ShopFixtures
import SignedData
import StoreModel

@testable import SampleModel

/// A store that sells the photo filters.
struct FilterStore {
  let store: EmulatedAppStore

  init() async throws {
    store = try await .selling(
      [.nonConsumable(SampleCatalog.greyscale, 2_990), .nonConsumable(SampleCatalog.sepia, 3_990)],
      in: BundleID(SampleCatalog.bundleIdentifier), seed: 4)
  }
}

/// The photo filters screen of the sample app on one phone, from its launch to its end.
final class FilterPhone: Sendable {
  let network: SampleNetwork
  let device: StoreKitDevice
  let vault: PurchaseVault
  let entitlements: EntitlementManager
  let manager: InAppPurchaseManager
  let screen: PhotoFiltersModel
  let customer = SampleCustomer()
  private let notifications = NotificationCenter()

  /// Launches the app.
  ///
  /// - Parameter folder: the phone's storage. The same folder means the same phone.
  init(_ store: FilterStore, folder: URL) async throws {
    let network = SampleNetwork(store.store)
    self.network = network
    let device = try StoreKitDevice(
      connection: network, bundleID: BundleID(SampleCatalog.bundleIdentifier),
      storage: .directory(folder.appending(path: "app")), customer: customer, report: { _ in })
    self.device = device
    let identifier = DeviceIdentifier.vendorIdentifier(device.deviceID)
    vault = try PurchaseVault(
      at: folder.appending(path: "app/vault.sqlite"),
      keys: FileVaultKeyStore(directory: folder.appending(path: "keychain")),
      owner: VaultOwner(bundleID: BundleID(SampleCatalog.bundleIdentifier), deviceIdentifier: identifier))
    let url = device.receiptURL
    entitlements = EntitlementManager(
      vault: vault,
      receipts: ReceiptReader(
        url: { url }, anchors: device.receiptAnchors, bundleID: BundleID(SampleCatalog.bundleIdentifier),
        device: identifier, environments: [.sandbox]),
      productIdentifiers: SampleCatalog.filters, notifications: notifications)
    manager = InAppPurchaseManager(
      deliveries: [entitlements], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) },
      paymentsAllowed: { device.paymentsAllowed })
    screen = PhotoFiltersModel(
      manager: manager, filters: PhotoFilterManager(entitlements: entitlements), notifications: notifications)
    try await entitlements.readReceipt()
    manager.start()
  }

  /// Ends the app.
  func close() async throws {
    manager.stop()
    try await device.close()
    try vault.close()
  }

  /// Shows the screen, and returns when its prices have arrived.
  func appear() async throws {
    try await waiting(for: .InAppPurchaseManagerProductsFetchedNotification) { self.screen.appear() }
  }

  func buy(_ product: String) async throws {
    try await waiting(for: .InAppPurchaseManagerTransactionSucceededNotification) { try self.screen.buy(product) }
  }

  /// Presses Restore, and waits for the end.
  func restore() async throws {
    try await waiting(
      for: .InAppPurchaseManagerRestoreFinishedNotification, .InAppPurchaseManagerRestoreFailedNotification
    ) { self.screen.restore() }
  }

  /// Returns when the app was notified of a revocation.
  func waitUntilRevoked(_ work: @escaping @Sendable () async throws -> Void) async throws {
    try await waiting(for: .InAppPurchaseManagerProductsRevokedNotification, work: work)
  }

  func title(_ product: String) throws -> String { try screen.filterButton(for: product).title }

  private func waiting(
    for names: Notification.Name..., work: @escaping @MainActor () async throws -> Void
  ) async throws {
    let (outcomes, notified) = AsyncStream.makeStream(of: Void.self)
    let observations = names.map { name in
      notifications.addObserver(forName: name, object: nil, queue: nil) { _ in notified.yield() }
    }
    defer { for observation in observations { notifications.removeObserver(observation) } }
    try await work()
    _ = await outcomes.first { _ in true }
    await MainActor.run {}
  }
}
