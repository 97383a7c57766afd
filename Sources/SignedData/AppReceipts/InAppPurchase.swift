import StoreModel

extension AppReceipt {
  /// One purchase in an app receipt (Apple's "In-App Purchase Receipt Fields"; types in parentheses).
  public struct InAppPurchase: Hashable, Sendable {
    /// 1701; 1 if it was left out.
    public var quantity: Int = 1
    /// 1702.
    public var productID: ProductID
    /// 1703.
    public var transactionID: TransactionID
    /// 1704.
    public var purchaseDate: StoreDate
    /// 1705; ``transactionID`` if it was left out, as Xcode does.
    public var originalTransactionID: TransactionID
    /// 1706; ``purchaseDate`` if it was left out, as Xcode does.
    public var originalPurchaseDate: StoreDate
    /// 1707: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable.
    public var rawProductType: Int64?
    /// 1708: when a subscription ends or renews.
    public var expiresDate: StoreDate?
    /// 1710: the App Store's number for the product; 0 in the sandbox.
    public var itemID: Int64?
    /// 1711: 0 when not a subscription.
    public var webOrderLineItemID: Int64?
    /// 1712: when it was refunded or revoked.
    public var cancellationDate: StoreDate?
    /// 1713.
    public var isTrialPeriod: Bool?
    /// 1719.
    public var isInIntroductoryOfferPeriod: Bool?
    /// 1721.
    public var promotionalOfferID: String?
    /// Attributes this version has no name for, as they are; at most 64, further ones are passed over.
    public var unknownAttributes: [Attribute] = []

    init(productID: ProductID, transactionID: TransactionID, purchaseDate: StoreDate) {
      self.productID = productID
      self.transactionID = transactionID
      self.purchaseDate = purchaseDate
      originalTransactionID = transactionID
      originalPurchaseDate = purchaseDate
    }

    /// The kind of product; nil if it was left out or is not known.
    public var productType: ProductType? {
      switch rawProductType {
      case 0: .nonConsumable
      case 1: .consumable
      case 2: .nonRenewingSubscription
      case 3: .autoRenewableSubscription
      default: nil
      }
    }

    /// Renders a stored transaction as a receipt lists it. Dates lose what is finer than a second.
    public init(record: TransactionRecord) {
      self.init(
        productID: record.productID, transactionID: record.transactionID, purchaseDate: record.purchaseDate)
      quantity = record.quantity
      originalTransactionID = record.originalTransactionID
      originalPurchaseDate = record.originalPurchaseDate
      rawProductType =
        switch record.type {
        case .nonConsumable: 0
        case .consumable: 1
        case .nonRenewingSubscription: 2
        case .autoRenewableSubscription: 3
        }
      expiresDate = record.expiresDate
      itemID = record.itemID
      webOrderLineItemID = record.webOrderLineItemID.flatMap(Int64.init) ?? 0
      cancellationDate = record.revocationDate
      isTrialPeriod = record.offerDiscountType == .freeTrial
      isInIntroductoryOfferPeriod = record.offerType == .introductory && record.offerDiscountType != .freeTrial
      promotionalOfferID = record.offerType == .promotional ? record.offerIdentifier : nil
    }
  }
}
