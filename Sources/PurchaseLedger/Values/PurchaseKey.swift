import StoreModel

/// Identifies a purchase or transaction within a ledger. The key does not contain the store, because all purchases of a
/// ledger are from the same store.
public struct PurchaseKey: Hashable, Codable, Sendable {
  public let app: BundleID
  public let environment: StoreEnvironment
  public let id: TransactionID

  public init(app: BundleID, environment: StoreEnvironment, id: TransactionID) {
    self.app = app
    self.environment = environment
    self.id = id
  }
}
