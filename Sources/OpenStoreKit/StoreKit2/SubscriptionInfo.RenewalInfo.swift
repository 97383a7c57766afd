import Foundation
import SignedData
import StoreModel

extension Product.SubscriptionInfo {
  /// How a subscription continues, as the App Store signed it. Implements Apple's `Product.SubscriptionInfo.RenewalInfo`.
  ///
  /// Two values are equal if their signed payloads are.
  public struct RenewalInfo: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    public let originalTransactionID: UInt64
    let content: SignedContent<SignedRenewalInfo>

    /// Nil if the id does not fit into 64 bits.
    init?(_ content: SignedContent<SignedRenewalInfo>) {
      guard let original = content.payload.originalTransactionID.number else { return nil }
      originalTransactionID = original
      self.content = content
    }

    private var payload: SignedRenewalInfo { content.payload }

    /// The product of the current period, or of the last one.
    public var currentProductID: String { payload.productID.rawValue }
    public var willAutoRenew: Bool { payload.autoRenewStatus == .on }
    /// The product of the next period; nil if the subscription does not renew.
    public var autoRenewPreference: String? { willAutoRenew ? payload.autoRenewProductID?.rawValue : nil }
    /// Nil unless the subscription has expired.
    public var expirationReason: ExpirationReason? {
      payload.rawExpirationIntent.flatMap { Int(exactly: $0) }.map(ExpirationReason.init)
    }
    public var priceIncreaseStatus: PriceIncreaseStatus {
      switch payload.priceIncreaseStatus {
      case .pending: .pending
      case .agreed: .agreed
      case nil: .noIncreasePending
      }
    }
    /// Whether the store is trying to charge a renewal that failed.
    public var isInBillingRetry: Bool { payload.isInBillingRetryPeriod ?? false }
    public var gracePeriodExpirationDate: Date? { payload.gracePeriodExpiresDate?.date }
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: environmentStringRepresentation) }
    /// The older form of ``environment``.
    public var environmentStringRepresentation: String { payload.rawEnvironment ?? "" }
    /// The start of the latest run of periods without a gap of more than 60 days.
    public var recentSubscriptionStartDate: Date { (payload.recentSubscriptionStartDate ?? payload.signedDate).date }
    /// The end of the latest period. It can be past.
    public var renewalDate: Date? { payload.renewalDate?.date }
    /// The price of the next period; nil if the subscription does not renew.
    public var renewalPrice: Decimal? { willAutoRenew ? payload.renewalPrice?.decimal : nil }
    public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }
    /// The older form of ``currency``.
    public var currencyCode: String? { payload.currency }
    /// The win-back offers that the customer can redeem, the best first.
    public var eligibleWinBackOfferIDs: [String] { payload.eligibleWinBackOfferIDs ?? [] }
    /// The app's name for its user, for the next renewal.
    public var appAccountToken: UUID? { payload.appAccountToken }
    /// The same id for all transactions of one customer and app, on all devices.
    public var appTransactionID: String { payload.appTransactionID ?? "" }

    // MARK: Offer

    /// The offer of the next period; nil for none.
    public var offer: Transaction.Offer? {
      Transaction.Offer(
        id: payload.offerIdentifier, rawType: payload.rawOfferType, rawPaymentMode: payload.rawOfferDiscountType,
        period: payload.offerPeriod)
    }
    /// The older form of ``offer``.
    public var offerID: String? { offer?.id }
    /// The older form of ``offer``.
    public var offerType: Transaction.OfferType? { offer?.type }
    /// The older form of ``offer``.
    public var offerPaymentModeStringRepresentation: String? { payload.rawOfferDiscountType }
    /// The older form of ``offer``: an ISO 8601 duration.
    public var offerPeriodStringRepresentation: String? { payload.rawOfferPeriod }

    // MARK: Plans and Advanced Commerce

    /// How a commitment with monthly charges continues; nil for other plans.
    public var commitmentInfo: CommitmentInfo? { payload.commitment.flatMap(CommitmentInfo.init) }
    public var renewalBillingPlanType: BillingPlanType? {
      payload.rawRenewalBillingPlanType.map(BillingPlanType.init)
    }
    /// Nil unless the subscription is of the Advanced Commerce API.
    public var advancedCommerceInfo: AdvancedCommerceInfo? {
      payload.advancedCommerceInfo.flatMap(AdvancedCommerceInfo.init)
    }

    // MARK: Signature

    public var signedDate: Date { payload.signedDate.date }
    /// The SHA-384 digest of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``; empty if it is missing.
    public var deviceVerification: Data { Data(payload.deviceVerification ?? []) }
    public var deviceVerificationNonce: UUID { payload.deviceVerificationNonce ?? .zero }
    /// The signed payload.
    public var jsonRepresentation: Data { Data(content.payloadBytes) }
    public var debugDescription: String { content.text }

    /// Why a subscription has expired. Implements Apple's `Product.SubscriptionInfo.RenewalInfo.ExpirationReason`.
    public struct ExpirationReason: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }

      public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
      public static let billingError = ExpirationReason(rawValue: 2)
      public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
      public static let productUnavailable = ExpirationReason(rawValue: 4)
      public static let unknown = ExpirationReason(rawValue: 5)

      public var localizedDescription: String {
        switch self {
        case .autoRenewDisabled: "Automatic renewal was turned off"
        case .billingError: "Billing error"
        case .didNotConsentToPriceIncrease: "No consent to a price increase"
        case .productUnavailable: "Product not available"
        case .unknown: "Unknown reason"
        default: "Expiration reason \(rawValue)"
        }
      }
    }

    /// Whether the customer has agreed to a higher price. Implements Apple's
    /// `Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus`.
    @frozen public enum PriceIncreaseStatus: Equatable, Hashable, Sendable {
      case noIncreasePending
      case pending
      case agreed

      public var localizedDescription: String {
        switch self {
        case .noIncreasePending: "No price increase"
        case .pending: "Price increase pending"
        case .agreed: "Price increase agreed to"
        }
      }
    }

    /// How a commitment with monthly charges continues. Implements Apple's
    /// `Product.SubscriptionInfo.RenewalInfo.CommitmentInfo`.
    public struct CommitmentInfo: Equatable, Hashable, Sendable {
      public let autoRenewPreference: String
      public let willAutoRenew: Bool
      public let renewalBillingPlanType: BillingPlanType
      public let renewalDate: Date
      public let renewalPrice: Decimal

      /// Nil if a member is missing.
      init?(_ commitment: SignedRenewalInfo.CommitmentRenewal) {
        guard let product = commitment.autoRenewProductID, let status = commitment.rawAutoRenewStatus,
          let plan = commitment.rawRenewalBillingPlanType, let date = commitment.renewalDate,
          let price = commitment.renewalPrice
        else { return nil }
        autoRenewPreference = product.rawValue
        willAutoRenew = status == 1
        renewalBillingPlanType = BillingPlanType(rawValue: plan)
        renewalDate = date.date
        renewalPrice = price.decimal
      }
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo: SignedValue {
  var parts: SignedParts { SignedParts(content) }
  var failure: VerificationFailure? { content.failure }
}
