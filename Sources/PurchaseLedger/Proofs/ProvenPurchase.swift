import Foundation
import StoreModel

/// A purchase that the store vouches for: one entry of a verified proof.
public struct ProvenPurchase: Hashable, Sendable {
  public var transactionID: TransactionID
  public var originalTransactionID: TransactionID
  public var productID: ProductID
  /// Nil where the proof does not say; the ledger's catalog then does.
  public var type: ProductType?
  /// At least 1.
  public var quantity: Int
  public var purchaseDate: StoreDate
  public var originalPurchaseDate: StoreDate
  /// Subscriptions: when the period ends. A grace period is not in it.
  public var expiresDate: StoreDate?
  public var ownership: OwnershipType
  /// What the app gave at the purchase; nil also where the proof does not carry it.
  public var appAccountToken: UUID?
  /// Nil if the purchase stands.
  public var revocation: Revocation?

  /// That a purchase does not stand any more.
  public struct Revocation: Hashable, Sendable {
    public var date: StoreDate
    /// 1 for a problem with the app, 0 for another reason; nil where the proof does not say.
    public var reason: Int64?
    /// How much of it, in thousandths of a percent: 1 to 100 000; nil where the proof does not say.
    public var percentage: Int64?

    public init(date: StoreDate, reason: Int64? = nil, percentage: Int64? = nil) {
      self.date = date
      self.reason = reason
      self.percentage = percentage
    }
  }

  public init(
    transactionID: TransactionID, originalTransactionID: TransactionID? = nil, productID: ProductID,
    type: ProductType? = nil, quantity: Int = 1, purchaseDate: StoreDate, originalPurchaseDate: StoreDate? = nil,
    expiresDate: StoreDate? = nil, ownership: OwnershipType = .purchased, appAccountToken: UUID? = nil,
    revocation: Revocation? = nil
  ) {
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID ?? transactionID
    self.productID = productID
    self.type = type
    self.quantity = quantity
    self.purchaseDate = purchaseDate
    self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
    self.expiresDate = expiresDate
    self.ownership = ownership
    self.appAccountToken = appAccountToken
    self.revocation = revocation
  }
}
