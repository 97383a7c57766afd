/// The result of a restore.
public struct RestoredPurchases: Hashable, Sendable {
  /// The purchases that were delivered now or before, in the order of their arrival. Each original transaction occurs once.
  public let given: [PaidPurchase]
  /// The products that could not be delivered and are kept. See ``InAppPurchaseManager/keptTransactions``.
  public let keptProductIdentifiers: [String]
  /// The products of purchases that grant nothing (``RefusedPurchase``).
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
