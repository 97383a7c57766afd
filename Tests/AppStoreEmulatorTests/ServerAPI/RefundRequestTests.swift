import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Refunds that customers ask for", .timeLimit(.minutes(30)))
struct RefundRequestTests {
  private func shop() async throws -> TeaShop {
    let shop = try await TeaShop.lasting()
    try await shop.store.setNotificationURLs(
      NotificationURLs(sandbox: URL(string: "http://127.0.0.1:9/")), of: TeaShop.app)
    try shop.store.changeNotificationPolicy { $0.hold = true }
    return shop
  }

  private func notified(_ shop: TeaShop, about id: TransactionID) async throws -> [String] {
    var filter = NotificationFilter()
    filter.transactionID = id
    return try await shop.store.notifications(filter).notifications.reversed().map {
      $0.type.rawValue + ($0.subtype.map { "/\($0.rawValue)" } ?? "")
    }
  }

  private let told = ConsumptionRequest(
    customerConsented: true, sampleContentProvided: true, deliveryStatus: OpenEnum(.delivered),
    consumptionPercentage: 25_000, refundPreference: OpenEnum(.grantProrated))

  @Test("a request asks the server, which answers; a decision refunds in part, and each is notified")
  func prorated() async throws {
    let shop = try await shop()
    let server = try await TeaServer(shop)
    let id = try await shop.order(TeaShop.oolong).record.transactionID
    let request = try await shop.store.requestRefund(of: id, reason: .fulfillmentIssue)
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.requestRefund(of: id) }
    try await server.send(SendConsumptionInformation(transactionId: id, told))
    let listed = try #require(try await shop.store.refundRequests(of: id).first)
    #expect(listed.outcome == nil && listed.reason == .fulfillmentIssue && listed.consumption?.version == 2)
    #expect(listed.consumption?.content.contains("GRANT_PRORATED") == true)
    for (outcome, percentage) in [(RequestedRefund.Outcome.prorated, nil), (.full, 7)] as [(_, Int?)] {
      await #expect(throws: AppStoreEmulatorError.self) {
        try await shop.store.decideRefundRequest(request.number, of: id, outcome, percentage: percentage)
      }
    }
    let decided = try await shop.store.decideRefundRequest(request.number, of: id, .prorated, percentage: 75_000)
    #expect(decided.outcome == .prorated && decided.percentage == 75_000)
    let record = try await shop.store.transaction(id).stored.record
    #expect(record.revocationPercentage == 75_000 && record.revocationReason == .issueWithApp)
    #expect(try await notified(shop, about: id) == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND"])
    try await shop.store.restore(try await shop.store.snapshot())
    #expect(try await shop.store.refundRequests(of: id) == [decided])
  }

  @Test(
    "the renewal of a subscription is switched off by the request; declined, it stays as it is; another request can follow"
  )
  func declined() async throws {
    let shop = try await shop()
    let id = try await shop.order(TeaShop.monthly).record.transactionID
    let request = try await shop.store.requestRefund(of: id)
    #expect(try await !shop.store.subscription(id).isAutoRenewOn)
    try await shop.store.decideRefundRequest(request.number, of: id, .declined)
    #expect(try await shop.store.transaction(id).stored.record.revocationDate == nil)
    #expect(
      try await notified(shop, about: id) == [
        "SUBSCRIBED/INITIAL_BUY", "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        "REFUND_DECLINED",
      ])
    await #expect(throws: AppStoreEmulatorError.self) {
      try await shop.store.decideRefundRequest(request.number, of: id, .full)
    }
    try await shop.store.requestRefund(of: id)
    // An immediate refund decides the request.
    try await shop.store.refund(id)
    #expect(try await shop.store.refundRequests(of: id).map(\.outcome) == [.declined, .full])
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.requestRefund(of: id) }
    await #expect(throws: AppStoreEmulatorError.unknownRefundRequest(99)) {
      try await shop.store.decideRefundRequest(99, of: id, .full)
    }
  }

  @Test("consumption information is refused by the kind of purchase; the last one counts")
  func consumption() async throws {
    let shop = try await shop()
    let server = try await TeaServer(shop)
    let club = try await shop.order(TeaShop.monthly).record.transactionID
    let teapot = try await shop.order(TeaShop.teapot).record.transactionID
    #expect(
      try await server.code(SendConsumptionInformation(transactionId: club, told))
        == .consumptionPercentageAutoRenewableSubscription)
    #expect(
      try await server.code(SendConsumptionInformation(transactionId: TransactionID(7), told)) == .transactionIdNotFound
    )
    let old = ConsumptionRequestV1(
      customerConsented: true, sampleContentProvided: false, deliveryStatus: OpenEnum(.other))
    #expect(
      try await server.code(SendConsumptionInformationV1(transactionId: teapot, old))
        == .invalidTransactionTypeNotSupported)
    try await server.send(SendConsumptionInformationV1(transactionId: club, old))
    var short = told
    (short.consumptionPercentage, short.refundPreference) = (nil, nil)
    try await server.send(SendConsumptionInformation(transactionId: club, short))
    #expect(try await shop.store.requestRefund(of: club).consumption?.version == 2)
  }

  @Test("the failures and the end of an extension for all subscribers are notified")
  func massExtension() async throws {
    let shop = try await shop()
    let server = try await TeaServer(shop)
    let id = try await shop.order(TeaShop.monthly).record.transactionID
    let content = ExtendRenewalDateRequest(
      extendByDays: 1, extendReasonCode: OpenEnum(.other), requestIdentifier: "r")
    for _ in 0..<2 { try await server.send(ExtendSubscriptionRenewalDate(originalTransactionId: id, content)) }
    let identifier = UUID()
    try await server.send(
      ExtendRenewalDatesForAllActiveSubscribers(
        MassExtendRenewalDateRequest(
          requestIdentifier: identifier, extendByDays: 1, extendReasonCode: OpenEnum(.other),
          productId: TeaShop.monthly)))
    try await shop.store.changeClock(.advance(milliseconds: 61_000))
    #expect(
      try await notified(shop, about: id) == [
        "SUBSCRIBED/INITIAL_BUY", "RENEWAL_EXTENDED", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/FAILURE",
      ])
    var filter = NotificationFilter()
    filter.subtype = .summary
    let summary = try #require(try await shop.store.notifications(filter).notifications.first)
    let payload = try await shop.store.notification(summary.uuid).payload
    #expect(payload.contains(identifier.uuidString.lowercased()) && payload.contains(#""failedCount":1"#))
  }
}
