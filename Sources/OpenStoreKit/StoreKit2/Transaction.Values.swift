import Foundation
import StoreModel

// The types of a transaction's properties. Their raw values are those of signed transactions. A value that this version
// does not know is kept.
extension Transaction {
  /// Why a transaction exists. Implements Apple's `Transaction.Reason`.
  public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let purchase = Reason(rawValue: "PURCHASE")
    public static let renewal = Reason(rawValue: "RENEWAL")
  }

  /// Why a purchase was revoked. Implements Apple's `Transaction.RevocationReason`.
  public struct RevocationReason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer had a problem with the app.
    public static let developerIssue = RevocationReason(rawValue: 1)
    public static let other = RevocationReason(rawValue: 0)

    public var localizedDescription: String {
      switch self {
      case .developerIssue: "Issue with the app"
      case .other: "Other reason"
      default: "Revocation reason \(rawValue)"
      }
    }
  }

  /// How a purchase was revoked. Implements Apple's `Transaction.RevocationType`.
  public struct RevocationType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    /// The family share has ended.
    public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
  }

  /// The kind of an offer. Implements Apple's `Transaction.OfferType`.
  public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let introductory = OfferType(rawValue: 1)
    public static let promotional = OfferType(rawValue: 2)
    /// An offer code.
    public static let code = OfferType(rawValue: 3)
    public static var winBack: OfferType { OfferType(rawValue: 4) }

    public var localizedDescription: String {
      switch self {
      case .introductory: "Introductory offer"
      case .promotional: "Promotional offer"
      case .code: "Offer code"
      case .winBack: "Win-back offer"
      default: "Offer \(rawValue)"
      }
    }
  }

  /// How the customer has received the product. Implements Apple's `Transaction.OwnershipType`.
  public struct OwnershipType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")

    public var localizedDescription: String {
      switch self {
      case .purchased: "Purchased"
      case .familyShared: "Shared by a family member"
      default: rawValue
      }
    }
  }

  /// The offer of a purchase or a renewal. Implements Apple's `Transaction.Offer`.
  public struct Offer: Equatable, Hashable, Sendable {
    /// Nil for an introductory offer.
    public let id: String?
    public let type: OfferType
    public let paymentMode: PaymentMode?
    /// How long the offer lasts; nil if the transaction does not contain it.
    public let period: Product.SubscriptionPeriod?

    /// Nil without a type: there is no offer.
    init?(id: String?, rawType: Int64?, rawPaymentMode: String?, period: CalendarPeriod?) {
      guard let type = rawType.flatMap({ Int(exactly: $0) }) else { return nil }
      self.id = id
      self.type = OfferType(rawValue: type)
      paymentMode = rawPaymentMode.map(PaymentMode.init)
      self.period = period.map(Product.SubscriptionPeriod.init)
    }

    /// How an offer is paid. Implements Apple's `Transaction.Offer.PaymentMode`.
    public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
      public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
      public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
      /// An offer code for a product that is no subscription.
      public static var oneTime: PaymentMode { PaymentMode(rawValue: "ONE_TIME") }
    }
  }

  /// The commitment of a plan with monthly charges. Implements Apple's `Transaction.CommitmentInfo`.
  public struct CommitmentInfo: Equatable, Hashable, Sendable {
    /// From 1.
    public let billingPeriodNumber: UInt64
    public let totalBillingPeriods: UInt64
    /// The end of the commitment.
    public let expirationDate: Date
    /// The price of the whole commitment.
    public let price: Decimal

    /// Nil if a number is negative.
    init?(_ commitment: TransactionRecord.Commitment) {
      guard let number = UInt64(exactly: commitment.billingPeriodNumber),
        let total = UInt64(exactly: commitment.totalBillingPeriods)
      else { return nil }
      billingPeriodNumber = number
      totalBillingPeriods = total
      expirationDate = commitment.expiresDate.date
      price = commitment.price.decimal
    }
  }
}
