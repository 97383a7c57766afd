import APIDescription
import AppStoreEmulator
import StoreModel

/// A subscription of a customer in one group of an app. Dates are UNIX milliseconds.
package struct SubscriptionView: APIObject, Hashable {
  package let originalTransactionId: TransactionID
  package let lastTransactionId: TransactionID
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let customer: AccountName
  package let subscriptionGroupIdentifier: SubscriptionGroupID
  package let state: RenewalRecord.State
  package let productId: ProductID
  package let autoRenewProductId: ProductID
  package let isAutoRenewOn: Bool
  package let renewalPrice: Milliunits
  package let currency: String
  package let announcedPrice: Milliunits?
  package let needsPriceConsent: Bool
  package let renewalOfferType: SubscriptionOffer.Kind?
  package let renewalOfferId: String?
  package let periodStartDate: StoreDate
  package let renewalDate: StoreDate
  package let accessEndDate: StoreDate
  package let retryEndDate: StoreDate?
  package let nextEventDate: StoreDate?
  package let expirationIntent: Int?

  package static let notes: [String: MemberNote] = [
    "lastTransactionId": "The transaction of the last charged period.",
    "autoRenewProductId": "The product of the next period.",
    "renewalPrice": "The price of the current plan's renewals without an offer, in thousandths of the currency's unit.",
    "announcedPrice": "A higher price that was announced, and does not apply yet.",
    "needsPriceConsent": "Whether the subscription expires unless the customer agrees to announcedPrice.",
    "renewalOfferType": "The offer that sets the price of the next period. Missing for the regular price.",
    "renewalDate": "The date at which the current period renews or expires, or did.",
    "accessEndDate": "The customer has access until this date. In a grace period it is later than renewalDate.",
    "retryEndDate": "Until then the store tries to charge a renewal that failed.",
    "nextEventDate": "The date of the next event that comes by itself. Missing if the subscription has ended.",
    "expirationIntent": .init(
      "Why it expired. 1: renewal was off; 2: billing error; 3: no consent to a price increase; 4: the product is not sold.",
      minimum: 1, maximum: 4),
  ]

  package init(_ record: RenewalRecord) {
    originalTransactionId = record.originalTransactionID
    lastTransactionId = record.currentTransactionID
    bundleId = record.bundleID
    environment = record.environment
    customer = record.account
    subscriptionGroupIdentifier = record.groupID
    state = record.state
    productId = record.productID
    autoRenewProductId = record.renewalProductID
    isAutoRenewOn = record.isAutoRenewOn
    renewalPrice = record.renewalPrice.amount
    currency = record.renewalPrice.currency
    announcedPrice = record.announcedPrice?.amount
    needsPriceConsent = record.needsPriceConsent
    renewalOfferType = record.renewalOffer?.kind
    renewalOfferId = record.renewalOffer?.identifier
    periodStartDate = record.periodStart
    renewalDate = record.periodEnd
    accessEndDate = record.accessEnd
    retryEndDate = record.retryEnd
    nextEventDate = record.nextEventDate
    expirationIntent = record.expirationIntent
  }
}

extension RenewalRecord.State: APIValue {}
extension SubscriptionStep: APIValue {}
extension SubscriptionOffer.Kind: APIValue {}

/// A subscription and a page of its history.
package struct SubscriptionHistoryView: PagedList, Hashable {
  package private(set) var subscription: SubscriptionView
  package private(set) var history: [SubscriptionStepView]
  package private(set) var next: PageCursor?

  package static let notes: [String: MemberNote] = ["history": "Oldest step first.", "next": .nextPageAfter]

  package init(_ record: RenewalRecord, _ history: ListPage<RenewalRecord.Step>) {
    subscription = SubscriptionView(record)
    self.history = history.elements.map { SubscriptionStepView(step: $0.step, date: $0.date) }
    next = history.next.map(PageCursor.init)
  }

  package mutating func append(_ page: SubscriptionHistoryView) {
    (subscription, history, next) = (page.subscription, history + page.history, page.next)
  }
}

/// A step of a subscription's history.
package struct SubscriptionStepView: APIObject, Hashable {
  package let step: SubscriptionStep
  package let date: StoreDate

  package init(step: SubscriptionStep, date: StoreDate) {
    self.step = step
    self.date = date
  }
}

/// A page of a customer's subscriptions, in the order of their original transaction ids. Until a snapshot of the store is
/// restored, this is the order in which they began.
package struct SubscriptionList: PagedList {
  package private(set) var subscriptions: [SubscriptionView]
  package private(set) var next: PageCursor?

  package static let notes: [String: MemberNote] = ["next": .nextPageAfter]

  package init(_ page: ListPage<RenewalRecord>) {
    subscriptions = page.elements.map(SubscriptionView.init)
    next = page.next.map(PageCursor.init)
  }

  package mutating func append(_ page: SubscriptionList) {
    (subscriptions, next) = (subscriptions + page.subscriptions, page.next)
  }
}

/// Changes of a subscription, which are made together. At least one is required.
package struct SubscriptionChange: APIObject {
  package var isAutoRenewOn: Bool?
  package var renewalDate: StoreDate?
  package var priceIncrease: PriceIncrease?
  package var agreesToPrice: Bool?

  package enum PriceIncrease: String, APIValue, CaseIterable {
    case withConsent, withoutConsent
  }

  package static let notes: [String: MemberNote] = [
    "isAutoRenewOn": "Turns automatic renewal on or off, as the customer does in the settings.",
    "renewalDate": "Extends the current period to this later date.",
    "priceIncrease":
      "Announces that renewals will have the catalog's price, which must be higher. If it needs consent, the subscription expires unless the customer agrees.",
    "agreesToPrice": "The customer agrees to the announced price, or declines it, which turns automatic renewal off.",
  ]

  package init() {}

  /// The changes, in the order in which they are made.
  package var adjustments: [SubscriptionAdjustment] {
    var adjustments: [SubscriptionAdjustment] = []
    if let priceIncrease { adjustments.append(.announcePriceIncrease(needsConsent: priceIncrease == .withConsent)) }
    if let agreesToPrice { adjustments.append(.answerPriceIncrease(isAgreed: agreesToPrice)) }
    if let renewalDate { adjustments.append(.extend(to: renewalDate)) }
    if let isAutoRenewOn { adjustments.append(.autoRenew(isOn: isAutoRenewOn)) }
    return adjustments
  }
}

/// How an app's subscriptions renew.
package struct RenewalRulesView: APIObject, Hashable {
  package enum GracePeriod: String, APIValue, Hashable, CaseIterable {
    case off, standard
  }

  package let timeRate: Int
  package let gracePeriod: GracePeriod?
  package let gracePeriodSeconds: Int64?

  package static let notes: [String: MemberNote] = [
    "timeRate": "A raw value of StoreKitTest's `SKTestSession.TimeRate`, such as 13; 0 is real time.",
    "gracePeriod": "standard: 6 days for weekly subscriptions, otherwise 16 days, shortened by the rate.",
    "gracePeriodSeconds": .init(
      "A length of its own, instead of gracePeriod.", minimum: RenewalRules.graceSeconds.lowerBound,
      maximum: RenewalRules.graceSeconds.upperBound),
  ]

  package init(_ rules: RenewalRules) {
    timeRate = rules.rate.rawValue
    switch rules.gracePeriod {
    case .off: (gracePeriod, gracePeriodSeconds) = (.off, nil)
    case .standard: (gracePeriod, gracePeriodSeconds) = (.standard, nil)
    case .seconds(let seconds): (gracePeriod, gracePeriodSeconds) = (nil, seconds)
    }
  }

  /// The renewal rules; nil if StoreKitTest does not define the time rate.
  package var rules: RenewalRules? {
    guard let rate = RenewalRate(rawValue: timeRate) else { return nil }
    if let gracePeriodSeconds { return RenewalRules(rate: rate, gracePeriod: .seconds(gracePeriodSeconds)) }
    return RenewalRules(rate: rate, gracePeriod: gracePeriod == .standard ? .standard : .off)
  }
}
