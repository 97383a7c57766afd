import Foundation
import StoreModel

/// A purchase in a verified proof.
public struct ProvenPurchase: Hashable, Sendable {
  public var transactionID: TransactionID
  public var originalTransactionID: TransactionID
  public var productID: ProductID
  /// The type of the product; nil if the proof does not contain it. The type in the ledger's catalog is then used.
  public var type: ProductType?
  /// The purchased quantity, at least 1.
  public var quantity: Int
  /// Whether the proof contains the quantity. If not, ``quantity`` is 1.
  var statesQuantity = true
  public var purchaseDate: StoreDate
  public var originalPurchaseDate: StoreDate
  /// The end of a subscription's period, without a grace period.
  public var expiresDate: StoreDate?
  /// How the customer got the purchase; nil if the proof does not contain it, as an app receipt. A claim that was made with another
  /// proof then keeps what that one stated; a new claim counts as purchased.
  public var ownership: OwnershipType?
  /// The token that the app set at the purchase; nil if the app set no token, or if the proof does not contain it.
  public var appAccountToken: UUID?
  /// Nil if the purchase was not refunded or revoked.
  public var revocation: Revocation?
  /// What the customer has paid; nil if the proof does not contain it, as a receipt.
  public var price: PurchasePrice?
  /// The kind of a subscription's period; nil if the proof does not contain it, as a receipt, and for other products.
  public var periodType: PurchasePeriodType?
  /// Whether another plan of the subscription replaced this period before its end. ``expiresDate`` is then the latest date at which
  /// that can have happened.
  var isUpgraded = false
  /// When another plan of the subscription replaced this period, at an upgrade. It is set only in the store's answers.
  var replacedDate: StoreDate?
  /// When the store stated the expiration date and the revocation; nil if it stated them at the proof's
  /// ``VerifiedProof/statedDate``. It is set with the verification method `serverAPI`, and with `both` if the store's answer
  /// shows that the receipt is out of date.
  var statedDate: StoreDate?

  /// A refund, or the end of family sharing.
  public struct Revocation: Hashable, Sendable {
    public var date: StoreDate
    /// 1 for a problem with the app, 0 for another reason; nil if the proof does not contain it.
    public var reason: Int64?
    /// The refunded part in thousandths of a percent, 1 to 100 000; nil if the proof does not contain it.
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
    expiresDate: StoreDate? = nil, ownership: OwnershipType? = nil, appAccountToken: UUID? = nil,
    revocation: Revocation? = nil, price: PurchasePrice? = nil, periodType: PurchasePeriodType? = nil
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
    self.price = price
    self.periodType = periodType
  }
}
