/// The terms of an auto-renewable subscription in a quote. The customer accepts them by confirming the quote.
public struct SubscriptionQuote: Hashable, Codable, Sendable {
  /// The length of the plan's regular periods.
  public let period: SubscriptionPeriod
  /// The offer that sets the price of the first periods; nil for the regular price.
  public let offer: SubscriptionOffer?
  /// The date at which the plan begins and is charged for the first time. Nil if it begins, and is charged, at the
  /// confirmation.
  ///
  /// A change to a lower level, or to another period, begins when the current period ends.
  public let startDate: StoreDate?

  public init(period: SubscriptionPeriod, offer: SubscriptionOffer? = nil, startDate: StoreDate? = nil) {
    self.period = period
    self.offer = offer
    self.startDate = startDate
  }
}
