import Foundation
import StoreModel

/// Thrown by a ``ProductDelivery`` if a transaction has the identifier of another purchase, which was delivered before.
/// Nothing was granted for the new purchase, and its transaction stays unfinished.
///
/// The App Store uses an identifier only once. An emulated store repeats identifiers if it has a seed and an older copy of
/// its folder was put back.
public struct TransactionIdentifierReused: DescribedError, Hashable, Sendable {
  public let transactionIdentifier: String
  /// The product of the new purchase.
  public let productIdentifier: String
  /// The product that was delivered under this identifier.
  public let deliveredProductIdentifier: String
  /// The date of the purchase that was delivered.
  public let deliveredPurchaseDate: Date

  public init(
    transactionIdentifier: String, productIdentifier: String, deliveredProductIdentifier: String,
    deliveredPurchaseDate: Date
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.productIdentifier = productIdentifier
    self.deliveredProductIdentifier = deliveredProductIdentifier
    self.deliveredPurchaseDate = deliveredPurchaseDate
  }

  public var description: String {
    "Transaction \(transactionIdentifier) for \(productIdentifier) has the identifier of another purchase: "
      + "\(deliveredProductIdentifier) of \(deliveredPurchaseDate.formatted(.iso8601)), which was delivered before. "
      + "The store was put back to an earlier state. Nothing was granted; the transaction stays in the queue."
  }
}

extension TransactionIdentifierReused: CustomerFacingError {
  public func customerMessage(_ names: CustomerNames) -> String {
    "The App Store gave your purchase of \(names.product(productIdentifier)) the number of an earlier purchase, so it "
      + "could not be delivered. The purchase is kept. Contact us."
  }
}
