import StoreModel

extension AppReceipt {
  /// One purchase in an app receipt (Apple's "In-App Purchase Receipt Fields"; each property begins with its type).
  public struct InAppPurchase: Hashable, Sendable {
    /// 1701: the number of units; 1 if it is missing.
    public var quantity: Int = 1
    /// 1702: the product.
    public var productID: ProductID
    /// 1703: the transaction id.
    public var transactionID: TransactionID
    /// 1704: the purchase date.
    public var purchaseDate: StoreDate
    /// 1705: the original transaction id; ``transactionID`` if it is missing, as in Xcode's receipts.
    public var originalTransactionID: TransactionID
    /// 1706: the original purchase date; ``purchaseDate`` if it is missing, as in Xcode's receipts.
    public var originalPurchaseDate: StoreDate
    /// 1707: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable.
    public var rawProductType: Int64?
    /// 1708: the date when a subscription ends or renews.
    public var expiresDate: StoreDate?
    /// 1710: the App Store's number of the product; 0 in the sandbox.
    public var itemID: Int64?
    /// 1711: the id of the subscription period; 0 if the product is not a subscription.
    public var webOrderLineItemID: Int64?
    /// 1712: the date when the purchase was refunded or revoked, or when the customer upgraded to another plan.
    public var cancellationDate: StoreDate?
    /// 1713: whether a subscription is in its free trial.
    public var isTrialPeriod: Bool?
    /// 1719: whether a subscription is in its introductory offer.
    public var isInIntroductoryOfferPeriod: Bool?
    /// 1721: the identifier of the promotional offer.
    public var promotionalOfferID: String?
    /// Attributes of unknown types, not decoded. At most 64; more are ignored.
    public var unknownAttributes: [Attribute] = []

    init(productID: ProductID, transactionID: TransactionID, purchaseDate: StoreDate) {
      self.productID = productID
      self.transactionID = transactionID
      self.purchaseDate = purchaseDate
      originalTransactionID = transactionID
      originalPurchaseDate = purchaseDate
    }

    /// The product type; nil if it is missing or unknown.
    public var productType: ProductType? {
      switch rawProductType {
      case 0: .nonConsumable
      case 1: .consumable
      case 2: .nonRenewingSubscription
      case 3: .autoRenewableSubscription
      default: nil
      }
    }

    /// Makes the entry of a receipt of StoreKit testing in Xcode: without the original transaction.
    public init(xcode record: TransactionRecord) {
      self.init(
        productID: record.productID, transactionID: record.transactionID, purchaseDate: record.purchaseDate)
      quantity = record.quantity
      expiresDate = record.expiresDate
      isInIntroductoryOfferPeriod = record.type == .autoRenewableSubscription ? record.offerType == .introductory : nil
    }

    /// Makes the receipt's entry for a stored transaction. Dates are written in whole seconds.
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
      cancellationDate = record.cancellationDate
      isTrialPeriod = record.offerDiscountType == .freeTrial
      isInIntroductoryOfferPeriod = record.offerType == .introductory && record.offerDiscountType != .freeTrial
      promotionalOfferID = record.offerType == .promotional ? record.offerIdentifier : nil
      unknownAttributes = Self.undocumentedAttributes
    }

    /// The attributes without a documented meaning that purchases in receipts of the App Store have: empty texts, and 0
    /// (1722). In the order of their encodings.
    private static let undocumentedAttributes: [Attribute] =
      ([1709] + (1714...1718)).map { Attribute(type: $0, value: emptyText) } + [
        Attribute(type: 1722, value: DERWriter.integer(0))
      ]
    /// The encoding of an empty UTF8String.
    static let emptyText = DERWriter.utf8String("")
  }
}
