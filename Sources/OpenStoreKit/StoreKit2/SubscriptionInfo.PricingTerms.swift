import Foundation
import StoreModel

extension Product.SubscriptionInfo {
  /// How a subscription is charged. Implements Apple's `Product.SubscriptionInfo.BillingPlanType`.
  public struct BillingPlanType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A commitment of a year with a charge each month. It is not sold.
    public static let monthly = BillingPlanType(rawValue: StoreModel.BillingPlanType.monthly.rawValue)
    /// A charge at the beginning of each period.
    public static let upFront = BillingPlanType(rawValue: StoreModel.BillingPlanType.billedUpfront.rawValue)
  }

  /// What the customer commits to pay. Implements Apple's `Product.SubscriptionInfo.CommitmentInfo`.
  public struct CommitmentInfo: Equatable, Hashable, Sendable {
    /// The total of the commitment.
    public let price: Decimal
    public let displayPrice: String
    public let period: Product.SubscriptionPeriod
  }

  /// The prices of a plan. Implements Apple's `Product.SubscriptionInfo.PricingTerms`.
  public struct PricingTerms: Equatable, Hashable, Sendable {
    public let billingPlanType: BillingPlanType
    /// The price of a charge.
    public let billingPrice: Decimal
    public let billingDisplayPrice: String
    /// The time between two charges.
    public let billingPeriod: BillingPeriod
    public let commitmentInfo: CommitmentInfo
    public let subscriptionOffers: [Product.SubscriptionOffer]

    /// The plan that is charged up front: the commitment is one period.
    init(upFront listing: ProductListing, period: Product.SubscriptionPeriod, offers: [Product.SubscriptionOffer]) {
      billingPlanType = .upFront
      billingPrice = listing.price.amount.decimal
      billingDisplayPrice = listing.formatted(listing.price.amount)
      billingPeriod = period
      commitmentInfo = CommitmentInfo(price: billingPrice, displayPrice: billingDisplayPrice, period: period)
      subscriptionOffers = offers
    }

    /// The offers of a kind.
    public subscript(offers type: Product.SubscriptionOffer.OfferType) -> [Product.SubscriptionOffer] {
      subscriptionOffers.filter { $0.type == type }
    }
  }
}
