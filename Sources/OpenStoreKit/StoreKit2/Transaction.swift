import Foundation
import SignedData
import StoreModel

/// A purchase, a renewal, or a family share, as the App Store signed it. Implements Apple's `Transaction`.
///
/// Two transactions are equal if their signed payloads are.
public struct Transaction: Identifiable, Equatable, Hashable, Sendable, CustomDebugStringConvertible {
  public typealias ID = UInt64

  /// A different id for each purchase and renewal.
  public let id: UInt64
  /// The id of the first purchase of a subscription; for other products ``id``.
  public let originalID: UInt64
  let content: SignedContent<SignedTransaction>
  let origin: DeviceReference

  /// Nil if an id does not fit into 64 bits.
  init?(_ content: SignedContent<SignedTransaction>, on device: StoreKitDevice?) {
    guard let id = content.payload.transactionID.number, let original = content.payload.originalTransactionID.number
    else { return nil }
    self.id = id
    originalID = original
    self.content = content
    origin = DeviceReference(device)
  }

  private var payload: SignedTransaction { content.payload }

  // MARK: Product

  public var productID: String { payload.productID.rawValue }
  public var productType: Product.ProductType { Product.ProductType(rawValue: payload.rawType ?? "") }
  /// Nil unless the product is an auto-renewable subscription.
  public var subscriptionGroupID: String? { payload.subscriptionGroupID?.rawValue }
  /// The id of the period, on all devices. Nil unless the product is an auto-renewable subscription.
  public var webOrderLineItemID: String? { payload.webOrderLineItemID }
  public var appBundleID: String { payload.bundleID.rawValue }
  public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.rawEnvironment ?? "") }
  /// The older form of ``environment``.
  public var environmentStringRepresentation: String { payload.rawEnvironment ?? "" }
  public var storefront: Storefront {
    Storefront(countryCode: payload.storefrontCountryCode ?? "", id: payload.storefrontID ?? "")
  }
  /// The older form of ``storefront``.
  public var storefrontCountryCode: String { payload.storefrontCountryCode ?? "" }

  // MARK: Purchase

  public var purchaseDate: Date { payload.purchaseDate.date }
  public var originalPurchaseDate: Date { payload.originalPurchaseDate.date }
  /// When the period ends or renews. Nil unless the product is an auto-renewable subscription.
  public var expirationDate: Date? { payload.expiresDate?.date }
  public var purchasedQuantity: Int { payload.quantity }
  /// Whether the customer has upgraded to another plan. This transaction then gives no access.
  public var isUpgraded: Bool { payload.isUpgraded }
  public var ownershipType: OwnershipType {
    OwnershipType(rawValue: payload.rawOwnership ?? OwnershipType.purchased.rawValue)
  }
  public var reason: Reason { Reason(rawValue: payload.rawReason ?? Reason.purchase.rawValue) }
  /// The older form of ``reason``.
  public var reasonStringRepresentation: String { reason.rawValue }
  /// The token that the app gave with the purchase.
  public var appAccountToken: UUID? { payload.appAccountToken }
  /// The same id for all transactions of one customer and app, on all devices.
  public var appTransactionID: String { payload.appTransactionID ?? "" }
  /// The charge for all units, with the offer applied, in units of ``currency``.
  public var price: Decimal? { payload.price?.decimal }
  public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }
  /// The older form of ``currency``.
  public var currencyCode: String? { payload.currency }

  // MARK: Offer

  /// The offer of this purchase or renewal; nil for none.
  public var offer: Offer? {
    Offer(
      id: payload.offerIdentifier, rawType: payload.rawOfferType, rawPaymentMode: payload.rawOfferDiscountType,
      period: payload.offerPeriod)
  }
  /// The older form of ``offer``.
  public var offerType: OfferType? { offer?.type }
  /// The older form of ``offer``.
  public var offerID: String? { offer?.id }
  /// The older form of ``offer``.
  public var offerPaymentModeStringRepresentation: String? { payload.rawOfferDiscountType }
  /// The older form of ``offer``: an ISO 8601 duration.
  public var offerPeriodStringRepresentation: String? { payload.rawOfferPeriod }

  // MARK: Revocation

  /// When the purchase was refunded, or its family share ended; nil if neither happened.
  public var revocationDate: Date? { payload.revocationDate?.date }
  public var revocationReason: RevocationReason? {
    payload.rawRevocationReason.flatMap { Int(exactly: $0) }.map(RevocationReason.init)
  }
  public var revocationType: RevocationType? { payload.rawRevocationType.map(RevocationType.init) }
  /// The older form of ``revocationType``.
  public var revocationTypeStringRepresentation: String? { payload.rawRevocationType }
  /// The part of the purchase that was revoked, 0 to 100.
  public var revocationPercentage: Decimal? { payload.revocationPercentage.map { Decimal($0) / 1000 } }

  // MARK: Plans and Advanced Commerce

  public var billingPlanType: Product.SubscriptionInfo.BillingPlanType? {
    payload.rawBillingPlanType.map(Product.SubscriptionInfo.BillingPlanType.init)
  }
  /// The commitment of a plan with monthly charges; nil for other plans.
  public var commitmentInfo: CommitmentInfo? { payload.commitment.flatMap(CommitmentInfo.init) }
  /// Nil unless the purchase is of the Advanced Commerce API.
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

  public static func == (left: Transaction, right: Transaction) -> Bool { left.content == right.content }

  public func hash(into hasher: inout Hasher) { hasher.combine(content) }

  // MARK: Actions

  /// Removes the transaction from the unfinished ones, after the app has given the customer what was bought. Returns after
  /// the finish is stored; it is sent to the store as soon as possible.
  ///
  /// A second call has no effect. An unverified transaction is not stored, so it cannot be finished.
  public func finish() async {
    // An unverified one can name the id of a genuine one, which must not be finished by it.
    guard content.failure == nil, let device = origin.device else { return }
    await device.engine.finish(signed: content.payload.transactionID, receivedAs: content.jws)
  }

  /// The status of the subscription. Nil if the product is no auto-renewable subscription, or in case of an error.
  ///
  /// Its transaction is the subscription's newest, so it may be another one than this.
  public var subscriptionStatus: Product.SubscriptionInfo.Status? {
    get async {
      guard productType == .autoRenewable else { return nil }
      return try? await Product.SubscriptionInfo.status(transactionID: id, on: origin.device)
    }
  }
}

extension Transaction: SignedValue {
  var parts: SignedParts { SignedParts(content) }
  var failure: VerificationFailure? { content.failure }
}

extension UUID {
  /// The nonce of signed data that has none.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
