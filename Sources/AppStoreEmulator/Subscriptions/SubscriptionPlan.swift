import StoreModel

/// A product of a subscription group as one customer would buy it now.
struct SubscriptionPlan: Hashable, Sendable {
  let productID: ProductID
  /// The service level within the group. 1 is the highest level.
  let level: Int
  let period: SubscriptionPeriod
  /// The price of one period, in the currency of the customer's storefront.
  let price: Price
  /// The plan's offers, at the prices of the customer's storefront.
  var offers: [SubscriptionOffer] = []
}
