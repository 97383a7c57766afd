import Foundation
import PurchaseKit

/// Records notifications. The test waits for them one by one.
final class NotificationLog: Sendable {
  private let stream = AsyncStream.makeStream(of: Entry.self)

  struct Entry: @unchecked Sendable {
    let name: Notification.Name
    let userInfo: [AnyHashable: Any]

    var transaction: StoreTransaction? { userInfo[InAppPurchaseManager.transactionKey] as? StoreTransaction }
    var payment: StorePayment? { userInfo[InAppPurchaseManager.paymentKey] as? StorePayment }
    var restoredPurchases: RestoredPurchases? {
      userInfo[InAppPurchaseManager.restoredPurchasesKey] as? RestoredPurchases
    }
    var revokedProducts: [String]? { userInfo[InAppPurchaseManager.productIdentifiersKey] as? [String] }
    var error: (any Error)? { userInfo[InAppPurchaseManager.errorKey] as? any Error }
  }

  init(_ center: NotificationCenter, _ names: Notification.Name...) {
    let continuation = stream.continuation
    for name in names {
      _ = center.addObserver(forName: name, object: nil, queue: nil) {
        continuation.yield(Entry(name: $0.name, userInfo: $0.userInfo ?? [:]))
      }
    }
  }

  /// Returns the next notification, after all its observers have received it.
  func next() async -> Entry? {
    let entry = await stream.stream.first { _ in true }
    await MainActor.run {}
    return entry
  }
}
