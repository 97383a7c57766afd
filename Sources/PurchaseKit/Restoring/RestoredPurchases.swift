/// What a restore brought back.
public struct RestoredPurchases: Hashable, Sendable {
  /// What was given, or had been given before, in the order in which it came; each original transaction once.
  public let given: [PaidPurchase]
  /// What could not be given, and is kept: the products. See ``InAppPurchaseManager/keptTransactions``.
  public let keptProductIdentifiers: [String]
  /// What gives nothing (``RefusedPurchase``): the products.
  public let refusedProductIdentifiers: [String]

  public init(
    given: [PaidPurchase], keptProductIdentifiers: [String] = [], refusedProductIdentifiers: [String] = []
  ) {
    self.given = given
    self.keptProductIdentifiers = keptProductIdentifiers
    self.refusedProductIdentifiers = refusedProductIdentifiers
  }

  /// Whether there was nothing to restore.
  public var isEmpty: Bool {
    given.isEmpty && keptProductIdentifiers.isEmpty && refusedProductIdentifiers.isEmpty
  }
}
