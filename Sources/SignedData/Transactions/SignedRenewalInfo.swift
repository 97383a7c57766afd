import Foundation
import StoreModel

/// The contents of signed renewal information ("JWSRenewalInfoDecodedPayload", with the device fields of
/// "AppTransaction"): how a subscription continues.
///
/// Members that may be missing are optional. An enumerated value has two properties, as in ``SignedTransaction``: the
/// value as it was written, and a typed one, which is nil if the value is unknown. It names no app: the transaction beside
/// it does.
///
/// A value of this type may be unverified; only `Verified<SignedRenewalInfo>` has a checked signature.
public struct SignedRenewalInfo: Hashable, Sendable {
  /// The id of the subscription's original transaction.
  public var originalTransactionID: TransactionID
  /// The current product.
  public var productID: ProductID
  /// The product of the next period. It stays if automatic renewal is off.
  public var autoRenewProductID: ProductID?
  /// The written value of `autoRenewStatus`; see ``autoRenewStatus``.
  public var rawAutoRenewStatus: Int64?
  /// The end of the current period, at which the subscription renews or expires.
  public var renewalDate: StoreDate?
  /// The price of the next period, with the offer applied. If the seats have several prices, the average of a seat.
  public var renewalPrice: Milliunits?
  /// The currency of ``renewalPrice``, an ISO 4217 code.
  public var currency: String?
  /// The date of signing. The certificates must be valid at this date.
  public var signedDate: StoreDate
  /// The written value of `environment`; see ``environment``.
  public var rawEnvironment: String?
  /// The start of the latest run of periods without a gap of more than 60 days.
  public var recentSubscriptionStartDate: StoreDate?

  /// The written value of `expirationIntent`; see ``expirationIntent``.
  public var rawExpirationIntent: Int64?
  /// Whether the store is trying to charge a renewal that failed; nil if no renewal failed.
  public var isInBillingRetryPeriod: Bool?
  /// The end of the grace period.
  public var gracePeriodExpiresDate: StoreDate?
  /// The written value of `priceIncreaseStatus`; see ``priceIncreaseStatus``.
  public var rawPriceIncreaseStatus: Int64?

  /// The written value of `offerType`, of the offer for the next period; see ``offerType``.
  public var rawOfferType: Int64?
  /// The identifier of that offer, or the name of its offer code.
  public var offerIdentifier: String?
  /// The written value of `offerDiscountType`; see ``offerDiscountType``.
  public var rawOfferDiscountType: String?
  /// The written value of `offerPeriod`, an ISO 8601 duration; see ``offerPeriod``.
  public var rawOfferPeriod: String?
  /// The win-back offers that the customer can redeem, the best first.
  public var eligibleWinBackOfferIDs: [String]?

  /// The token that the app set, for the next renewal.
  public var appAccountToken: UUID?
  /// The same id for all transactions of one customer and app, on all devices.
  public var appTransactionID: String?
  /// The written value of `renewalBillingPlanType`; see ``renewalBillingPlanType``.
  public var rawRenewalBillingPlanType: String?
  /// How the yearly commitment with monthly billing continues.
  public var commitment: CommitmentRenewal?
  /// The Advanced Commerce object, as its JSON text.
  public var advancedCommerceInfo: String?
  /// Multiseat subscriptions: the number of seats that renew.
  public var renewalQuantity: Int64?
  /// Multiseat subscriptions: the prices of the seats that renew.
  public var multiSeatInfo: SeatRenewal?

  /// A SHA-384 digest that binds the renewal information to a device; see ``isIssued(for:)``.
  public var deviceVerification: [UInt8]?
  /// The nonce of ``deviceVerification``.
  public var deviceVerificationNonce: UUID?

  public init(originalTransactionID: TransactionID, productID: ProductID, signedDate: StoreDate) {
    self.originalTransactionID = originalTransactionID
    self.productID = productID
    self.signedDate = signedDate
  }

  /// Whether the renewal information contains a valid proof for `device`; false if it contains no proof.
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    guard let deviceVerification, let deviceVerificationNonce else { return false }
    return device.verification(nonce: deviceVerificationNonce) == deviceVerification
  }

  /// The renewal of a yearly commitment ("JWSRenewalInfoDecodedPayload", `commitmentInfo`).
  public struct CommitmentRenewal: Hashable, Sendable {
    public var autoRenewProductID: ProductID?
    public var rawAutoRenewStatus: Int64?
    public var rawRenewalBillingPlanType: String?
    public var renewalDate: StoreDate?
    public var renewalPrice: Milliunits?

    public init() {}
  }

  /// The seats of a multiseat subscription at its next renewal ("JWSRenewalInfoDecodedPayload", `multiSeatInfo`).
  public struct SeatRenewal: Hashable, Sendable {
    public var renewalPriceTiers: [SeatPriceTier]?

    public init(renewalPriceTiers: [SeatPriceTier]? = nil) { self.renewalPriceTiers = renewalPriceTiers }
  }
}

extension SignedRenewalInfo {
  /// Whether the subscription renews automatically; nil if it is missing or unknown.
  public var autoRenewStatus: AutoRenewStatus? {
    rawAutoRenewStatus.flatMap { Int(exactly: $0) }.flatMap(AutoRenewStatus.init(rawValue:))
  }
  /// The environment of the subscription; nil if it is missing or unknown.
  public var environment: StoreEnvironment? { rawEnvironment.flatMap(StoreEnvironment.init(rawValue:)) }
  /// Why the subscription expired; nil if it has not, or the value is unknown.
  public var expirationIntent: ExpirationIntent? {
    rawExpirationIntent.flatMap { Int(exactly: $0) }.flatMap(ExpirationIntent.init(rawValue:))
  }
  /// Whether the customer has agreed to a price increase; nil if none was announced, or the value is unknown.
  public var priceIncreaseStatus: PriceIncreaseStatus? {
    rawPriceIncreaseStatus.flatMap { Int(exactly: $0) }.flatMap(PriceIncreaseStatus.init(rawValue:))
  }
  /// The type of the offer for the next period; nil if it is missing or unknown.
  public var offerType: TransactionOfferType? {
    rawOfferType.flatMap { Int(exactly: $0) }.flatMap(TransactionOfferType.init(rawValue:))
  }
  /// The payment mode of that offer; nil if it is missing or unknown.
  public var offerDiscountType: OfferDiscountType? { rawOfferDiscountType.flatMap(OfferDiscountType.init(rawValue:)) }
  /// The duration of that offer; nil if it is missing or unknown.
  public var offerPeriod: CalendarPeriod? { rawOfferPeriod.flatMap(CalendarPeriod.init(iso8601:)) }
  /// The billing plan of the next period; nil if it is missing or unknown.
  public var renewalBillingPlanType: BillingPlanType? {
    rawRenewalBillingPlanType.flatMap(BillingPlanType.init(rawValue:))
  }

  /// Decodes the signed JSON. The signature is not checked.
  ///
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(payload: [UInt8]) throws(VerificationFailure) { self = try Self.read(payload: payload) }

  /// The JSON to sign. The same value always has the same bytes.
  public func payloadBytes() -> [UInt8] { writtenPayload() }
}

/// Whether a subscription renews automatically. The raw values are those of signed renewal information.
public enum AutoRenewStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  case off = 0
  case on = 1
}

/// Why a subscription expired. The raw values are those of signed renewal information.
public enum ExpirationIntent: Int, Hashable, Codable, Sendable, CaseIterable {
  /// The customer turned automatic renewal off.
  case customerCancelled = 1
  case billingError = 2
  /// The customer did not agree to a price increase.
  case noConsentToPriceIncrease = 3
  case productNotForSale = 4
  case other = 5
}

/// Whether a customer agreed to a price increase. The raw values are those of signed renewal information.
public enum PriceIncreaseStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  /// The customer was asked, and has not agreed yet.
  case pending = 0
  /// The customer agreed, or was notified of an increase that needs no consent.
  case agreed = 1
}

extension SignedRenewalInfo: SignedPayload {
  static let title: StaticString = "the renewal information"
  static var unread: Self {
    Self(originalTransactionID: TransactionID(0), productID: "", signedDate: StoreDate(millisecondsSince1970: 0))
  }
  static let members: [PayloadMember<Self>] = [
    PayloadMember("advancedCommerceInfo", \.advancedCommerceInfo, .json),
    PayloadMember("appAccountToken", \.appAccountToken, .uuid),
    PayloadMember("appTransactionId", \.appTransactionID, .string),
    PayloadMember("autoRenewProductId", \.autoRenewProductID, .identifier),
    PayloadMember("autoRenewStatus", \.rawAutoRenewStatus, .integer),
    PayloadMember("commitmentInfo", \.commitment, .object),
    PayloadMember("currency", \.currency, .string),
    PayloadMember("deviceVerification", \.deviceVerification, .base64),
    PayloadMember("deviceVerificationNonce", \.deviceVerificationNonce, .uuid),
    PayloadMember("eligibleWinBackOfferIds", \.eligibleWinBackOfferIDs, .strings),
    PayloadMember("environment", \.rawEnvironment, .string),
    PayloadMember("expirationIntent", \.rawExpirationIntent, .integer),
    PayloadMember("gracePeriodExpiresDate", \.gracePeriodExpiresDate, .date),
    PayloadMember("isInBillingRetryPeriod", \.isInBillingRetryPeriod, .bool),
    PayloadMember("multiSeatInfo", \.multiSeatInfo, .object),
    PayloadMember("offerDiscountType", \.rawOfferDiscountType, .string),
    PayloadMember("offerIdentifier", \.offerIdentifier, .string),
    PayloadMember("offerPeriod", \.rawOfferPeriod, .string),
    PayloadMember("offerType", \.rawOfferType, .integer),
    PayloadMember(required: "originalTransactionId", \.originalTransactionID, .transactionID),
    PayloadMember("priceIncreaseStatus", \.rawPriceIncreaseStatus, .integer),
    PayloadMember(required: "productId", \.productID, .identifier),
    PayloadMember("recentSubscriptionStartDate", \.recentSubscriptionStartDate, .date),
    PayloadMember("renewalBillingPlanType", \.rawRenewalBillingPlanType, .string),
    PayloadMember("renewalDate", \.renewalDate, .date),
    PayloadMember("renewalPrice", \.renewalPrice, .milliunits),
    PayloadMember("renewalQuantity", \.renewalQuantity, .integer),
    PayloadMember(required: "signedDate", \.signedDate, .date),
    // A transaction would otherwise be renewal information of a subscription that goes on.
    PayloadMember(forbidden: "transactionId"),
  ]
}

extension SignedRenewalInfo.CommitmentRenewal: SignedPayload {
  static let title: StaticString = "the commitment"
  static var unread: Self { Self() }
  static let members: [PayloadMember<Self>] = [
    PayloadMember("commitmentAutoRenewProductId", \.autoRenewProductID, .identifier),
    PayloadMember("commitmentAutoRenewStatus", \.rawAutoRenewStatus, .integer),
    PayloadMember("commitmentRenewalBillingPlanType", \.rawRenewalBillingPlanType, .string),
    PayloadMember("commitmentRenewalDate", \.renewalDate, .date),
    PayloadMember("commitmentRenewalPrice", \.renewalPrice, .milliunits),
  ]
}

extension SignedRenewalInfo.SeatRenewal: SignedPayload {
  static let title: StaticString = "the seats"
  static var unread: Self { Self() }
  static let members: [PayloadMember<Self>] = [
    PayloadMember("renewalPriceTiers", \.renewalPriceTiers, .objects())
  ]
}
