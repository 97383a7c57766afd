import Foundation
import OpenStoreKit
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("The errors of the manager's notifications", .timeLimit(.minutes(30)))
struct NotificationErrorTests {
  private struct OwnError: Error, CustomStringConvertible { let description = "The shelf is full." }

  /// A delivery that fails with an error, and revokes nothing.
  private final class FailingDelivery: ProductDelivery {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    func handles(_ productIdentifier: String) -> Bool { true }
    func deliver(_ purchase: PaidPurchase) async throws { throw error }
    func revoke(productIdentifiers: Set<String>) async throws { throw error }
    func restoreFinished() throws { throw error }
  }

  /// Returns the error of the next notification of this name.
  private func error(
    _ name: Notification.Name, of manager: InAppPurchaseManager, _ act: () async throws -> Void
  ) async throws -> Any? {
    let (values, value) = AsyncStream.makeStream(of: UncheckedBox.self)
    let token = manager.notifications.addObserver(forName: name, object: manager, queue: nil) {
      value.yield(UncheckedBox(value: $0.userInfo?["error"]))
    }
    defer { manager.notifications.removeObserver(token) }
    try await act()
    return await values.first { _ in true }?.value
  }

  private struct UncheckedBox: @unchecked Sendable { let value: Any? }

  @Test("B8 I2 a failed product request's error is an NSError when cast, as the field's code does")
  func productRequest() async throws {
    let shop = try await TestShop()
    shop.network.isUp = false
    let any = try await error(.InAppPurchaseManagerRequestFailedNotification, of: shop.manager) {
      shop.manager.requestProductData([TestShop.five])
    }
    let cast = any as! NSError
    #expect(cast.domain == NSURLErrorDomain)
  }

  @Test(
    "I2 the errors of kept and revoked products are NSErrors when cast, and keep their types",
    arguments: [
      OwnError(), PurchaseServerError.customerChanged, CancellationError(), URLError(.timedOut),
    ] as [any Error])
  func deliveries(_ thrown: any Error) async throws {
    let shop = try await TestShop()
    let manager = InAppPurchaseManager(
      deliveries: [FailingDelivery(thrown)], queue: shop.device.paymentQueue, notifications: shop.notifications,
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: shop.device) })
    manager.start()
    let kept = try await error(.InAppPurchaseManagerTransactionKeptNotification, of: manager) {
      let product = try await manager.products([TestShop.five])[0]
      try manager.purchaseProduct(product)
    }
    let revoked = try await error(.InAppPurchaseManagerProductsRevokedNotification, of: manager) {
      manager.revoked([TestShop.five])
    }
    let restored = try await error(.InAppPurchaseManagerRestoreFailedNotification, of: manager) {
      try manager.restore()
    }
    for any in [kept, revoked, restored] {
      let cast = any as! NSError
      #expect(cast.domain == thrown._domain)
      if thrown is OwnError { #expect(cast.localizedDescription == "The shelf is full.") }
      if let thrown = thrown as? PurchaseServerError { #expect(any as? PurchaseServerError == thrown) }
    }
    manager.stop()
  }
}
