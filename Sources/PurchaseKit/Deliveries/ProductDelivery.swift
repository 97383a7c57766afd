/// Delivers products to the customer. An app has one delivery for each kind of product.
public protocol ProductDelivery: AnyObject, Sendable {
  /// Returns whether this delivery delivers the product.
  func handles(_ productIdentifier: String) -> Bool

  /// Returns why the product could not be delivered now, as a text that fits on a button; nil if it could. Called before a
  /// payment.
  func obstacle(to productIdentifier: String) -> String?

  /// Delivers the product, durably, before it returns. The transaction is finished after that.
  ///
  /// It may be called again with the same transaction identifier, and must then deliver nothing more.
  ///
  /// - Throws: ``RefusedPurchase`` if the purchase grants nothing; the transaction is then finished. After any other error
  ///   the transaction stays unfinished and is delivered again.
  func deliver(_ purchase: PaidPurchase) async throws

  /// Durably revokes products that were refunded, or that are no longer shared with the customer by the family.
  ///
  /// - Parameter productIdentifiers: products that this delivery handles.
  func revoke(productIdentifiers: Set<String>) async throws

  /// Called when a restore has ended, and all products that the customer owns were delivered.
  func restoreFinished() throws
}

extension ProductDelivery {
  /// Returns nil: there is no obstacle.
  public func obstacle(to productIdentifier: String) -> String? { nil }

  /// Does nothing: consumables cannot be revoked.
  public func revoke(productIdentifiers: Set<String>) async throws {}

  /// Does nothing.
  public func restoreFinished() throws {}
}
