import Foundation
import StoreModel

extension Product {
  /// A reduced price for a subscription, for a limited time. Implements Apple's `Product.SubscriptionOffer`.
  public struct SubscriptionOffer: Equatable, Hashable, Sendable {
    /// Nil for an introductory offer.
    public let id: String?
    public let type: OfferType
    /// The price of a charge: of a ``period`` if the offer is paid as you go, otherwise of the whole offer.
    public let price: Decimal
    public let displayPrice: String
    public let period: SubscriptionPeriod
    /// The number of periods; 1 unless the offer is paid as you go.
    public let periodCount: Int
    public let paymentMode: PaymentMode

    /// Nil for an offer code, which a product does not list.
    init?(_ offer: StoreModel.SubscriptionOffer, of listing: ProductListing) {
      switch offer.kind {
      case .introductory: type = .introductory
      case .promotional: type = .promotional
      case .winBack: type = .winBack
      case .offerCode: return nil
      }
      id = offer.kind == .introductory ? nil : offer.identifier
      price = offer.price.decimal
      displayPrice = listing.formatted(offer.price)
      period = SubscriptionPeriod(offer.period)
      periodCount = offer.numberOfPeriods
      paymentMode = PaymentMode(offer.paymentMode)
    }

    /// The kind of an offer. Implements Apple's `Product.SubscriptionOffer.OfferType`.
    public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let introductory = OfferType(rawValue: "Introductory")
      public static let promotional = OfferType(rawValue: "Promotional")
      public static let winBack = OfferType(rawValue: "WinBack")

      public var localizedDescription: String {
        switch self {
        case .introductory: "Introductory offer"
        case .promotional: "Promotional offer"
        case .winBack: "Win-back offer"
        default: rawValue
        }
      }
    }

    /// How an offer is paid. Implements Apple's `Product.SubscriptionOffer.PaymentMode`.
    public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      init(_ mode: StoreModel.SubscriptionOffer.PaymentMode) {
        self =
          switch mode {
          case .freeTrial: .freeTrial
          case .payAsYouGo: .payAsYouGo
          case .payUpFront: .payUpFront
          }
      }

      public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
      public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
      public static let freeTrial = PaymentMode(rawValue: "FreeTrial")

      public var localizedDescription: String {
        switch self {
        case .payAsYouGo: "Pay as you go"
        case .payUpFront: "Pay up front"
        case .freeTrial: "Free trial"
        default: rawValue
        }
      }
    }

    /// The developer's signature of a promotional offer. Implements Apple's `Product.SubscriptionOffer.Signature`.
    public struct Signature: Equatable, Hashable, Sendable {
      public var keyID: String
      public var nonce: UUID
      /// The time of signing in UNIX milliseconds.
      public var timestamp: Int
      /// A DER-encoded ECDSA signature.
      public var signature: Data

      public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
        self.keyID = keyID
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
      }
    }
  }
}
