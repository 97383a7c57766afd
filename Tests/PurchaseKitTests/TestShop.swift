import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel

/// An emulated store, a device, and an app's manager over them, in one process.
struct TestShop {
  static let bundleID: BundleID = "com.example.credits"
  static let five = "com.example.credits.five"
  static let ten = "com.example.credits.ten"
  static let unknown = "com.example.credits.later"

  let store: EmulatedAppStore
  let device: StoreKitDevice
  let credits: CreditManager
  let manager: InAppPurchaseManager
  let notifications = NotificationCenter()

  init(
    creditStore: (any CreditStore)? = nil, customer: any StoreCustomer = AutomaticCustomer(credentials: .customer)
  ) async throws {
    store = try EmulatedAppStore(.inMemory(seed: 5))
    let catalog = """
      {"products": [
        {"productID": "\(Self.five)", "type": "Consumable", "displayPrice": "0.99"},
        {"productID": "\(Self.ten)", "type": "Consumable", "displayPrice": "1.99"},
        {"productID": "\(Self.unknown)", "type": "Consumable", "displayPrice": "2.99"}
      ], "version": {"major": 4, "minor": 0}}
      """
    try await store.serve(
      Self.bundleID, catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "test.storekit")])
    let device = try StoreKitDevice(
      connection: store, bundleID: Self.bundleID, storage: .inMemory, customer: customer, report: { _ in })
    self.device = device
    credits = CreditManager(
      store: try creditStore ?? SQLiteCreditStore(at: nil), creditsForProduct: [Self.five: 5, Self.ten: 10],
      notifications: notifications)
    manager = InAppPurchaseManager(
      deliveries: [credits], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) })
  }

  func product(_ identifier: String) async throws -> SKProduct {
    try await manager.products([identifier])[0]
  }
}

extension SignInCredentials {
  static let customer = SignInCredentials(account: "customer")
}

/// Collects notifications, each to be waited for.
final class NotificationLog: @unchecked Sendable {
  private let stream = AsyncStream.makeStream(of: Entry.self)
  private var observations: [any NSObjectProtocol] = []

  struct Entry: @unchecked Sendable {
    let name: Notification.Name
    let userInfo: [AnyHashable: Any]
  }

  init(_ center: NotificationCenter, _ names: Notification.Name...) {
    let continuation = stream.continuation
    observations = names.map { name in
      center.addObserver(forName: name, object: nil, queue: nil) {
        continuation.yield(Entry(name: $0.name, userInfo: $0.userInfo ?? [:]))
      }
    }
  }

  func next() async -> Entry? { await stream.stream.first { _ in true } }
}
