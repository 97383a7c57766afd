import StoreModel

/// The purchases of a proof that the customer wants to redeem.
public enum RedemptionRequest: Hashable, Sendable {
  /// Only these purchases. The others in the proof are not claimed.
  case purchases([Item])
  /// All purchases except consumables. Used to restore purchases.
  case everythingOwned

  /// A purchase to redeem.
  public struct Item: Hashable, Sendable {
    /// The transaction id in the proof, or the original transaction id of a restored or repeated purchase.
    public let transactionID: TransactionID
    /// The product that the app expects; nil for any product.
    public let productID: ProductID?

    public init(transactionID: TransactionID, productID: ProductID? = nil) {
      self.transactionID = transactionID
      self.productID = productID
    }
  }
}
