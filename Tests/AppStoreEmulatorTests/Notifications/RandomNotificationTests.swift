import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Notifications of random histories", .timeLimit(.minutes(10)))
struct RandomNotificationTests {
  @Test("the notifications sent are those of Apple's tables, by a model that knows only the records")
  func model() async throws {
    var seen: Set<String> = []
    // More seeds only until each row of the tables has been reached.
    for seed in 0..<UInt64(20) where seed < 5 || !Self.all.isSubset(of: seen) {
      var generator = SeededGenerator(seed: seed)
      let receiver = NotificationReceiver()
      let shop = try await TeaShop.notifying(over: receiver)
      try await shop.sell(NotificationClub.catalog())
      try await shop.store.setRenewalRules(
        RenewalRules(gracePeriod: seed % 2 == 0 ? .standard : .off), of: TeaShop.app)
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = "tea" }
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: NotificationClub.member))
      var (raise, signedDate) = (Int64(0), StoreDate(millisecondsSince1970: 0))
      var before = try await NotificationWorld(shop, [TeaShop.customer])
      for number in 0..<50 {
        let action = NotificationClub.action(&generator)
        try await NotificationClub.carryOut(action, in: shop, raise: &raise)
        let after = try await NotificationWorld(shop, [TeaShop.customer])
        let expected = NotificationModel(action: action, before: before, after: after).expected
        try await shop.store.settleNotifications()
        let sent = try receiver.take().map { try #require($0.notification) }
        let shown = sent.map(Self.shown).sorted()
        guard shown == expected else {
          Issue.record("seed \(seed), step \(number), \(action): sent \(shown), expected \(expected)")
          return
        }
        seen.formUnion(sent.map(\.name))
        for notification in sent {
          let comment: Comment = "seed \(seed), step \(number), \(notification.name)"
          #expect(notification.payload.signedDate > signedDate, comment)
          signedDate = notification.payload.signedDate
          try Self.checkContents(notification, after, comment)
        }
        before = after
      }
      #expect(try await Set(shop.notifications().map(\.uuid)).count == shop.notifications().count)
      try shop.store.close()
    }
    // The seeds reach every row of the tables that these actions can cause.
    let missing = Self.all.subtracting(seen)
    #expect(missing.isEmpty, "no history has \(missing.sorted())")
  }

  private static let all: Set<String> = [
    "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY", "ONE_TIME_CHARGE",
    "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "OFFER_REDEEMED",
    "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
    "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY", "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE",
    "EXPIRED/PRODUCT_NOT_FOR_SALE", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "REFUND", "REFUND_REVERSED",
    "REVOKE", "RENEWAL_EXTENDED",
  ]

  private static func shown(_ notification: DecodedNotification) -> String {
    let status = notification.data?.status.map { " \($0.rawValue)" } ?? ""
    return "\(notification.name) \(notification.transaction?.transactionID.rawValue ?? "")\(status)"
  }

  /// H1: the transaction is that of the records, in every field, and the renewal information is that of the subscription.
  private static func checkContents(
    _ notification: DecodedNotification, _ world: NotificationWorld, _ comment: Comment
  ) throws {
    let data = try #require(notification.data)
    let transaction = try #require(notification.transaction)
    let stored = try #require(world.transactions[transaction.transactionID])
    #expect(transaction == SignedTransaction(record: stored.record, signedDate: transaction.signedDate), comment)
    #expect(transaction.signedDate < notification.payload.signedDate, comment)
    #expect(data.bundleId == TeaShop.app && data.environment == .sandbox && data.appAppleId == nil, comment)
    guard stored.record.type == .autoRenewableSubscription else {
      #expect(notification.renewalInfo == nil && data.status == nil, comment)
      return
    }
    let purchase = try #require(stored.sharedTransactionID.map { world.transactions[$0] } ?? stored)
    let record = try #require(world.subscriptions[purchase.record.originalTransactionID])
    let info = try #require(notification.renewalInfo)
    #expect(info.originalTransactionID == stored.record.originalTransactionID, comment)
    #expect(info.productID == record.productID && info.autoRenewProductID == record.renewalProductID, comment)
    #expect(info.renewalDate == record.periodEnd && info.expirationIntent?.rawValue == record.expirationIntent, comment)
    #expect(info.recentSubscriptionStartDate != nil && info.environment == .sandbox, comment)
    if stored.sharedTransactionID == nil {
      #expect(info.autoRenewStatus == (record.isAutoRenewOn ? .on : .off), comment)
      #expect(info.appTransactionID == stored.record.appTransactionID, comment)
    }
  }
}
