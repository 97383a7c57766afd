/// The types of in-app purchases. The raw values are those of signed transactions.
public enum ProductType: String, Hashable, Codable, Sendable, CaseIterable {
  case consumable = "Consumable"
  case nonConsumable = "Non-Consumable"
  case nonRenewingSubscription = "Non-Renewing Subscription"
  case autoRenewableSubscription = "Auto-Renewable Subscription"

  /// Whether the customer can restore purchases of this type on other devices.
  public var isRestorable: Bool { self == .nonConsumable || self == .autoRenewableSubscription }

  /// Whether one payment can buy several units.
  public var allowsQuantity: Bool { self == .consumable || self == .nonRenewingSubscription }
}
