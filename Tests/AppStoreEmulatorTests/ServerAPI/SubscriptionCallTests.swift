import AppStoreServerAPI
import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Subscriptions in the Server API", .timeLimit(.minutes(30)))
struct SubscriptionCallTests {
  private func statuses(
    _ server: TeaServer, _ id: TransactionID, _ statuses: [SubscriptionStatus] = []
  ) async throws -> [[SubscriptionStatus?]] {
    try await server.send(GetAllSubscriptionStatuses(anyTransactionId: id, statuses: statuses)).data
      .map { $0.lastTransactions.map(\.status.known) }
  }

  private func days(_ count: Int, _ identifier: String = "r") -> ExtendRenewalDateRequest {
    ExtendRenewalDateRequest(
      extendByDays: count, extendReasonCode: OpenEnum(.customerSatisfaction), requestIdentifier: identifier)
  }

  @Test(
    "H1 statuses are by subscription and group, a family's shares among them; ended ones stay; the filter is by status")
  func statuses() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "f"))
    }
    let tea = try await shop.order(TeaShop.oolong, for: "bob").record.transactionID
    #expect(try await statuses(server, tea) == [])
    let news = try await shop.order(TeaShop.news, for: "bob").record.transactionID
    let own = try await shop.order(TeaShop.monthly, for: "bob").record.transactionID
    let ada = try await shop.order(TeaShop.yearly, for: "ada")
    #expect(try await statuses(server, news) == [[.active], [.active, .active]])
    try await shop.store.setAutoRenew(ofSubscription: news, isOn: false)
    try await shop.advance(days: 8)
    #expect(try await statuses(server, own) == [[.expired], [.active, .active]])
    #expect(try await statuses(server, own, [.expired]) == [[.expired]])
    #expect(try await statuses(server, own, [.billingRetry]) == [])
    let answer = try await server.send(GetAllSubscriptionStatuses(anyTransactionId: own))
    let club = try #require(answer.data.last)
    #expect(club.subscriptionGroupIdentifier == "club" && answer.bundleId == TeaShop.app)
    let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)
    for last in club.lastTransactions {
      let transaction = try await server.transactions([last.signedTransactionInfo])[0]
      let info = try await verifier.verifyRenewalInfo(
        last.signedRenewalInfo, expecting: Expectation(environments: [.sandbox])
      ).value
      #expect(transaction.originalTransactionID == last.originalTransactionId)
      #expect(info.originalTransactionID == last.originalTransactionId)
    }
    try await shop.store.refund(ada.record.transactionID)
    #expect(try await statuses(server, own, [.revoked]) == [[.revoked]])
    try await shop.store.changeCustomer("bob", .sandbox) { $0.paymentMethod = .declined }
    try await shop.advance(days: 30)
    #expect(try await statuses(server, own) == [[.expired], [.billingRetry, .revoked]])
  }

  @Test("an eligible subscription is extended, at most twice in 365 days; its family follows")
  func extended() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "f"))
    }
    let bought = try await shop.order(TeaShop.yearly, for: "ada").record
    let id = bought.transactionID
    let end = try #require(bought.expiresDate)
    let answer = try await server.send(ExtendSubscriptionRenewalDate(originalTransactionId: id, days(10)))
    #expect(answer.success && answer.effectiveDate == end.adding(seconds: 10 * 86_400))
    #expect(answer.webOrderLineItemId == bought.webOrderLineItemID)
    #expect(try await server.info(id).expiresDate == answer.effectiveDate)
    let share = try #require(try await shop.store.transactions(RecordFilter(account: "bob")).first).record
    #expect(share.expiresDate == answer.effectiveDate)
    try await server.send(ExtendSubscriptionRenewalDate(originalTransactionId: id, days(1)))
    #expect(
      try await server.code(ExtendSubscriptionRenewalDate(originalTransactionId: id, days(1)))
        == .subscriptionMaxExtension)
    try await shop.advance(days: 366)
    try await server.send(ExtendSubscriptionRenewalDate(originalTransactionId: id, days(90)))
    #expect(
      try await server.code(ExtendSubscriptionRenewalDate(originalTransactionId: share.transactionID, days(1)))
        == .familySharedSubscriptionExtensionIneligible)
  }

  @Test("free periods, ended ones, other products and other ids are not extended, each with its error")
  func notExtended() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    func code(_ id: TransactionID, _ count: Int = 1) async throws -> ServerAPIErrorCode? {
      try await server.code(ExtendSubscriptionRenewalDate(originalTransactionId: id, days(count)))
    }
    #expect(try await code(try await shop.order(TeaShop.news).record.transactionID) == .subscriptionExtensionIneligible)
    #expect(
      try await code(try await shop.order(TeaShop.teapot).record.transactionID) == .subscriptionExtensionIneligible)
    let club = try await shop.order(TeaShop.monthly).record.transactionID
    #expect(try await code(club, 0) == .invalidExtendByDays)
    try await shop.advance(days: 32)
    #expect(try await code(try await shop.newestTransaction().record.transactionID) == .originalTransactionIdNotFound)
    #expect(try await code(TransactionID(7)) == .originalTransactionIdNotFound)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try await shop.advance(days: 31)
    #expect(try await code(club) == .subscriptionExtensionIneligible)
    try await shop.advance(days: 61)
    #expect(try await code(club) == .subscriptionExtensionIneligible)
  }

  @Test(
    "all active subscribers of a product are extended when it is due, a hundred in each second; the status counts them")
  func mass() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    var ids: [TransactionID] = []
    for number in 0..<130 {
      let name = AccountName(rawValue: "member \(number)")
      try await shop.store.addCustomer(
        Customer(environment: .sandbox, name: name, storefrontCountryCode: number == 7 ? "DEU" : "USA"))
      ids.append(try await shop.order(TeaShop.monthly, for: name).record.transactionID)
    }
    _ = try await shop.order(TeaShop.yearly)
    for _ in 0..<2 { try await server.send(ExtendSubscriptionRenewalDate(originalTransactionId: ids[0], days(1))) }
    let identifier = UUID()
    func request(_ product: ProductID = TeaShop.monthly) -> ExtendRenewalDatesForAllActiveSubscribers {
      ExtendRenewalDatesForAllActiveSubscribers(
        MassExtendRenewalDateRequest(
          requestIdentifier: identifier, extendByDays: 5, extendReasonCode: OpenEnum(.serviceIssueOrOutage),
          productId: product, storefrontCountryCodes: ["USA"]))
    }
    #expect(try await server.code(request(TeaShop.oolong)) == .invalidProductId)
    let text = try await server.send(request()).requestIdentifier
    func status() async throws -> MassExtendRenewalDateStatusResponse {
      try await server.send(GetStatusOfRenewalDateExtensions(productId: TeaShop.monthly, requestIdentifier: text))
    }
    #expect(try await !status().complete)
    // Again, without effect.
    try await server.send(request())
    try await shop.store.changeClock(.advance(milliseconds: 60_000))
    // A call waits for the first hundred only.
    #expect(try await !status().complete)
    let begun = try #require(try await shop.store.database.read { try MassExtensionRow.fetchOne($0.database) })
    #expect(begun.succeededCount + begun.failedCount == MassExtensions.subscriptionsPerSecond)
    try await shop.store.changeClock(.advance(milliseconds: 3_600_000))
    let done = try await status()
    #expect(done.complete && done.succeededCount == 128 && done.failedCount == 1)
    #expect(done.completeDate == TeaShop.opening.adding(seconds: 61))
    let end = try #require(try await shop.store.transaction(ids[1]).stored.record.expiresDate)
    let other = try #require(try await shop.store.transaction(ids[7]).stored.record.expiresDate)
    #expect(end == other.adding(seconds: 5 * 86_400))
    try await server.send(request())
    try await shop.store.changeClock(.advance(milliseconds: 3_600_000))
    #expect(try await shop.store.transaction(ids[1]).stored.record.expiresDate == end)
    #expect(
      try await server.code(GetStatusOfRenewalDateExtensions(productId: TeaShop.yearly, requestIdentifier: text))
        == .statusRequestNotFound)
    try await shop.store.restore(try await shop.store.snapshot())
  }

  @Test("of extensions that are due together, one at a time extends a hundred subscriptions in a second")
  func manyTogether() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    for number in 0..<110 {
      let name = AccountName(rawValue: "member \(number)")
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, storefrontCountryCode: "USA"))
      _ = try await shop.order(TeaShop.monthly, for: name)
    }
    for _ in 0..<3 {
      try await server.send(
        ExtendRenewalDatesForAllActiveSubscribers(
          MassExtendRenewalDateRequest(
            requestIdentifier: UUID(), extendByDays: 5, extendReasonCode: OpenEnum(.serviceIssueOrOutage),
            productId: TeaShop.monthly)))
    }
    func settled() async throws -> [Int64] {
      try await shop.store.database.read {
        try MassExtensionRow.order(Column("number")).fetchAll($0.database).map { $0.succeededCount + $0.failedCount }
      }
    }
    let counts: [[Int64]] = [
      [100, 0, 0], [110, 100, 0], [110, 110, 100], [110, 110, 110],
    ]
    for (second, count) in counts.enumerated() {
      try await shop.store.changeClock(.advance(milliseconds: second == 0 ? 60_000 : 1_000))
      #expect(try await settled() == count)
    }
  }
}
