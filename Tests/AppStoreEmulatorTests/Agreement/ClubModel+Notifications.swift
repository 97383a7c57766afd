import StoreModel

/// A notification that must have been sent.
struct ExpectedNotification {
  /// Its type and subtype, such as `SUBSCRIBED/INITIAL_BUY`.
  let name: String
  /// The date of its cause.
  let date: StoreDate
  var transaction: ClubTransaction?
  var status: Int?
  /// The members of the renewal information; empty for other products than subscriptions.
  var renewalInfo: [String: String] = [:]
  /// The consumption request reason.
  var reason: String?
  var summary: [String: String] = [:]
  let environment: StoreEnvironment

  /// All members of the decoded payload that the store does not invent, by their paths.
  func members(appAppleID: Int64) -> [String: String] {
    let number = environment == .production ? "\(appAppleID)" : nil
    var members = ["version": "2.0"]
    func add(_ path: String, _ values: [String: String]) {
      for (name, value) in values { members["\(path).\(name)"] = value }
    }
    guard let transaction else {
      add("summary", summary)
      members["summary.appAppleId"] = number
      return members
    }
    add("data", ["bundleId": TeaShop.app.rawValue, "environment": environment.rawValue])
    members["data.appAppleId"] = number
    members["data.bundleVersion"] = transaction.person.version
    members["data.status"] = status.map { "\($0)" }
    members["data.consumptionRequestReason"] = reason
    add("transaction", transaction.members)
    add("renewal", renewalInfo)
    return members
  }
}

extension ClubModel {
  /// The status of the subscription for the owner of a transaction.
  func status(_ subscription: ClubSubscription, _ transaction: ClubTransaction) -> Int {
    guard let bought = transaction.sharedFrom else { return subscription.state.rawValue }
    if transaction.revocation != nil { return ClubSubscription.State.revoked.rawValue }
    // A share of an earlier period has ended, whatever the purchaser's subscription does.
    return (bought == subscription.current ? subscription.state : .expired).rawValue
  }

  /// The members of the renewal information beside a transaction ("JWSRenewalInfoDecodedPayload"), without those that only the store
  /// knows. `signed-data.md`, section 3.
  func renewalInfo(_ subscription: ClubSubscription, _ transaction: ClubTransaction) -> [String: String] {
    let isShare = transaction.sharedFrom != nil
    let isRevoked = isShare && transaction.revocation != nil
    // A share of an earlier period, after which the member received none.
    let hasEnded = isShare && !isRevoked && transaction.sharedFrom != subscription.current
    // For a member who lost the share, no period follows.
    let renews = subscription.isAutoRenewOn && !isRevoked && !hasEnded
    var members = [
      "productId": subscription.plan.id.rawValue, "autoRenewProductId": subscription.renewalPlan.id.rawValue,
      "autoRenewStatus": renews ? "1" : "0", "renewalDate": subscription.end.text,
      "environment": transaction.person.environment.rawValue,
      "recentSubscriptionStartDate": recentStart(transaction).text,
    ]
    members["appAccountToken"] = transaction.token?.uuidString.lowercased()
    members["expirationIntent"] = subscription.expirationIntent.map { "\($0)" }
    members["gracePeriodExpiresDate"] = subscription.graceEnd?.text
    members["priceIncreaseStatus"] = subscription.increase.map { $0.isOpen ? "0" : "1" }
    if hasEnded {
      members["renewalDate"] = transaction.expiresDate?.text
      members["expirationIntent"] = "1"
      (members["gracePeriodExpiresDate"], members["priceIncreaseStatus"]) = (nil, nil)
      members["isInBillingRetryPeriod"] = "false"
      return members
    }
    switch subscription.state {
    case .gracePeriod, .billingRetry: members["isInBillingRetryPeriod"] = "true"
    case .expired: members["isInBillingRetryPeriod"] = "false"
    case .active, .revoked: break
    }
    if renews {
      members.merge(subscription.renewalOffer?.members ?? [:]) { $1 }
      if !isShare, !notForSale.contains(subscription.renewalPlan.id) {
        (members["renewalPrice"], members["currency"]) = ("\(coming(subscription))", "USD")
      }
    }
    let winBack = isShare || subscription.isRunning ? [] : winBackOffers(subscription)
    if !winBack.isEmpty { members["eligibleWinBackOfferIds"] = winBack.joined(separator: ",") }
    return members
  }

  /// The price of the coming renewal. If the customer still has to agree to an increase, the subscription renews only at the new price.
  private func coming(_ subscription: ClubSubscription) -> Int64 {
    if subscription.state == .active, subscription.nextPlan == nil, subscription.renewalOffer == nil,
      let increase = subscription.increase, increase.isOpen
    {
      return increase.price
    }
    return renewalPrice(subscription)
  }

  private func winBackOffers(_ subscription: ClubSubscription) -> [String] {
    ClubCatalog.plans.filter { $0.group == subscription.plan.group && !notForSale.contains($0.id) }
      .flatMap(\.offers).filter { $0.kind == .winBack }.compactMap(\.identifier)
  }

  /// The start of the latest run of periods, in which shorter gaps do not count: 60 days, in the sandbox 10 minutes.
  private func recentStart(_ transaction: ClubTransaction) -> StoreDate {
    let longest: Int64 = transaction.person.environment == .production ? 60 * 86_400 : 600
    var (start, end) = (transaction.originalPurchaseDate, transaction.originalPurchaseDate)
    for period in transactions where period.original == transaction.original {
      if period.purchaseDate > end.adding(seconds: longest) { start = period.purchaseDate }
      end = max(end, period.revocation?.date ?? period.expiresDate ?? end)
    }
    return start
  }
}
