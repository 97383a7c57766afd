import AppStoreEmulator
import Foundation
import OpenStoreKit
import ShopFixtures
import SignedData
import StoreModel

@testable import PurchaseKit

/// A store that sells books, an atlas and coins.
struct ReaderStore {
  static let book = LibraryFixture.book
  static let atlas = LibraryFixture.atlas
  static let coins = "com.example.reader.coins"
  /// A book that was published after the app.
  static let newcomer = "com.example.reader.newcomer"

  let store: EmulatedAppStore

  init(seed: UInt64 = 8, clock: any MachineClock = SystemClock()) async throws {
    store = try await .selling(
      [
        .nonConsumable(Self.book, 4_990), .nonConsumable(Self.atlas, 9_990), .consumable(Self.coins, 990),
        .nonConsumable(Self.newcomer, 2_990),
      ], in: ScriptedServer.bundleID, seed: seed, clock: clock)
  }
}

/// A device with an app that sells the products of ``ReaderStore``, from a launch to its end. It downloads the atlas later.
final class ReaderShop: Sendable {
  let store: EmulatedAppStore
  let folder: TestFolder
  let device: StoreKitDevice
  let vault: PurchaseVault
  let entitlements: EntitlementManager
  let library: ContentLibrary
  let downloads: ContentDownloads
  let delivery: ServerDelivery
  let ledgerCredits: LedgerCreditStore
  let credits: CreditManager
  let manager: InAppPurchaseManager
  let notifications = NotificationCenter()
  let log: NotificationLog
  let client: PurchaseServerClient
  private let keys: any VaultKeyStore
  private let removals = RemovalObserver()
  private let storeKit: StoreInterface

  typealias MakeClient = (any VaultKeyStore, DeviceIdentifier) -> PurchaseServerClient

  /// - Parameters:
  ///   - storeKit: the StoreKit that the app uses.
  ///   - deviceID: the device of a new installation; nil for a new device.
  ///   - books: the products that the app delivers with files from the server.
  ///   - connection: the connection to the store; nil for the store itself.
  ///   - proofMade: called when a proof has been made.
  ///   - makeClient: creates the server's client for a device.
  init(
    _ store: EmulatedAppStore, storeKit: StoreInterface = .storeKit1, folder: TestFolder = TestFolder(),
    keys: any VaultKeyStore = MemoryVaultKeyStore(),
    deviceID: UUID? = nil, books: Set<String> = [ReaderStore.book, ReaderStore.atlas],
    connection: (any AppStoreConnection)? = nil, proofMade: @escaping @Sendable () throws -> Void = {},
    clock: any MachineClock = SystemClock(), makeClient: MakeClient
  ) throws {
    self.store = store
    self.storeKit = storeKit
    self.folder = folder
    self.keys = keys
    let device = try StoreKitDevice(
      connection: connection ?? store, bundleID: ScriptedServer.bundleID,
      storage: .directory(folder.url.appending(path: "device")), deviceID: deviceID,
      customer: AutomaticCustomer(credentials: .customer), report: { _ in })
    self.device = device
    let identifier = DeviceIdentifier.vendorIdentifier(device.deviceID)
    vault = try PurchaseVault(
      at: folder.url.appending(path: "vault.sqlite"), keys: keys,
      owner: VaultOwner(bundleID: ScriptedServer.bundleID, deviceIdentifier: identifier))
    let receipts = ReceiptReader(
      url: { device.receiptURL }, anchors: device.receiptAnchors, bundleID: ScriptedServer.bundleID, device: identifier,
      environments: [.sandbox])
    let transactions = TransactionReader(
      calls: .on(device), anchors: { device.transactionAnchors }, bundleID: ScriptedServer.bundleID, device: identifier,
      environments: [.sandbox])
    let source: any EntitlementSource = if storeKit == .storeKit1 { receipts } else { transactions }
    entitlements = EntitlementManager(
      vault: vault, receipts: source, productIdentifiers: books,
      notifications: notifications)
    library = try ContentLibrary(at: folder.url.appending(path: "content"))
    let client = makeClient(keys, identifier)
    self.client = client
    let eager = EagerRetry()
    downloads = ContentDownloads(library: library, server: client, retry: eager, notifications: notifications)
    delivery = ServerDelivery(
      server: client, downloads: downloads, entitlements: entitlements,
      productIdentifiers: books, deferredIdentifiers: [ReaderStore.atlas],
      proof: { purchase in
        let proof =
          switch storeKit {
          case .storeKit1: try receipts.proof()
          case .storeKit2: try await transactions.proof(of: purchase)
          }
        try proofMade()
        return proof
      })
    ledgerCredits = try LedgerCreditStore(
      at: folder.url.appending(path: "credits.sqlite"), server: client, unit: "coins", retry: eager,
      proof: {
        let proof = try receipts.proof()
        try proofMade()
        return proof
      })
    credits = CreditManager(
      store: ledgerCredits, creditsForProduct: [ReaderStore.coins: 5], notifications: notifications)
    let deliveries: [any ProductDelivery] = [delivery, entitlements, credits]
    manager =
      switch storeKit {
      case .storeKit1:
        InAppPurchaseManager(
          deliveries: deliveries, queue: device.paymentQueue, notifications: notifications,
          makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) },
          paymentsAllowed: { device.paymentsAllowed }, retry: ManualRetry(), server: client, clock: clock)
      case .storeKit2:
        InAppPurchaseManager(
          deliveries: deliveries, calls: .on(device), notifications: notifications, retry: ManualRetry(),
          server: client, clock: clock)
      }
    log = NotificationLog(
      notifications, .InAppPurchaseManagerTransactionSucceededNotification,
      .InAppPurchaseManagerTransactionRefusedNotification, .InAppPurchaseManagerTransactionKeptNotification,
      .InAppPurchaseManagerProductsRevokedNotification)
    // An observer would hide that StoreKit 2 works without one.
    if storeKit == .storeKit1 { device.paymentQueue.add(removals) }
    manager.start()
  }

  @discardableResult
  func buy(_ product: String) async throws -> PaidPurchase {
    try await manager.purchase(manager.products([product])[0])
  }

  /// Returns when all transactions are finished and the queue is empty.
  func untilQueueIsEmpty() async {
    if storeKit == .storeKit2 { while !isQueueEmpty { await Task.yield() } }
    if isQueueEmpty { return }
    for await _ in removals.stream.stream where isQueueEmpty { return }
  }

  /// Whether all transactions are finished and the queue is empty.
  var isQueueEmpty: Bool {
    switch storeKit {
    case .storeKit1: device.paymentQueue.transactions.isEmpty
    case .storeKit2: device.openPaymentCount == 0
    }
  }

  /// Ends the app.
  func close() async throws {
    manager.stop()
    try await device.close()
    try vault.close()
    try library.close()
    try ledgerCredits.close()
  }

  /// Ends the app, and launches it again on the same device.
  func relaunched(
    books: Set<String> = [ReaderStore.book, ReaderStore.atlas], makeClient: MakeClient
  ) async throws -> ReaderShop {
    try await close()
    return try ReaderShop(
      store, storeKit: storeKit, folder: folder, keys: keys, books: books, makeClient: makeClient)
  }
}

private final class RemovalObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  let stream = AsyncStream.makeStream(of: Void.self)

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    stream.continuation.yield()
  }
}
