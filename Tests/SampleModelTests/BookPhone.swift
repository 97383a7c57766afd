import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import ShopFixtures
import SignedData
import StoreModel

@testable import SampleModel

/// The books screen of the sample app on one phone.
final class BookPhone: Sendable {
  static let pages = [
    SampleCatalog.smallPrint: Data(repeating: 1, count: 1000),
    SampleCatalog.encyclopedia: Data(repeating: 2, count: 9000),
  ]

  let server: BookServer
  let device: StoreKitDevice
  let vault: PurchaseVault
  let library: ContentLibrary
  let manager: InAppPurchaseManager
  let screen: BooksModel
  private let notifications = NotificationCenter()

  static func store() async throws -> EmulatedAppStore {
    try await .selling(
      [.nonConsumable(SampleCatalog.smallPrint, 4_990), .nonConsumable(SampleCatalog.encyclopedia, 19_990)],
      in: BundleID(SampleCatalog.bundleIdentifier), seed: 6)
  }

  /// The products that were requested from the store.
  let asked = AskedProducts()

  /// - Parameters:
  ///   - folder: the phone's storage.
  ///   - retry: decides when a failed request for the list is retried.
  init(
    _ store: EmulatedAppStore, folder: URL, server: BookServer = BookServer(pages: pages),
    retry: any RetrySchedule = ManualRetry()
  ) throws {
    let bundleID = BundleID(SampleCatalog.bundleIdentifier)
    self.server = server
    let device = try StoreKitDevice(
      connection: store, bundleID: bundleID, storage: .directory(folder.appending(path: "device")),
      customer: SampleCustomer(), report: { _ in })
    self.device = device
    let identifier = DeviceIdentifier.vendorIdentifier(device.deviceID)
    let keys = FileVaultKeyStore(directory: folder.appending(path: "keychain"))
    vault = try PurchaseVault(
      at: folder.appending(path: "vault.sqlite"), keys: keys,
      owner: VaultOwner(bundleID: bundleID, deviceIdentifier: identifier))
    let receipts = ReceiptReader(
      url: { device.receiptURL }, anchors: device.receiptAnchors, bundleID: bundleID, device: identifier,
      environments: [.sandbox])
    let entitlements = EntitlementManager(
      vault: vault, receipts: receipts, productIdentifiers: SampleCatalog.books, notifications: notifications)
    library = try ContentLibrary(at: folder.appending(path: "content"))
    let client = PurchaseServerClient(
      URL(string: "http://127.0.0.1:1")!, bundleID: bundleID, device: identifier, identity: .anonymous(keys),
      transport: server)
    let downloads = ContentDownloads(
      library: library, server: client, retry: Eager(), notifications: notifications)
    let list = try MasterProductList(at: folder.appending(path: "products.json"), server: client)
    let delivery = ServerDelivery(
      server: client, downloads: downloads, entitlements: entitlements, productIdentifiers: SampleCatalog.books,
      deferredIdentifiers: SampleCatalog.largeBooks,
      deliveredIdentifiers: list.deliveredIdentifiers, proof: { _ in try receipts.proof() })
    manager = InAppPurchaseManager(
      deliveries: [delivery, entitlements], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: { [asked] in
        asked.add($0)
        return SKProductsRequest(productIdentifiers: $0, device: device)
      },
      paymentsAllowed: { device.paymentsAllowed }, server: client)
    screen = BooksModel(
      manager: manager, delivery: delivery, entitlements: entitlements,
      list: list, retry: retry, notifications: notifications)
    manager.start()
  }

  func close() async throws {
    manager.stop()
    try await device.close()
    try vault.close()
    try library.close()
  }

  func title(_ product: String) throws -> String { try screen.bookButton(for: product).title }

  func appear() async throws {
    try await waiting(for: .InAppPurchaseManagerProductsFetchedNotification) { self.screen.appear() }
  }

  func buy(
    _ product: String, until outcome: Notification.Name = .InAppPurchaseManagerTransactionSucceededNotification
  ) async throws {
    try await waiting(for: outcome) { try self.screen.buy(product) }
  }

  func restore() async throws {
    try await waiting(for: .InAppPurchaseManagerRestoreFinishedNotification) { self.screen.restore() }
  }

  private func waiting(for name: Notification.Name, work: @escaping @MainActor () throws -> Void) async throws {
    let (outcomes, notified) = AsyncStream.makeStream(of: Void.self)
    let observation = notifications.addObserver(forName: name, object: nil, queue: nil) { _ in notified.yield() }
    defer { notifications.removeObserver(observation) }
    try await work()
    _ = await outcomes.first { _ in true }
    await MainActor.run {}
  }

  private struct Eager: RetrySchedule {
    func wait(afterFailures failures: Int) async {}
  }
}

final class AskedProducts: Sendable {
  private let stored = LockedValue<Set<String>>([])

  var all: Set<String> { stored.value }

  func add(_ products: Set<String>) { stored.withLock { $0.formUnion(products) } }
}
