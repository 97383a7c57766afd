import Foundation
import StoreModel

/// A purchase as a customer confirmed it.
struct ClubPurchase {
  let person: Person
  let product: ProductID
  var quantity = 1
  var offer: PaymentOffer?
  var token: UUID?
  /// The price of the catalog at the confirmation, in milliunits.
  var unitPrice: Int64 = 0
}

extension ClubModel {
  mutating func buy(_ purchase: ClubPurchase) {
    defer { commit() }
    let (person, date) = (purchase.person, now.wholeSeconds)
    guard let plan = ClubCatalog.plan(purchase.product) else {
      guard let product = ClubCatalog.oneTimeProduct(purchase.product), !owns(person, purchase.product) else { return }
      let number = transactions.count
      transactions.append(
        ClubTransaction(
          number: number, original: number, person: person, product: product.productID, type: product.type,
          purchaseDate: date, originalPurchaseDate: date, quantity: purchase.quantity,
          price: purchase.unitPrice * Int64(purchase.quantity), isRenewal: false, appToken: purchase.token))
      note("ONE_TIME_CHARGE", number)
      return shareForEver(number)
    }
    let key = SubscriptionKey(person: person, group: plan.group)
    let earlier = subscriptions[key]
    if var found = earlier, !found.beginsAtOnce(plan, hasOffer: purchase.offer != nil) {
      return choose(plan, purchase, key, &found)
    }
    guard !owns(person, plan.id) else { return }
    let offer =
      purchase.offer.flatMap { wanted in plan.offers.first { $0.identifier == wanted.identifier } } ?? trial(key, plan)
    let isUpgrade = earlier.map { $0.state == .active || $0.hasAccess && plan.level < $0.plan.level } ?? false
    var found =
      earlier
      ?? ClubSubscription(person: person, plan: plan, current: 0, end: date, regularPrice: purchase.unitPrice)
    if earlier?.state == .active {
      transactions[found.current].upgradeDate = date
      endSharing(of: found.current, reason: 0)
    }
    let token = purchase.token
    let serverToken = earlier.flatMap { transactions[$0.current].serverToken }
    (found.plan, found.regularPrice, found.offer) = (plan, purchase.unitPrice, offer)
    (found.isAutoRenewOn, found.nextPlan, found.nextOffer, found.increase) = (true, nil, nil, nil)
    found.offerPeriodsLeft = (offer?.numberOfPeriods ?? 1) - 1
    beginPeriod(
      key, &found, from: date, price: offer?.price.rawValue ?? purchase.unitPrice, isRenewal: false, token: token,
      shares: "SUBSCRIBED/RESUBSCRIBE")
    if token == nil { transactions[found.current].serverToken = serverToken }
    let redeemed = offer == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED"
    let subscribed = earlier == nil ? "SUBSCRIBED/INITIAL_BUY" : "SUBSCRIBED/RESUBSCRIBE"
    step(isUpgrade ? "\(redeemed)/UPGRADE" : subscribed, key, found)
  }

  mutating func choose(
    _ plan: ClubCatalog.Plan, _ purchase: ClubPurchase, _ key: SubscriptionKey, _ found: inout ClubSubscription
  ) {
    let offer = purchase.offer.flatMap { wanted in plan.offers.first { $0.identifier == wanted.identifier } }
    var name = offer == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED"
    if plan != found.plan {
      found.nextPlan = ClubSubscription.NextPlan(plan: plan, offer: offer)
      name += "/DOWNGRADE"
    } else {
      found.nextPlan = nil
      if let offer { found.nextOffer = offer }
    }
    found.isAutoRenewOn = true
    step(name, key, found)
  }

  /// The introductory offer of a customer who had none in the group.
  func trial(_ key: SubscriptionKey, _ plan: ClubCatalog.Plan) -> SubscriptionOffer? {
    guard subscriptions[key]?.hasAccess != true else { return nil }
    let had = transactions.contains {
      $0.person == key.person && $0.plan?.group == key.group && $0.sharedFrom == nil && $0.offer?.kind == .introductory
    }
    return had ? nil : plan.offers.first { $0.kind == .introductory }
  }

  /// Makes the transaction of a period, and its shares.
  mutating func beginPeriod(
    _ key: SubscriptionKey, _ found: inout ClubSubscription, from start: StoreDate, price: Int64, isRenewal: Bool,
    token: UUID?, shares name: String
  ) {
    let number = transactions.count
    let earlier = subscriptions[key].map { transactions[$0.current] }
    let seconds = found.offer?.seconds ?? Int64(found.plan.weeks) * 7 * 86_400
    (found.state, found.end, found.expirationIntent) = (.active, start.adding(seconds: seconds), nil)
    (found.graceEnd, found.retryEnd, found.current) = (nil, nil, number)
    transactions.append(
      ClubTransaction(
        number: number, original: earlier?.original ?? number, person: key.person, product: found.plan.id,
        type: .autoRenewableSubscription, purchaseDate: start,
        originalPurchaseDate: earlier?.originalPurchaseDate ?? start, expiresDate: found.end, price: price,
        isRenewal: isRenewal, appToken: isRenewal ? earlier?.appToken : token,
        serverToken: isRenewal ? earlier?.serverToken : nil, offer: found.offer))
    sharePeriod(number, name, renewing: isRenewal ? earlier?.number : nil)
  }
}
