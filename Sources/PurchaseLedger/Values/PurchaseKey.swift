import StoreModel

/// Names a purchase, or a transaction, among all that a ledger can know. The trust anchors are the ledger's own.
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
