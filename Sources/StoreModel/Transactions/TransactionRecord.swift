import Foundation

/// A transaction in the records of the store.
///
/// Receipts, `verifyReceipt`, signed transactions, the control API and the console all read this record, so they agree with
/// each other. Values that only one of them adds (the date of signing, the device it is signed for) are not here.
public struct TransactionRecord: Hashable, Codable, Sendable {
  public let environment: StoreEnvironment
  public let bundleID: BundleID
  public private(set) var transactionID: TransactionID
  /// Equal to `transactionID` for the first purchase.
  public private(set) var originalTransactionID: TransactionID
  /// Auto-renewable subscriptions: a different id for each period, the same on all devices.
  public var webOrderLineItemID: String?

  public let productID: ProductID
  public let type: ProductType
  /// The App Store's identifier of the product; 0 in the sandbox.
  public var itemID: Int64 = 0
  public var subscriptionGroupID: SubscriptionGroupID?

  /// The date of the purchase, or of the redelivery.
  public private(set) var purchaseDate: StoreDate
  /// The `purchaseDate` of the original transaction.
  public private(set) var originalPurchaseDate: StoreDate
  public var expiresDate: StoreDate?
  public private(set) var quantity: Int
  /// The total charge for all units, with the offer applied.
  public private(set) var price: Milliunits
  /// An ISO 4217 code.
  public private(set) var currency: String
  public private(set) var storefrontCountryCode: String
  public private(set) var storefrontID: String
  public private(set) var reason: TransactionReason

  /// The same id for all transactions of one customer and app, on all devices.
  public private(set) var appTransactionID: String
  public var appAccountToken: UUID?
  /// The app's `SKPayment.applicationUsername`.
  public var applicationUsername: String?
  public var ownership: OwnershipType = .purchased

  public var revocationDate: StoreDate?
  public var revocationReason: RevocationReason?
  public var revocationType: RevocationType?
  /// The part of the purchase that was revoked, in thousandths of a percent: 0 to 100,000.
  public var revocationPercentage: Int?

  /// Whether the customer upgraded to another plan during this subscription period.
  public var isUpgraded = false
  /// The date of the upgrade to another plan.
  public var upgradeDate: StoreDate?
  public var offerType: TransactionOfferType?
  /// The identifier of a promotional or win-back offer, or the name of an offer code; nil for an introductory offer.
  public var offerIdentifier: String?
  public var offerDiscountType: OfferDiscountType?
  public var offerPeriod: CalendarPeriod?
  public var billingPlanType: BillingPlanType?
  public var commitment: Commitment?
  public var previousOriginalTransactionID: TransactionID?
  /// Multiseat purchases: the number of revoked seats.
  public var revokedSeatQuantity: Int64?
  /// Multiseat purchases: who sends invitations, `APPLE` or `DEVELOPER`.
  public var invitationManagement: String?
  /// The Advanced Commerce object as JSON text.
  public var advancedCommerceInfo: String?

  /// Grows with each change that the signed transaction shows, within the customer, app and environment. The number of a
  /// ``StoreRevision``.
  public var revision: Int64 = 0

  /// A yearly commitment with monthly billing.
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

  /// The date of the purchase's refund, revocation or upgrade, which receipts show as the cancellation date.
  public var cancellationDate: StoreDate? { revocationDate ?? upgradeDate }

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

  /// The same purchase with another id and date, as StoreKit 1 shows it after a redelivery.
  public func redelivered(as transactionID: TransactionID, on date: StoreDate) -> TransactionRecord {
    var record = self
    record.transactionID = transactionID
    record.purchaseDate = date
    return record
  }

  /// The values of a family share that are the member's own.
  public struct Share {
    public let transactionID: TransactionID
    /// The date on which the purchase is shared with the member.
    public let date: StoreDate
    /// The first share of the same subscription that the member received; nil if this share is the first.
    public let first: TransactionRecord?
    /// Whether the share renews the member's share of the period before.
    public let isRenewal: Bool
    /// The id of the subscription period. Not used for other types.
    public let webOrderLineItemID: String
    /// The storefront of the member.
    public let storefront: Territory
    /// The id of the member and the app.
    public let appTransactionID: String

    public init(
      transactionID: TransactionID, date: StoreDate, first: TransactionRecord?, isRenewal: Bool,
      webOrderLineItemID: String, storefront: Territory, appTransactionID: String
    ) {
      self.transactionID = transactionID
      self.date = date
      self.first = first
      self.isRenewal = isRenewal
      self.webOrderLineItemID = webOrderLineItemID
      self.storefront = storefront
      self.appTransactionID = appTransactionID
    }
  }

  /// The transaction of a family member with whom this purchase is shared.
  ///
  /// It begins as a copy, so that a share has every value of the period, such as its offer. Only the values of the
  /// member, and those that concern the purchaser alone, are replaced.
  public func shared(_ share: Share) -> TransactionRecord {
    var record = self
    record.transactionID = share.transactionID
    record.originalTransactionID = share.first?.originalTransactionID ?? share.transactionID
    record.webOrderLineItemID = webOrderLineItemID.map { _ in share.webOrderLineItemID }
    record.reason = share.isRenewal ? .renewal : .purchase
    record.purchaseDate = share.date
    record.originalPurchaseDate = share.first?.originalPurchaseDate ?? share.date
    record.ownership = .familyShared
    record.appTransactionID = share.appTransactionID
    // A member pays nothing.
    record.quantity = 1
    record.price = .zero
    record.currency = share.storefront.currency
    record.storefrontCountryCode = share.storefront.countryCode
    record.storefrontID = share.storefront.identifier
    record.commitment = commitment.map {
      Commitment(
        billingPeriodNumber: $0.billingPeriodNumber, totalBillingPeriods: $0.totalBillingPeriods,
        expiresDate: $0.expiresDate, price: .zero)
    }
    // The app's user, seats and invoices are those of the purchaser.
    record.appAccountToken = nil
    record.applicationUsername = nil
    record.previousOriginalTransactionID = nil
    record.revokedSeatQuantity = nil
    record.invitationManagement = nil
    record.advancedCommerceInfo = nil
    // The purchase is shared because it was neither revoked nor upgraded.
    record.revocationDate = nil
    record.revocationReason = nil
    record.revocationType = nil
    record.revocationPercentage = nil
    record.isUpgraded = false
    record.upgradeDate = nil
    return record
  }
}
