import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import SampleApp
import SharedFixtures
import ShopFixtures
import StoreKit
import StoreModel

@testable import CommandLineTool

/// A phone whose app knows no product ids.
final class UnknownProductPhone: Sendable {
  static let product = "com.example.later"

  let network: CountingConnection
  let clock = SteppedClock()
  let device: StoreKitDevice
  let manager: InAppPurchaseManager
  private let notifications = NotificationCenter()
  private let kept = LockedValue(0)

  var keptCount: Int { kept.value }

  /// - Parameter owesProduct: whether an unknown product was bought for it.
  init(owesProduct: Bool = true) async throws {
    let app: BundleID = "com.example.app"
    let store = try await EmulatedAppStore.selling([.consumable(Self.product, 990)], in: app, seed: 4)
    network = CountingConnection(store)
    let device = try StoreKitDevice(
      connection: network, bundleID: app, storage: .inMemory,
      retry: TimedRetry(RetryPauses(always: .milliseconds(20)), clock: clock), report: { _ in })
    self.device = device
    try await device.signIn(SignInCredentials(account: "customer"))
    if owesProduct { _ = try await store.purchase(ProductID(Self.product), of: app, for: "customer", in: .sandbox) }
    manager = InAppPurchaseManager(
      deliveries: [], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) },
      retry: TimedRetry(RetryPauses(always: .milliseconds(20)), clock: clock))
  }

  /// The products of purchases that stay pending from now on.
  func keptProducts() -> AsyncStream<String> {
    let (products, product) = AsyncStream.makeStream(of: String.self)
    _ = notifications.addObserver(
      forName: .InAppPurchaseManagerTransactionKeptNotification, object: nil, queue: nil
    ) { [unowned self] notification in
      kept.withLock { $0 += 1 }
      let transaction = notification.userInfo?[InAppPurchaseManager.transactionKey] as? StoreTransaction
      product.yield(transaction?.productIdentifier ?? "")
    }
    return products
  }
}
