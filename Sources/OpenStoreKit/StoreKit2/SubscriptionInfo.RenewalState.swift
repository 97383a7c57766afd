extension Product.SubscriptionInfo {
  /// Whether a subscription gives access, and why. Implements Apple's `Product.SubscriptionInfo.RenewalState`.
  ///
  /// The customer has access in the states ``subscribed`` and ``inGracePeriod``.
  public struct RenewalState: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let subscribed = RenewalState(rawValue: 1)
    public static let expired = RenewalState(rawValue: 2)
    /// A renewal could not be charged, and the store tries again. There is no access.
    public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
    /// A renewal could not be charged, and the customer has access until the end of the grace period.
    public static let inGracePeriod = RenewalState(rawValue: 4)
    /// The purchase was refunded, or the family share has ended.
    public static let revoked = RenewalState(rawValue: 5)

    public var localizedDescription: String {
      switch self {
      case .subscribed: "Subscribed"
      case .expired: "Expired"
      case .inBillingRetryPeriod: "In Billing Retry"
      case .inGracePeriod: "In Grace Period"
      case .revoked: "Revoked"
      default: "State \(rawValue)"
      }
    }
  }
}
