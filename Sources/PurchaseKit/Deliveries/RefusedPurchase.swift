import Foundation
import StoreModel

/// Thrown by a ``ProductDelivery`` if a purchase grants nothing: it was refunded, or it was restored and belongs to another
/// customer. The manager then finishes the transaction, and posts
/// ``Foundation/NSNotification/Name/InAppPurchaseManagerTransactionRefusedNotification`` with this error.
public struct RefusedPurchase: DescribedError, Hashable, Sendable {
  public let productIdentifier: String
  /// The server's refusal, or an equivalent one made from the app receipt.
  public let refusal: ServerRefusal

  public init(productIdentifier: String, refusal: ServerRefusal) {
    self.productIdentifier = productIdentifier
    self.refusal = refusal
  }

  public var description: String { refusal.message }
}

extension RefusedPurchase: CustomerFacingError {
  public func customerMessage(_ names: CustomerNames) -> String {
    "You do not receive \(names.product(productIdentifier)). \(refusal.customerMessage(names))"
  }
}
