import StoreModel

/// What of a proof is claimed.
public enum RedemptionRequest: Hashable, Sendable {
  /// These purchases and no other. A proof does not bind all that it contains.
  case purchases([Item])
  /// All that lasts: everything but consumables. What restoring asks for.
  case everythingOwned

  /// A purchase that is claimed.
  public struct Item: Hashable, Sendable {
    /// As the proof has it. For what was restored or bought again, also the original's.
    public let transactionID: TransactionID
    /// What the app believes it is; nil for whatever it is.
    public let productID: ProductID?

    public init(transactionID: TransactionID, productID: ProductID? = nil) {
      self.transactionID = transactionID
      self.productID = productID
    }
  }
}
