/// Gives customers what they bought: one for each kind of goods an app sells.
public protocol ProductDelivery: AnyObject, Sendable {
  /// Whether this is who gives `productIdentifier`.
  func handles(_ productIdentifier: String) -> Bool

  /// Why the product could not be given now, in words that fit a button; nil where it can be. Asked before anything is paid.
  func obstacle(to productIdentifier: String) -> String?

  /// Gives the product, durably, before it returns. The transaction is finished after that and not before.
  ///
  /// It may be called again with the same transaction identifier, and must then give nothing more.
  ///
  /// - Throws: whatever kept it from giving. The transaction is then left unfinished, and comes again. ``RefusedPurchase`` says
  ///   that nothing is owed: the transaction is finished, and the customer told.
  func deliver(_ purchase: PaidPurchase) async throws

  /// Takes products back, durably, that the customer was refunded or is no longer shared by the family.
  ///
  /// - Parameter productIdentifiers: those of the products it handles.
  func revoke(productIdentifiers: Set<String>) async throws

  /// All that the customer owns was restored and given.
  func restoreFinished() throws
}

extension ProductDelivery {
  /// Nothing is in the way.
  public func obstacle(to productIdentifier: String) -> String? { nil }

  /// Does nothing: what was consumed cannot be taken back.
  public func revoke(productIdentifiers: Set<String>) async throws {}

  /// Does nothing.
  public func restoreFinished() throws {}
}
