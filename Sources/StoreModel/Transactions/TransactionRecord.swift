import Foundation

/// One transaction as the store keeps it for ever: everything that any door will ever show of it.
///
/// Receipts, `verifyReceipt`, signed transactions, the server API, notifications and the console all render
/// this one record, so they cannot disagree. What a door adds of its own (the date of signing, the device
/// it is signed for) is not here.
public struct TransactionRecord: Hashable, Codable, Sendable {
  public let environment: StoreEnvironment
  public let bundleID: BundleID
  public private(set) var transactionID: TransactionID
  /// Equal to `transactionID` for a first purchase.
  public let originalTransactionID: TransactionID
  /// Auto-renewable subscriptions: one for each period, across devices.
  public var webOrderLineItemID: String?

  public let productID: ProductID
  public let type: ProductType
  /// The App Store's number for the product; 0 in the sandbox.
  public var itemID: Int64 = 0
  public var subscriptionGroupID: SubscriptionGroupID?

  /// When the customer was charged.
  public private(set) var purchaseDate: StoreDate
  /// `purchaseDate` of the original transaction.
  public let originalPurchaseDate: StoreDate
  public var expiresDate: StoreDate?
  public let quantity: Int
  /// What was charged in all: quantity and offer included.
  public let price: Milliunits
  /// An ISO 4217 code.
  public let currency: String
  public let storefrontCountryCode: String
  public let storefrontID: String
  public let reason: TransactionReason

  /// One for each customer and app, across devices.
  public let appTransactionID: String
  public var appAccountToken: UUID?
  /// What the app gave as `SKPayment.applicationUsername`.
  public var applicationUsername: String?
  public var ownership: OwnershipType = .purchased

  public var revocationDate: StoreDate?
  public var revocationReason: RevocationReason?
  public var revocationType: RevocationType?
  /// The share that was taken back, in thousandths of a percent: 0 to 100,000.
  public var revocationPercentage: Int?

  public var isUpgraded = false
  public var offerType: TransactionOfferType?
  /// The promotional or win-back identifier, or the offer code's name; nil for an introductory offer.
  public var offerIdentifier: String?
  public var offerDiscountType: OfferDiscountType?
  public var offerPeriod: SubscriptionPeriod?
  public var billingPlanType: BillingPlanType?
  public var commitment: Commitment?
  public var previousOriginalTransactionID: TransactionID?
  /// Multiseat purchases: how many seats were taken back.
  public var revokedSeatQuantity: Int64?
  /// Multiseat purchases: who invites, `APPLE` or `DEVELOPER`.
  public var invitationManagement: String?
  /// The Advanced Commerce object, as the JSON text that is shown.
  public var advancedCommerceInfo: String?

  /// A yearly commitment that is billed month by month.
  public struct Commitment: Hashable, Codable, Sendable {
    /// 1 to 12.
    public let billingPeriodNumber: Int
    public let totalBillingPeriods: Int
    public let expiresDate: StoreDate
    public let price: Milliunits

    public init(billingPeriodNumber: Int, totalBillingPeriods: Int, expiresDate: StoreDate, price: Milliunits) {
      self.billingPeriodNumber = billingPeriodNumber
      self.totalBillingPeriods = totalBillingPeriods
      self.expiresDate = expiresDate
      self.price = price
    }
  }

  public init(
    environment: StoreEnvironment, bundleID: BundleID, transactionID: TransactionID,
    originalTransactionID: TransactionID, productID: ProductID, type: ProductType, purchaseDate: StoreDate,
    originalPurchaseDate: StoreDate, quantity: Int, price: Milliunits, currency: String,
    storefrontCountryCode: String, storefrontID: String, reason: TransactionReason, appTransactionID: String
  ) {
    self.environment = environment
    self.bundleID = bundleID
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.productID = productID
    self.type = type
    self.purchaseDate = purchaseDate
    self.originalPurchaseDate = originalPurchaseDate
    self.quantity = quantity
    self.price = price
    self.currency = currency
    self.storefrontCountryCode = storefrontCountryCode
    self.storefrontID = storefrontID
    self.reason = reason
    self.appTransactionID = appTransactionID
  }

  /// The same purchase as StoreKit 1 shows it when it is delivered once more, under an id of its own.
  public func redelivered(as transactionID: TransactionID, on date: StoreDate) -> TransactionRecord {
    var record = self
    record.transactionID = transactionID
    record.purchaseDate = date
    return record
  }
}
