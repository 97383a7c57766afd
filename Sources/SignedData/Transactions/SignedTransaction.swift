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
  public var bundleID: BundleID
  public var productID: ProductID
  public var subscriptionGroupID: SubscriptionGroupID?
  /// When the customer was charged.
  public var purchaseDate: StoreDate
  /// ``purchaseDate`` of the original transaction.
  public var originalPurchaseDate: StoreDate
  /// Auto-renewable subscriptions: when it ends or renews.
  public var expiresDate: StoreDate?
  /// 1 if the producer left it out.
  public var quantity = 1
  public var rawType: String?
  public var appAccountToken: UUID?
  public var rawOwnership: String?
  /// When it was signed: the instant its certificates are checked at.
  public var signedDate: StoreDate

  public var revocationDate: StoreDate?
  public var rawRevocationReason: Int64?
  public var rawRevocationType: String?
  /// The share that was taken back, in thousandths of a percent.
  public var revocationPercentage: Int64?
  /// Whether a higher plan took its place; false if the producer left it out.
  public var isUpgraded = false

  public var rawOfferType: Int64?
  public var offerIdentifier: String?
  public var rawOfferDiscountType: String?
  /// An ISO 8601 duration, as it was written.
  public var rawOfferPeriod: String?

  public var rawEnvironment: String?
  /// ISO 3166-1 alpha-3.
  public var storefrontCountryCode: String?
  public var storefrontID: String?
  public var rawReason: String?
  /// What was charged in all: quantity and offer included.
  public var price: Milliunits?
  /// An ISO 4217 code.
  public var currency: String?
  /// One for each customer and app, across devices.
  public var appTransactionID: String?
  public var rawBillingPlanType: String?
  /// Nil also if a part of it was left out.
  public var commitment: TransactionRecord.Commitment?
  public var previousOriginalTransactionID: TransactionID?
  /// The Advanced Commerce object, as the JSON text it is written in.
  public var advancedCommerceInfo: String?
  public var revokedSeatQuantity: Int64?
  /// `APPLE` or `DEVELOPER`.
  public var invitationManagement: String?

  /// A SHA-384 digest that binds it to a device; see ``isIssued(for:)``.
  public var deviceVerification: [UInt8]?
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
  public var type: ProductType? { rawType.flatMap(ProductType.init(rawValue:)) }
  public var ownership: OwnershipType? { rawOwnership.flatMap(OwnershipType.init(rawValue:)) }
  public var revocationReason: RevocationReason? {
    rawRevocationReason.flatMap { Int(exactly: $0) }.flatMap(RevocationReason.init(rawValue:))
  }
  public var revocationType: RevocationType? { rawRevocationType.flatMap(RevocationType.init(rawValue:)) }
  public var offerType: TransactionOfferType? {
    rawOfferType.flatMap { Int(exactly: $0) }.flatMap(TransactionOfferType.init(rawValue:))
  }
  public var offerDiscountType: OfferDiscountType? {
    rawOfferDiscountType.flatMap(OfferDiscountType.init(rawValue:))
  }
  public var offerPeriod: SubscriptionPeriod? { rawOfferPeriod.flatMap(SubscriptionPeriod.init(iso8601:)) }
  public var environment: StoreEnvironment? { rawEnvironment.flatMap(StoreEnvironment.init(rawValue:)) }
  public var reason: TransactionReason? { rawReason.flatMap(TransactionReason.init(rawValue:)) }
  public var billingPlanType: BillingPlanType? { rawBillingPlanType.flatMap(BillingPlanType.init(rawValue:)) }
}
