/// The subscription group, period and offers of an auto-renewable subscription.
public struct SubscriptionTerms: Hashable, Codable, Sendable {
  public let groupID: SubscriptionGroupID
  /// The service level within the group. 1 is the highest level.
  public let groupLevel: Int
  public let period: SubscriptionPeriod
  public let offers: [SubscriptionOffer]

  public init(
    groupID: SubscriptionGroupID, groupLevel: Int, period: SubscriptionPeriod, offers: [SubscriptionOffer]
  ) {
    self.groupID = groupID
    self.groupLevel = groupLevel
    self.period = period
    self.offers = offers
  }
}
