import Foundation
import StoreModel

/// What a signed transaction says ("JWSTransactionDecodedPayload", with the device fields of "AppTransaction").
///
/// What a producer may leave out is optional. Words from a fixed list are kept as they were written, beside a typed
/// form that is nil for a word this version does not know. Amounts are milliunits, percentages thousandths of a
/// percent.
///
/// A value of this type says nothing about who signed it: only `Verified<SignedTransaction>` does.
public struct SignedTransaction: Hashable, Sendable {
  /// Unique for each purchase, restore or renewal.
  public var transactionID: TransactionID
  /// Equal to ``transactionID`` for a first purchase.
  public var originalTransactionID: TransactionID
  /// Auto-renewable subscriptions: one for each period, across devices. `0` in Xcode.
  public var webOrderLineItemID: String?
  /// The app.
  public var bundleID: BundleID
  /// What was bought.
  public var productID: ProductID
  /// Auto-renewable subscriptions only.
  public var subscriptionGroupID: SubscriptionGroupID?
  /// When the customer was charged.
  public var purchaseDate: StoreDate
  /// ``purchaseDate`` of the original transaction.
  public var originalPurchaseDate: StoreDate
  /// Auto-renewable subscriptions: when it ends or renews.
  public var expiresDate: StoreDate?
  /// 1 if the producer left it out.
  public var quantity = 1
  /// `type` as it was written; see ``type``.
  public var rawType: String?
  /// What the app gave at the purchase, if anything.
  public var appAccountToken: UUID?
  /// `inAppOwnershipType` as it was written; see ``ownership``.
  public var rawOwnership: String?
  /// When it was signed: the instant its certificates are checked at.
  public var signedDate: StoreDate

  /// When it was refunded, or lost to the family; nil if neither.
  public var revocationDate: StoreDate?
  /// `revocationReason` as it was written; see ``revocationReason``.
  public var rawRevocationReason: Int64?
  /// `revocationType` as it was written; see ``revocationType``.
  public var rawRevocationType: String?
  /// The share that was taken back, in thousandths of a percent.
  public var revocationPercentage: Int64?
  /// Whether a higher plan took its place; false if the producer left it out.
  public var isUpgraded = false

  /// `offerType` as it was written; see ``offerType``.
  public var rawOfferType: Int64?
  /// The promotional or win-back identifier, or the offer code's name; nil for an introductory offer.
  public var offerIdentifier: String?
  /// `offerDiscountType` as it was written; see ``offerDiscountType``.
  public var rawOfferDiscountType: String?
  /// `offerPeriod`, an ISO 8601 duration, as it was written; see ``offerPeriod``.
  public var rawOfferPeriod: String?

  /// `environment` as it was written; see ``environment``.
  public var rawEnvironment: String?
  /// ISO 3166-1 alpha-3.
  public var storefrontCountryCode: String?
  /// Apple's number for the storefront, such as `143441`.
  public var storefrontID: String?
  /// `transactionReason` as it was written; see ``reason``.
  public var rawReason: String?
  /// What was charged in all: quantity and offer included.
  public var price: Milliunits?
  /// An ISO 4217 code.
  public var currency: String?
  /// One for each customer and app, across devices.
  public var appTransactionID: String?
  /// `billingPlanType` as it was written; see ``billingPlanType``.
  public var rawBillingPlanType: String?
  /// Nil also if a part of it was left out.
  public var commitment: TransactionRecord.Commitment?
  /// Only after a migration to Advanced Commerce.
  public var previousOriginalTransactionID: TransactionID?
  /// The Advanced Commerce object, as the JSON text it is written in.
  public var advancedCommerceInfo: String?
  /// How many seats were revoked; multiseat purchases only.
  public var revokedSeatQuantity: Int64?
  /// `APPLE` or `DEVELOPER`.
  public var invitationManagement: String?

  /// A SHA-384 digest that binds it to a device; see ``isIssued(for:)``.
  public var deviceVerification: [UInt8]?
  /// What ``deviceVerification`` was made with.
  public var deviceVerificationNonce: UUID?

  init(
    transactionID: TransactionID, originalTransactionID: TransactionID, bundleID: BundleID, productID: ProductID,
    purchaseDate: StoreDate, originalPurchaseDate: StoreDate, signedDate: StoreDate
  ) {
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.bundleID = bundleID
    self.productID = productID
    self.purchaseDate = purchaseDate
    self.originalPurchaseDate = originalPurchaseDate
    self.signedDate = signedDate
  }

  /// Whether it carries the proof that it was made for `device`; false if it carries none.
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    guard let deviceVerification, let deviceVerificationNonce else { return false }
    return device.verification(nonce: deviceVerificationNonce) == deviceVerification
  }
}

extension SignedTransaction {
  /// The kind of product; nil if it is absent or not known.
  public var type: ProductType? { rawType.flatMap(ProductType.init(rawValue:)) }
  /// How the customer came to own it; nil if it is absent or not known.
  public var ownership: OwnershipType? { rawOwnership.flatMap(OwnershipType.init(rawValue:)) }
  /// Why it was taken back; nil if it is absent or not known.
  public var revocationReason: RevocationReason? {
    rawRevocationReason.flatMap { Int(exactly: $0) }.flatMap(RevocationReason.init(rawValue:))
  }
  /// How it was taken back; nil if it is absent or not known.
  public var revocationType: RevocationType? { rawRevocationType.flatMap(RevocationType.init(rawValue:)) }
  /// The kind of offer that applied; nil if it is absent or not known.
  public var offerType: TransactionOfferType? {
    rawOfferType.flatMap { Int(exactly: $0) }.flatMap(TransactionOfferType.init(rawValue:))
  }
  /// How the offer is paid; nil if it is absent or not known.
  public var offerDiscountType: OfferDiscountType? {
    rawOfferDiscountType.flatMap(OfferDiscountType.init(rawValue:))
  }
  /// How long the offer lasts; nil if it is absent or not known.
  public var offerPeriod: SubscriptionPeriod? { rawOfferPeriod.flatMap(SubscriptionPeriod.init(iso8601:)) }
  /// Where it was bought; nil if it is absent or not known.
  public var environment: StoreEnvironment? { rawEnvironment.flatMap(StoreEnvironment.init(rawValue:)) }
  /// Whether the customer or the store acted; nil if it is absent or not known.
  public var reason: TransactionReason? { rawReason.flatMap(TransactionReason.init(rawValue:)) }
  /// How the subscription is billed; nil if it is absent or not known.
  public var billingPlanType: BillingPlanType? { rawBillingPlanType.flatMap(BillingPlanType.init(rawValue:)) }
}
