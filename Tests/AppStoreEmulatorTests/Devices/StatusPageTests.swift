import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Documentation/storekit2.md, "Status".
@Suite("Statuses in a page of transactions", .timeLimit(.minutes(30)))
struct StatusPageTests {
  private func statuses(_ shop: TeaShop, _ phone: Phone) async throws -> [ReceivedStatus] {
    let page = try await shop.store.transactions(after: nil, withStatuses: true, for: phone.id)
    return try #require(page.statuses).map(ReceivedStatus.init)
  }

  /// Compares what the device derives with what the Server API states.
  private func compare(_ shop: TeaShop, _ phone: Phone) async throws -> [SubscriptionStatus] {
    let statuses = try await statuses(shop, phone)
    let id = try #require(statuses.first?.transaction.transactionID)
    let stated = try await TeaServer(shop).send(GetAllSubscriptionStatuses(anyTransactionId: id)).data
      .flatMap(\.lastTransactions)
    func pairs(_ values: [(TransactionID, SubscriptionStatus?)]) -> [String] {
      values.map { "\($0.0) \($0.1.map { "\($0)" } ?? "unknown")" }.sorted()
    }
    #expect(
      pairs(statuses.map { ($0.transaction.originalTransactionID, $0.derived) })
        == pairs(stated.map { ($0.originalTransactionId, $0.status.known) }))
    return statuses.map(\.derived)
  }

  @Test("H1 the status that a device derives is that of the Server API, in every state of a subscription")
  func derived() async throws {
    let shop = try await TeaShop.lasting()
    let (store, phone) = (shop.store, try await shop.phone())
    try await store.setRenewalRules(RenewalRules(gracePeriod: .seconds(3 * 86_400)), of: TeaShop.app)
    try await shop.buy(TeaShop.monthly, on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await compare(shop, phone) == [.active])
    try await store.setAutoRenew(ofSubscription: id, isOn: false)
    #expect(try await compare(shop, phone) == [.active])
    try await store.setAutoRenew(ofSubscription: id, isOn: true)
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try await shop.advance(days: 31)
    #expect(try await compare(shop, phone) == [.billingGracePeriod])
    try await shop.advance(days: 4)
    #expect(try await compare(shop, phone) == [.billingRetry])
    try await shop.advance(days: 80)
    #expect(try await compare(shop, phone) == [.expired])
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    try await shop.buy(TeaShop.monthly, as: "again", on: phone)
    #expect(try await compare(shop, phone) == [.active])
    try await store.refund(shop.newestTransaction().record.transactionID)
    #expect(try await compare(shop, phone) == [.revoked])
  }

  @Test("a relative's subscription is among them while it is shared, after the share was revoked, and after it ended")
  func shares() async throws {
    let shop = try await TeaShop.lasting()
    let (store, phone) = (shop.store, try await shop.phone())
    try await store.setRenewalRules(RenewalRules(gracePeriod: .seconds(10 * 86_400)), of: TeaShop.app)
    try await store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
    let ada = try await shop.order(TeaShop.yearly, for: "ada").record
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = "tea" }
    #expect(try await compare(shop, phone) == [.active])
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = nil }
    #expect(try await compare(shop, phone) == [.revoked])
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = "tea" }
    #expect(try await compare(shop, phone) == [.active])
    // The period ends in a grace period. The customer then leaves the family, and keeps the share of an ended period.
    try await store.changeCustomer("ada", .sandbox) { $0.paymentMethod = .declined }
    let end = try await store.subscription(ada.transactionID).periodEnd
    try await store.changeClock(.to(end.adding(seconds: 86_400)))
    #expect(try await compare(shop, phone) == [.billingGracePeriod])
    try await shop.advance(days: 20)
    #expect(try await compare(shop, phone) == [.billingRetry])
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = nil }
    try await store.changeCustomer("ada", .sandbox) { $0.paymentMethod = .valid }
    #expect(try await store.subscription(ada.transactionID).state == .active)
    #expect(try await compare(shop, phone) == [.expired])
    let info = try #require(try await statuses(shop, phone).first).renewalInfo
    #expect(info.autoRenewStatus == .off && info.expirationIntent == .customerCancelled && info.renewalDate == end)
  }

  @Test("only the last page has statuses, and only if the call asks for them")
  func lastPage() async throws {
    let shop = try await TeaShop.lasting()
    let (store, phone) = (shop.store, try await shop.phone())
    let none = try await store.transactions(after: nil, withStatuses: true, for: phone.id)
    #expect(none.statuses == [] && none.transactions.isEmpty)
    for product in [TeaShop.monthly, TeaShop.news, TeaShop.teapot] {
      try await shop.buy(product, as: PaymentID(product.rawValue), on: phone)
    }
    #expect(try await store.transactions(after: nil, for: phone.id).statuses == nil)
    #expect(try await store.transactions(after: nil, withStatuses: false, for: phone.id).statuses == nil)
    let first = try await store.transactions(after: nil, limit: 2, withStatuses: true, for: phone.id)
    #expect(first.statuses == nil && first.hasMore)
    let last = try await store.transactions(after: first.revision, limit: 2, withStatuses: true, for: phone.id)
    #expect(last.statuses?.map(\.groupID) == ["club", "news"] && !last.hasMore)
    // A page without changes has them, too.
    let again = try await store.transactions(after: last.revision, withStatuses: true, for: phone.id)
    #expect(again.transactions.isEmpty && again.statuses?.count == 2 && again.revision == last.revision)
  }

  @Test("a change of a subscription alone raises the revision of the last page with statuses, and of no other page")
  func revisions() async throws {
    let shop = try await TeaShop.lasting()
    let (store, phone) = (shop.store, try await shop.phone())
    try await shop.buy(TeaShop.monthly, on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    let plain = try await store.transactions(after: nil, for: phone.id).revision
    let before = try await store.transactions(after: nil, withStatuses: true, for: phone.id).revision
    try await store.setAutoRenew(ofSubscription: id, isOn: false)
    let after = try await store.transactions(after: before, withStatuses: true, for: phone.id)
    #expect(after.transactions.isEmpty && after.revision.number > before.number)
    #expect(try await store.transactions(after: nil, for: phone.id).revision == plain)
    // A transaction that changes then is after this revision.
    try await store.refund(id)
    let refunded = try await store.transactions(after: after.revision, withStatuses: true, for: phone.id)
    #expect(refunded.transactions.count == 1 && refunded.statuses?.count == 1)
    let status = try ReceivedStatus(try #require(refunded.statuses?.first))
    let listed = try UnverifiedJWS(try #require(refunded.transactions.first).signedTransaction).transaction()
    #expect(status.transaction.revocationDate == listed.revocationDate && status.derived == .revoked)
    #expect(status.renewalInfo.signedDate > status.transaction.signedDate)
    #expect(status.transaction.signedDate > listed.signedDate)
  }
}
