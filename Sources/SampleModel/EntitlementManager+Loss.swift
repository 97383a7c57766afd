import Foundation
import PurchaseKit

extension EntitlementManager {
  /// Returns the reason why the customer has lost a product, to be shown beside it. Nil if the customer owns the product,
  /// or never owned it. The receipt does not distinguish a refund from the end of Family Sharing.
  func lossText(of productIdentifier: String) throws -> String? {
    guard try !isEntitled(to: productIdentifier) else { return nil }
    let ends = entitlements.filter { $0.productIdentifier == productIdentifier }.compactMap(\.revocationDate)
    guard let end = ends.max() else { return nil }
    let day = end.formatted(.iso8601.year().month().day())
    return "Refunded, or no longer shared with you, on \(day). Buy it again to use it."
  }
}
