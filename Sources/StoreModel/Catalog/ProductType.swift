/// The kinds of product an app can sell. The raw values are those of signed transactions.
public enum ProductType: String, Hashable, Codable, Sendable, CaseIterable {
  case consumable = "Consumable"
  case nonConsumable = "Non-Consumable"
  case nonRenewingSubscription = "Non-Renewing Subscription"
  case autoRenewableSubscription = "Auto-Renewable Subscription"

  /// Whether purchases of the kind are brought back on every device of the account.
  public var isRestorable: Bool { self == .nonConsumable || self == .autoRenewableSubscription }
}
