/// A reduced price for a subscription, for a limited time.
public struct SubscriptionOffer: Hashable, Codable, Sendable {
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    case introductory, promotional, offerCode, winBack
  }

  public enum PaymentMode: String, Hashable, Codable, Sendable {
    case freeTrial, payAsYouGo, payUpFront
  }

  /// A group of customers who may redeem an offer code.
  public enum Eligibility: String, Hashable, Codable, Sendable {
    case new, existing, expired
  }

  public let kind: Kind
  /// The developer's identifier; nil for an introductory offer.
  public let identifier: String?
  public let paymentMode: PaymentMode
  /// For `payAsYouGo` the length of one billing period, otherwise the length of the whole offer.
  public let period: CalendarPeriod
  /// The number of billing periods of a `payAsYouGo` offer; 1 for other payment modes.
  public let numberOfPeriods: Int
  /// The price: of one billing period for `payAsYouGo`, of the whole offer for `payUpFront`; zero for a free trial.
  public let price: Milliunits
  /// The customers who may redeem an offer code; empty for other kinds.
  public let eligibility: [Eligibility]

  public init(
    kind: Kind, identifier: String?, paymentMode: PaymentMode, period: CalendarPeriod, numberOfPeriods: Int = 1,
    price: Milliunits, eligibility: [Eligibility] = []
  ) {
    self.kind = kind
    self.identifier = identifier
    self.paymentMode = paymentMode
    self.period = period
    self.numberOfPeriods = numberOfPeriods
    self.price = price
    self.eligibility = eligibility
  }
}
