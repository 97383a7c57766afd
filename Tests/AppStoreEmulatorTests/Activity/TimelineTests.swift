import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The timeline of a purchase", .timeLimit(.minutes(30)))
struct TimelineTests {
  /// Returns a short text for each event, in order.
  private func history(_ id: TransactionID, in shop: TeaShop) async throws -> [String] {
    let entries = try await shop.store.timeline(of: id)
    #expect(entries.allSatisfy { $0.date >= TeaShop.opening.wholeSeconds })
    return entries.map { entry in
      switch entry.event {
      case .request(let request):
        [request.metadata.kind.rawValue, request.outcome.name.rawValue, request.fault?.kind].compactMap(\.self)
          .joined(separator: " ")
      case .approvalAwaited: "waits"
      case .approved: "approved"
      case .purchased(let charge): charge.map { "charged \($0.amount.rawValue)" } ?? "free"
      case .shared: "shared"
      case .sharedWith(let member, _): "shared with \(member)"
      case .finished(_, let installation): "finished on \(installation?.rawValue ?? "nothing")"
      case .redelivered(let redelivery): "again on \(redelivery.installationID)"
      case .refundRequested(let request): "asked: \(request.reason.rawValue)"
      case .refundDecided(let request):
        ["\(request.outcome?.rawValue ?? "nothing")", request.percentage.map { "\($0)" }].compactMap(\.self)
          .joined(separator: " ")
      case .refunded(let refund): "refunded \(refund.amount.rawValue)"
      case .refundReversed(let refund): "reversed \(refund.amount.rawValue)"
      case .revoked(let type): "revoked \(type?.rawValue ?? "")"
      }
    }
  }

  @Test("B9 from quote to finish with a lost response between, then refunded and reversed: each entry once, in order")
  func allEndpoints() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await shop.buy(as: "another", on: phone)
    try shop.store.set(Fault(AnswerLostFault(), id: "lost", count: 1))
    let quote = try await shop.quote(as: "one", on: phone)
    await #expect(throws: StoreConnectionFailure.self) { try await shop.store.confirm(quote, for: phone.id) }
    let id = try await shop.newestTransaction().record.transactionID
    _ = try await shop.store.confirm(quote, for: phone.id)
    _ = try await shop.store.unfinished(for: phone.id)
    shop.clock.advance(seconds: 5)
    try await shop.store.finish(id, for: phone.id)
    _ = try await shop.store.unfinished(for: phone.id)
    shop.clock.advance(seconds: 5)
    try await shop.store.refund(id)
    try await shop.store.reverseRefund(of: id)
    #expect(
      try await history(id, in: shop) == [
        "quote answered", "confirm noAnswer answerLost", "confirm answered", "unfinished answered", "charged 1990",
        "finish answered", "unfinished answered", "finished on installation of phone", "refunded 1990",
        "reversed -1990",
      ])
    let requests = try await shop.store.timeline(of: id).compactMap {
      if case .request(let request) = $0.event { request.fault?.id } else { nil }
    }
    #expect(requests == ["lost"])
  }

  @Test("the charge is between its confirmation and later entries, also if time passes in between")
  func order() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(as: "one", on: phone)
    try await shop.store.changeClock(.advance(milliseconds: 100))
    _ = try await shop.store.confirm(quote, for: phone.id)
    let id = try await shop.newestTransaction().record.transactionID
    try await shop.store.changeClock(.advance(milliseconds: 100))
    _ = try await shop.store.unfinished(for: phone.id)
    try await shop.store.changeClock(.advance(milliseconds: 100))
    try await shop.store.finish(id, for: phone.id)
    try await shop.store.refund(id)
    #expect(
      try await history(id, in: shop) == [
        "quote answered", "confirm answered", "charged 1990", "unfinished answered", "finish answered",
        "finished on installation of phone", "refunded 1990",
      ])
  }

  @Test("H1 requests for a refund are entries with their reasons and decisions, before the refunds that they cause")
  func refundRequests() async throws {
    let shop = try await TeaShop()
    let id = try await shop.order(TeaShop.oolong).record.transactionID
    shop.clock.advance(seconds: 5)
    let first = try await shop.store.requestRefund(of: id, reason: .unintendedPurchase)
    shop.clock.advance(seconds: 5)
    try await shop.store.decideRefundRequest(first.number, of: id, .declined)
    let second = try await shop.store.requestRefund(of: id, reason: .fulfillmentIssue)
    try await shop.store.decideRefundRequest(second.number, of: id, .prorated, percentage: 50_000)
    try await shop.store.reverseRefund(of: id)
    shop.clock.advance(seconds: 5)
    _ = try await shop.store.requestRefund(of: id)
    shop.clock.advance(seconds: 5)
    // An immediate refund decides the request that waits.
    try await shop.store.refund(id)
    #expect(
      try await history(id, in: shop) == [
        "charged 1990", "asked: UNINTENDED_PURCHASE", "declined", "asked: FULFILLMENT_ISSUE", "prorated 50000",
        "refunded 990", "reversed -990", "asked: OTHER", "full 100000", "refunded 1990",
      ])
  }

  @Test("a wait for approval has an entry for its beginning and one for its end", arguments: [0, 100] as [Int64])
  func approval(seconds: Int64) async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
    let phone = try await shop.phone(signedInAs: "child")
    _ = try await shop.store.confirm(try await shop.quote(as: "one", on: phone), for: phone.id)
    shop.clock.advance(seconds: seconds)
    let stored = try #require(try await shop.store.decideApproval(of: "one", on: phone.id, isApproved: true))
    let entries = try await history(stored.record.transactionID, in: shop)
    #expect(entries == ["quote answered", "confirm answered", "waits", "approved", "charged 1990"])
  }

  @Test("D3 a redelivery after an approval is shown at the date of the approval")
  func approvedRedelivery() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
    let phone = try await shop.phone(signedInAs: "child")
    for payment in ["one", "two"] {
      _ = try await shop.store.confirm(
        try await shop.quote(TeaShop.teapot, as: PaymentID(payment), on: phone), for: phone.id)
    }
    var ids: [TransactionID] = []
    for payment in ["one", "two"] {
      shop.clock.advance(seconds: 60)
      let stored = try await shop.store.decideApproval(of: PaymentID(payment), on: phone.id, isApproved: true)
      ids.append(try #require(stored).record.transactionID)
    }
    #expect(Set(ids).count == 1)
    let entries = try await shop.store.timeline(of: ids[0])
    let again = entries.first { if case .redelivered = $0.event { true } else { false } }
    #expect(again?.date == shop.clock.now)
  }

  @Test("D3 a redelivery elsewhere is reported, with the calls of its own payment and its own finish")
  func redelivery() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try await shop.buy(TeaShop.teapot, as: "one", on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    shop.clock.advance(seconds: 10)
    let again = try #require(try await shop.buy(TeaShop.teapot, as: "one", on: tablet).deliveries.first?.redelivery)
    try await shop.store.finish(again.transactionID, for: tablet.id)
    let reported = [
      "quote answered", "confirm answered", "charged 24000", "quote answered", "confirm answered",
      "finish answered", "again on installation of tablet", "finished on installation of tablet",
    ]
    #expect(try await history(id, in: shop) == reported)
    #expect(try await history(again.transactionID, in: shop) == reported)
  }

  @Test("the records keep the timeline after the journal was emptied; a free purchase is refunded without money")
  func withoutJournal() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.news, as: "one", on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    try await shop.store.refund(id)
    shop.store.clearRequests()
    #expect(try await history(id, in: shop) == ["free", "revoked REFUND_FULL"])
  }

  @Test("D1 the timeline of a shared purchase names the family member and the purchaser")
  func family() async throws {
    let shop = try await TeaShop.lasting()
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea drinkers"))
    }
    try await shop.buy(TeaShop.samovar, on: try await shop.phone(signedInAs: "ada"))
    shop.store.clearRequests()
    let bought = try #require(try await shop.store.transactions(.init(account: "ada")).first).record.transactionID
    let share = try #require(try await shop.store.transactions(.init(account: "bob")).first).record.transactionID
    try await shop.store.refund(bought)
    #expect(try await history(bought, in: shop) == ["charged 24000", "shared with bob", "refunded 24000"])
    #expect(try await history(share, in: shop) == ["shared", "revoked FAMILY_REVOKE"])
  }

  @Test("hostile payment ids and names are shown unchanged, and long ones are found as the journal truncates them")
  func hostile() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let payment = PaymentID(String(repeating: "'; DROP %_\u{202E}", count: 1_000))
    try await shop.buy(as: payment, on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await history(id, in: shop) == ["quote answered", "confirm answered", "charged 1990"])
  }
}
