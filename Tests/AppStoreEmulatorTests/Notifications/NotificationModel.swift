import StoreModel

@testable import AppStoreEmulator

/// What the customers have before and after an action.
struct NotificationWorld {
  /// By the original transaction id.
  var subscriptions: [TransactionID: RenewalRecord] = [:]
  var transactions: [TransactionID: StoredTransaction] = [:]

  init(_ shop: TeaShop, _ accounts: [AccountName]) async throws {
    for account in accounts {
      for record in try await shop.store.subscriptions(of: account, in: .sandbox) {
        subscriptions[record.originalTransactionID] = record
      }
    }
    for stored in try await shop.store.transactions(RecordFilter(limit: 10_000)) {
      transactions[stored.record.transactionID] = stored
    }
  }
}

/// An action of a test, or the passing of time to the next date at which something is due.
enum NotificationAction {
  case due
  case buy(ProductID, offer: Bool)
  case autoRenew(Bool)
  case pay(Bool)
  case refund, reverseRefund
  case extend
  case announce(needsConsent: Bool)
  case answer(Bool)
  case sell(Bool)
  case join(Bool)
}

/// Apple's tables of notifications by use case ("notificationType"), computed from what the customers have before and after an
/// action. It knows nothing of the store's events.
struct NotificationModel {
  let action: NotificationAction
  let before: NotificationWorld
  let after: NotificationWorld

  /// Each expected notification: its type and subtype, its transaction and, for subscriptions, the status.
  var expected: [String] {
    let original = after.subscriptions.values.flatMap { record in
      purchaser(before.subscriptions[record.originalTransactionID], record).map {
        "\($0) \(record.currentTransactionID) \(Self.status(record.state))"
      }
    }
    return (original + after.transactions.values.flatMap(transaction)).sorted()
  }

  private static func status(_ state: RenewalRecord.State) -> Int {
    switch state {
    case .active: 1
    case .expired: 2
    case .billingRetry: 3
    case .gracePeriod: 4
    case .revoked: 5
    }
  }

  /// The notifications of a purchaser's subscription.
  private func purchaser(_ before: RenewalRecord?, _ after: RenewalRecord) -> [String] {
    guard let before else { return ["SUBSCRIBED/INITIAL_BUY"] }
    let isNewPeriod = before.currentTransactionID != after.currentTransactionID
    switch action {
    case .due, .pay:
      if isNewPeriod { return [before.state == .active ? "DID_RENEW" : "DID_RENEW/BILLING_RECOVERY"] }
      guard before.state != after.state else { return [] }
      switch after.state {
      case .gracePeriod: return ["DID_FAIL_TO_RENEW/GRACE_PERIOD"]
      case .billingRetry: return [before.state == .gracePeriod ? "GRACE_PERIOD_EXPIRED" : "DID_FAIL_TO_RENEW"]
      case .expired: return [expired(after)]
      case .active, .revoked: return ["impossible"]
      }
    case .buy(let product, let hasOffer):
      guard isBought(after.productID, after) || product == after.renewalProductID else { return [] }
      if isNewPeriod {
        guard before.state == .active || before.state == .gracePeriod && isHigher(after.productID, before.productID)
        else {
          return ["SUBSCRIBED/RESUBSCRIBE"]
        }
        return [hasOffer ? "OFFER_REDEEMED/UPGRADE" : "DID_CHANGE_RENEWAL_PREF/UPGRADE"]
      }
      guard before.revision != after.revision else { return [] }
      if after.renewalProductID != after.productID {
        return [hasOffer ? "OFFER_REDEEMED/DOWNGRADE" : "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"]
      }
      return [hasOffer ? "OFFER_REDEEMED" : "DID_CHANGE_RENEWAL_PREF"]
    case .autoRenew, .answer(false):
      if before.state == .billingRetry, after.state == .expired { return ["EXPIRED/BILLING_RETRY"] }
      guard before.isAutoRenewOn != after.isAutoRenewOn else { return [] }
      return ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_\(after.isAutoRenewOn ? "ENABLED" : "DISABLED")"]
    case .answer(true): return before.needsPriceConsent && !after.needsPriceConsent ? ["PRICE_INCREASE/ACCEPTED"] : []
    case .announce:
      guard before.revision != after.revision else { return [] }
      return [after.needsPriceConsent ? "PRICE_INCREASE/PENDING" : "PRICE_INCREASE/ACCEPTED"]
    case .extend: return before.periodEnd == after.periodEnd ? [] : ["RENEWAL_EXTENDED"]
    // The notification is that of the transaction.
    case .refund, .reverseRefund: return []
    case .sell, .join: return []
    }
  }

  private func isBought(_ product: ProductID, _ record: RenewalRecord) -> Bool {
    if case .buy(product, _) = action { return true }
    return false
  }

  private func isHigher(_ product: ProductID, _ other: ProductID) -> Bool {
    NotificationClub.level(product) < NotificationClub.level(other)
  }

  private func expired(_ record: RenewalRecord) -> String {
    switch record.expirationIntent {
    case 1: "EXPIRED/VOLUNTARY"
    case 2: "EXPIRED/BILLING_RETRY"
    case 3: "EXPIRED/PRICE_INCREASE"
    case 4: "EXPIRED/PRODUCT_NOT_FOR_SALE"
    default: "EXPIRED"
    }
  }

  /// The notifications of one transaction that are not those of its owner's subscription.
  private func transaction(_ stored: StoredTransaction) -> [String] {
    let (record, id) = (stored.record, stored.record.transactionID)
    let earlier = before.transactions[id]?.record
    guard record.type == .autoRenewableSubscription else {
      if earlier == nil { return ["ONE_TIME_CHARGE \(id)"] }
      return revocation(earlier, stored).map { "\($0) \(id)" }
    }
    let name: [String] =
      if let earlier {
        stored.sharedTransactionID != nil && earlier.expiresDate != record.expiresDate
          ? ["RENEWAL_EXTENDED"] : revocation(earlier, stored)
      } else {
        stored.sharedTransactionID == nil ? [] : [share(stored)]
      }
    return name.map { "\($0) \(id) \(status(of: stored))" }
  }

  private func revocation(_ earlier: TransactionRecord?, _ stored: StoredTransaction) -> [String] {
    switch (earlier?.revocationDate, stored.record.revocationDate) {
    case (nil, _?): [stored.sharedTransactionID == nil ? "REFUND" : "REVOKE"]
    case (_?, nil): ["REFUND_REVERSED"]
    default: []
    }
  }

  private func share(_ stored: StoredTransaction) -> String {
    if stored.record.originalTransactionID == stored.record.transactionID { return "SUBSCRIBED/INITIAL_BUY" }
    // A period that began with this action continues the member's share, unless the purchaser bought it.
    guard let purchase = stored.sharedTransactionID.flatMap({ after.transactions[$0] }),
      before.transactions[purchase.record.transactionID] == nil, purchase.record.reason == .renewal,
      let earlier = before.subscriptions[purchase.record.originalTransactionID]
    else { return "SUBSCRIBED/RESUBSCRIBE" }
    return earlier.state == .active ? "DID_RENEW" : "DID_RENEW/BILLING_RECOVERY"
  }

  private func status(of stored: StoredTransaction) -> Int {
    if stored.sharedTransactionID != nil, stored.record.revocationDate != nil { return 5 }
    let purchase = stored.sharedTransactionID.flatMap { after.transactions[$0] } ?? stored
    return after.subscriptions[purchase.record.originalTransactionID].map { Self.status($0.state) } ?? 0
  }
}

/// A club with three plans that a family shares, and the actions of its customers.
enum NotificationClub {
  static let plans: [(id: ProductID, level: Int, price: Int64, months: Int)] = [
    ("gold", 1, 9_990, 1), ("goldYearly", 1, 99_990, 12), ("silver", 2, 4_990, 1),
  ]
  static let member: AccountName = "ada"

  static func level(_ product: ProductID) -> Int { plans.first { $0.id == product }?.level ?? 0 }

  static func catalog(raisedBy raise: Int64 = 0) -> [ProductDefinition] {
    TeaShop.lastingCatalog()
      + plans.map { plan in
        ProductDefinition(
          productID: plan.id, type: .autoRenewableSubscription, price: Milliunits(plan.price + raise),
          isFamilyShareable: true,
          subscription: SubscriptionTerms(
            groupID: "plans", groupLevel: plan.level, period: SubscriptionPeriod(value: plan.months, unit: .month),
            offers: [
              SubscriptionOffer(
                kind: .promotional, identifier: "half", paymentMode: .payAsYouGo,
                period: SubscriptionPeriod(value: plan.months, unit: .month), numberOfPeriods: 1,
                price: Milliunits(plan.price / 2))
            ]))
      }
  }

  static func action(_ generator: inout SeededGenerator) -> NotificationAction {
    func chance(_ count: UInt64) -> UInt64 { generator.next() % count }
    switch chance(16) {
    case 0, 1, 2: return .buy(plans[Int(chance(3))].id, offer: chance(4) == 0)
    case 3: return .buy(chance(2) == 0 ? TeaShop.oolong : TeaShop.samovar, offer: false)
    case 4, 5: return .autoRenew(chance(2) == 0)
    case 6, 7: return .pay(chance(3) > 0)
    case 8: return chance(2) == 0 ? .refund : .reverseRefund
    case 9: return .extend
    case 10: return .announce(needsConsent: chance(2) == 0)
    case 11: return .answer(chance(2) == 0)
    case 12: return .sell(chance(3) > 0)
    case 13: return .join(chance(2) == 0)
    default: return .due
    }
  }

  /// Carries out an action. The store may refuse it; then nothing changes.
  static func carryOut(_ action: NotificationAction, in shop: TeaShop, raise: inout Int64) async throws {
    let (store, customer) = (shop.store, TeaShop.customer)
    func subscription() async throws -> RenewalRecord? {
      try await store.subscriptions(of: customer, in: .sandbox).first
    }
    do {
      switch action {
      case .due: try await store.changeClock(.toNextEvent)
      case .buy(let product, let hasOffer):
        _ = try await store.purchase(
          product, of: TeaShop.app, for: customer, in: .sandbox,
          offer: hasOffer ? PaymentOffer(kind: .promotional, identifier: "half") : nil)
      case .pay(let isPossible):
        try await store.changeCustomer(customer, .sandbox) { $0.paymentMethod = isPossible ? .valid : .declined }
      case .join(let isMember):
        try await store.changeCustomer(member, .sandbox) { $0.family = isMember ? "tea" : nil }
      case .sell(let isOnSale):
        for plan in plans { try await store.changeProduct(plan.id, of: TeaShop.app, ProductChange(isOnSale: isOnSale)) }
      case .announce(let needsConsent):
        raise += 1_000
        for plan in plans {
          try await store.changeProduct(
            plan.id, of: TeaShop.app, ProductChange(price: Milliunits(plan.price + raise)))
        }
        guard let found = try await subscription() else { return }
        try await store.changeSubscription(
          found.originalTransactionID, by: [.announcePriceIncrease(needsConsent: needsConsent)])
      case .autoRenew, .answer, .extend, .refund, .reverseRefund:
        guard let found = try await subscription() else { return }
        let id = found.originalTransactionID
        switch action {
        case .autoRenew(let isOn): try await store.setAutoRenew(ofSubscription: id, isOn: isOn)
        case .answer(let isAgreed):
          try await store.changeSubscription(id, by: [.answerPriceIncrease(isAgreed: isAgreed)])
        case .extend:
          try await store.changeSubscription(id, by: [.extend(to: found.periodEnd.adding(seconds: 86_400))])
        case .refund: try await store.refund(found.currentTransactionID)
        default: try await store.reverseRefund(of: found.currentTransactionID)
        }
      }
    } catch is StoreRefusal {
    } catch is AppStoreEmulatorError {}
  }
}
