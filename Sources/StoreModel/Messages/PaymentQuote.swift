import Foundation

/// The exact charge that a customer confirms. The store charges exactly this.
///
/// Making a quote changes nothing in the store. The authentication code, which only the store can compute, proves that
/// the store made the quote.
public struct PaymentQuote: Hashable, Codable, Sendable {
  public let payment: PaymentRequest
  /// The account that is charged, even if another customer is signed in when the payment is confirmed.
  public let account: AccountName
  public let displayName: String
  /// The regular price of one item.
  public let unitPrice: Price
  /// The amount that is charged at the confirmation.
  public let total: Price
  /// The subscription that `total` pays for; nil for other products, and in quotes of earlier versions.
  public let plan: SubscriptionQuote?
  public let storefrontCountryCode: String
  public let localeIdentifier: String
  public let epoch: StoreEpoch
  /// The customer's number, followed by an HMAC-SHA256 with a key of the store. The HMAC covers the customer's number,
  /// all properties above and the installation.
  public let authenticationCode: Data

  public init(
    payment: PaymentRequest, account: AccountName, displayName: String, unitPrice: Price, total: Price,
    plan: SubscriptionQuote? = nil, storefrontCountryCode: String, localeIdentifier: String, epoch: StoreEpoch,
    authenticationCode: Data
  ) {
    self.payment = payment
    self.account = account
    self.displayName = displayName
    self.unitPrice = unitPrice
    self.total = total
    self.plan = plan
    self.storefrontCountryCode = storefrontCountryCode
    self.localeIdentifier = localeIdentifier
    self.epoch = epoch
    self.authenticationCode = authenticationCode
  }

  /// Whether both quotes make the same charge for the same product to the same account.
  public func chargesTheSame(as other: PaymentQuote) -> Bool {
    payment == other.payment && account == other.account && unitPrice == other.unitPrice && total == other.total
      && storefrontCountryCode == other.storefrontCountryCode && epoch == other.epoch
      && plan?.offer == other.plan?.offer && plan?.startDate == other.plan?.startDate
  }

  /// Whether `total` follows from the other properties.
  public var hasConsistentTotal: Bool {
    if plan?.startDate != nil { return total == Price(amount: .zero, currency: unitPrice.currency) }
    if let offer = plan?.offer { return total == Price(amount: offer.price, currency: unitPrice.currency) }
    return total == unitPrice.multiplied(by: payment.quantity)
  }
}

/// The terms of an auto-renewable subscription in a quote. The customer accepts them by confirming the quote.
public struct SubscriptionQuote: Hashable, Codable, Sendable {
  /// The length of the plan's regular periods.
  public let period: CalendarPeriod
  /// The offer that sets the price of the first periods; nil for the regular price.
  public let offer: SubscriptionOffer?
  /// The date at which the plan begins and is charged for the first time. Nil if it begins, and is charged, at the
  /// confirmation.
  ///
  /// A change to a lower level, or to another period, begins when the current period ends.
  public let startDate: StoreDate?

  public init(period: CalendarPeriod, offer: SubscriptionOffer? = nil, startDate: StoreDate? = nil) {
    self.period = period
    self.offer = offer
    self.startDate = startDate
  }
}
