import Foundation
import StoreModel

public typealias SubscriptionInfo = Product.SubscriptionInfo
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState

extension Product {
  /// The group, period and offers of an auto-renewable subscription. Implements Apple's `Product.SubscriptionInfo`.
  public struct SubscriptionInfo: Equatable, Hashable, Sendable {
    public typealias BillingPeriod = SubscriptionPeriod

    /// The introductory offer, whether or not this customer is eligible.
    public let introductoryOffer: SubscriptionOffer?
    public let promotionalOffers: [SubscriptionOffer]
    /// All win-back offers, whether or not this customer is eligible.
    public let winBackOffers: [SubscriptionOffer]
    public let subscriptionGroupID: String
    public let subscriptionPeriod: SubscriptionPeriod
    /// The level of service within the group. 1 is the highest.
    public let groupLevel: Int
    /// The name of the group in the language of the storefront. Empty if it has none.
    public let groupDisplayName: String
    /// The plans on sale: always one, which is charged up front.
    public let pricingTerms: [PricingTerms]
    private let origin: DeviceReference

    /// Nil if the product is no auto-renewable subscription.
    init?(_ listing: ProductListing, origin: DeviceReference) {
      guard listing.type == .autoRenewableSubscription, let terms = listing.subscription else { return nil }
      let offers = terms.offers.compactMap { SubscriptionOffer($0, of: listing) }
      introductoryOffer = offers.first { $0.type == .introductory }
      promotionalOffers = offers.filter { $0.type == .promotional }
      winBackOffers = offers.filter { $0.type == .winBack }
      subscriptionGroupID = terms.groupID.rawValue
      subscriptionPeriod = SubscriptionPeriod(terms.period)
      groupLevel = terms.groupLevel
      groupDisplayName = listing.groupDisplayName ?? ""
      pricingTerms = [PricingTerms(upFront: listing, period: SubscriptionPeriod(terms.period), offers: offers)]
      self.origin = origin
    }

    /// As ``isEligibleForIntroOffer(for:)``, of the product's group.
    public var isEligibleForIntroOffer: Bool {
      get async { await Self.isEligibleForIntroOffer(for: subscriptionGroupID, on: origin.device) }
    }

    /// Whether the customer may have an introductory offer of a group, also if no product of the group has one. Each call
    /// asks the store for changes first.
    public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
      await isEligibleForIntroOffer(for: groupID, on: nil)
    }

    static func isEligibleForIntroOffer(for groupID: String, on device: StoreKitDevice?) async -> Bool {
      guard let device = device ?? .currentOrReport(), await device.isRefreshed() else { return false }
      let group = SubscriptionGroupID(groupID)
      return device.habits.eligibility(
        device.reading { try $0.canHaveIntroductoryOffer(in: group) } ?? false, in: group)
    }

    /// As ``status(for:)``, of the product's group.
    public var status: [Status] {
      get async throws { try await Self.status(for: subscriptionGroupID, on: origin.device) }
    }

    /// The statuses of a group: one of the customer's own subscription, and one of each family share. Empty if there was
    /// none, and in a cancelled task.
    ///
    /// - Throws: ``StoreKitError/systemError(_:)`` if there is no device, or it cannot be read.
    public static func status(for groupID: String) async throws -> [Status] {
      try await status(for: groupID, on: nil)
    }

    static func status(for groupID: String, on device: StoreKitDevice?) async throws -> [Status] {
      guard !Task.isCancelled else { return [] }
      let device = try device ?? .orSystemError()
      try device.simulatedErrors.check(.subscriptionStatus)
      guard await device.isRefreshed() else { return [] }
      return try device.journaled { try $0.statuses(of: SubscriptionGroupID(groupID)) }.compactMap {
        Status($0, on: device)
      }
    }

    /// The status of the subscription of a transaction, which can be any of its transactions. Nil if there is none, and in a
    /// cancelled task.
    ///
    /// - Throws: as ``status(for:)``.
    public static func status(transactionID: UInt64) async throws -> Status? {
      try await status(transactionID: transactionID, on: nil)
    }

    static func status(transactionID: UInt64, on device: StoreKitDevice?) async throws -> Status? {
      guard !Task.isCancelled else { return nil }
      let device = try device ?? .orSystemError()
      try device.simulatedErrors.check(.subscriptionStatus)
      guard await device.isRefreshed() else { return nil }
      return try device.journaled { try $0.status(of: TransactionID(transactionID)) }.flatMap {
        Status($0, on: device)
      }
    }
  }
}
