import Foundation
import StoreModel

/// The contents of a signed transaction ("JWSTransactionDecodedPayload", with the device fields of "AppTransaction").
///
/// Members that may be missing are optional. An enumerated value has two properties: the value as it was written, and a
/// typed one, which is nil if the value is unknown. Amounts are in milliunits, percentages in thousandths of a percent.
///
/// A value of this type may be unverified; only `Verified<SignedTransaction>` has a checked signature.
public struct SignedTransaction: Hashable, Sendable {
  /// A different id for each purchase, restore or renewal.
  public var transactionID: TransactionID
  /// The id of the original transaction. It is equal to ``transactionID`` for the first purchase.
  public var originalTransactionID: TransactionID
  /// Auto-renewable subscriptions: a different id for each period, the same on all devices. `0` in Xcode.
  public var webOrderLineItemID: String?
  /// The bundle id of the app.
  public var bundleID: BundleID
  /// The product that was bought.
  public var productID: ProductID
  /// The subscription group. Auto-renewable subscriptions only.
  public var subscriptionGroupID: SubscriptionGroupID?
  /// The date of the charge.
  public var purchaseDate: StoreDate
  /// The ``purchaseDate`` of the original transaction.
  public var originalPurchaseDate: StoreDate
  /// Auto-renewable subscriptions: the date when the period ends or renews.
  public var expiresDate: StoreDate?
  /// The number of units; 1 if it is missing.
  public var quantity = 1
  /// The written value of `type`; see ``type``.
  public var rawType: String?
  /// The token that the app set for the purchase.
  public var appAccountToken: UUID?
  /// The written value of `inAppOwnershipType`; see ``ownership``.
  public var rawOwnership: String?
  /// The date of signing. The certificates must be valid at this date.
  public var signedDate: StoreDate

  /// The date when the purchase was refunded or its family share revoked; nil if neither happened.
  public var revocationDate: StoreDate?
  /// The written value of `revocationReason`; see ``revocationReason``.
  public var rawRevocationReason: Int64?
  /// The written value of `revocationType`; see ``revocationType``.
  public var rawRevocationType: String?
  /// The part of the purchase that was revoked, in thousandths of a percent.
  public var revocationPercentage: Int64?
  /// Whether the customer upgraded to another plan; false if it is missing.
  public var isUpgraded = false

  /// The written value of `offerType`; see ``offerType``.
  public var rawOfferType: Int64?
  /// The identifier of a promotional or win-back offer, or the name of an offer code; nil for an introductory offer.
  public var offerIdentifier: String?
  /// The written value of `offerDiscountType`; see ``offerDiscountType``.
  public var rawOfferDiscountType: String?
  /// The written value of `offerPeriod`, an ISO 8601 duration; see ``offerPeriod``.
  public var rawOfferPeriod: String?

  /// The written value of `environment`; see ``environment``.
  public var rawEnvironment: String?
  /// The country or region of the storefront, an ISO 3166-1 alpha-3 code.
  public var storefrontCountryCode: String?
  /// Apple's identifier of the storefront, such as `143441`.
  public var storefrontID: String?
  /// The written value of `transactionReason`; see ``reason``.
  public var rawReason: String?
  /// The total charge for all units, with the offer applied.
  public var price: Milliunits?
  /// The currency of the price, an ISO 4217 code.
  public var currency: String?
  /// The same id for all transactions of one customer and app, on all devices.
  public var appTransactionID: String?
  /// The written value of `billingPlanType`; see ``billingPlanType``.
  public var rawBillingPlanType: String?
  /// The yearly commitment with monthly billing; nil if it is missing or incomplete.
  public var commitment: TransactionRecord.Commitment?
  /// The original transaction id before a migration to Advanced Commerce; nil if there was no migration.
  public var previousOriginalTransactionID: TransactionID?
  /// The Advanced Commerce object, as its JSON text.
  public var advancedCommerceInfo: String?
  /// The seats of the purchase; multiseat purchases only.
  public var multiSeatInfo: TransactionSeats?
  /// Why a subscription period has more than one transaction: `SEAT_ADDITION`. Nil while it has one.
  public var additionalTransactionReason: String?

  /// A SHA-384 digest that binds the transaction to a device; see ``isIssued(for:)``.
  public var deviceVerification: [UInt8]?
  /// The nonce of ``deviceVerification``.
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

  /// Whether the transaction contains a valid proof for `device`; false if it contains no proof.
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    guard let deviceVerification, let deviceVerificationNonce else { return false }
    return device.verification(nonce: deviceVerificationNonce) == deviceVerification
  }
}

/// The seats of a multiseat purchase ("JWSTransactionDecodedPayload", `multiSeatInfo`).
public struct TransactionSeats: Hashable, Sendable {
  /// Who sends the invitations to seats: `APPLE` or `DEVELOPER`.
  public var invitationManagement: String?
  /// The prices of the seats.
  public var priceTiers: [SeatPriceTier]?
  /// The number of seats that were refunded. The purchase is revoked only when all of them are.
  public var revokedSeatQuantity: Int64?

  public init(
    invitationManagement: String? = nil, priceTiers: [SeatPriceTier]? = nil, revokedSeatQuantity: Int64? = nil
  ) {
    self.invitationManagement = invitationManagement
    self.priceTiers = priceTiers
    self.revokedSeatQuantity = revokedSeatQuantity
  }
}

/// The price of some seats of a multiseat purchase.
public struct SeatPriceTier: Hashable, Sendable {
  /// The price of one seat.
  public var price: Milliunits?
  /// The number of seats with this price.
  public var quantity: Int64?

  public init(price: Milliunits? = nil, quantity: Int64? = nil) {
    self.price = price
    self.quantity = quantity
  }
}

extension TransactionSeats: SignedPayload {
  static let title: StaticString = "the seats"
  static var unread: Self { Self() }
  static let members: [PayloadMember<Self>] = [
    PayloadMember("invitationManagement", \.invitationManagement, .string),
    PayloadMember("priceTiers", \.priceTiers, .objects()),
    PayloadMember("revokedSeatQuantity", \.revokedSeatQuantity, .integer),
  ]
}

extension SeatPriceTier: SignedPayload {
  static let title: StaticString = "the price of seats"
  static var unread: Self { Self() }
  static let members: [PayloadMember<Self>] = [
    PayloadMember("price", \.price, .milliunits), PayloadMember("quantity", \.quantity, .integer),
  ]
}

extension SignedTransaction {
  /// The product type; nil if it is missing or unknown.
  public var type: ProductType? { rawType.flatMap(ProductType.init(rawValue:)) }
  /// How the customer received ownership; nil if it is missing or unknown.
  public var ownership: OwnershipType? { rawOwnership.flatMap(OwnershipType.init(rawValue:)) }
  /// The reason for the revocation; nil if it is missing or unknown.
  public var revocationReason: RevocationReason? {
    rawRevocationReason.flatMap { Int(exactly: $0) }.flatMap(RevocationReason.init(rawValue:))
  }
  /// The type of the revocation; nil if it is missing or unknown.
  public var revocationType: RevocationType? { rawRevocationType.flatMap(RevocationType.init(rawValue:)) }
  /// The type of the applied offer; nil if it is missing or unknown.
  public var offerType: TransactionOfferType? {
    rawOfferType.flatMap { Int(exactly: $0) }.flatMap(TransactionOfferType.init(rawValue:))
  }
  /// The payment mode of the offer; nil if it is missing or unknown.
  public var offerDiscountType: OfferDiscountType? {
    rawOfferDiscountType.flatMap(OfferDiscountType.init(rawValue:))
  }
  /// The duration of the offer; nil if it is missing or unknown.
  public var offerPeriod: CalendarPeriod? { rawOfferPeriod.flatMap(CalendarPeriod.init(iso8601:)) }
  /// The environment of the purchase; nil if it is missing or unknown.
  public var environment: StoreEnvironment? { rawEnvironment.flatMap(StoreEnvironment.init(rawValue:)) }
  /// Whether the customer or the store caused the transaction; nil if it is missing or unknown.
  public var reason: TransactionReason? { rawReason.flatMap(TransactionReason.init(rawValue:)) }
  /// The billing plan of the subscription; nil if it is missing or unknown.
  public var billingPlanType: BillingPlanType? { rawBillingPlanType.flatMap(BillingPlanType.init(rawValue:)) }
}
