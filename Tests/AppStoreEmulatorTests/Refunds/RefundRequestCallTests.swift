import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Refunds that customers ask for on their devices", .timeLimit(.minutes(30)))
struct RefundRequestCallTests {
  private func ask(
    _ id: TransactionID, _ shop: TeaShop, on phone: Phone, _ reason: RefundReason = .other
  ) async throws -> StoreRefusal.Code? {
    try await refusal { try await shop.store.requestRefund(of: id, reason: reason, for: phone.id) }
  }

  @Test(
    "the request is the one that the control API lists, with the customer's reason", arguments: RefundReason.allCases)
  func reasons(reason: RefundReason) async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await ask(id, shop, on: phone, reason) == nil)
    let expected: [RefundReason: ConsumptionRequestReason] = [
      .unintendedPurchase: .unintendedPurchase, .fulfillmentIssue: .fulfillmentIssue,
      .unsatisfiedWithPurchase: .unsatisfiedWithPurchase, .legal: .legal, .other: .other,
    ]
    let known = try #require(expected[reason])
    #expect(try await shop.store.refundRequests(of: id).map(\.reason) == [known])
    #expect(try await shop.store.transaction(id).stored.record.revocationDate == nil)
  }

  @Test("a second request while one waits, and one for a refunded purchase, are refused, and change nothing")
  func refused() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await ask(id, shop, on: phone) == nil)
    let before = try await shop.records()
    #expect(try await ask(id, shop, on: phone) == .refundRequested)
    #expect(try await shop.records() == before)
    let request = try #require(try await shop.store.refundRequests(of: id).first)
    try await shop.store.decideRefundRequest(request.number, of: id, .declined)
    #expect(try await ask(id, shop, on: phone) == nil)
    try await shop.store.refund(id)
    #expect(try await ask(id, shop, on: phone) == .refundNotPossible)
  }

  @Test("only the customer who bought can ask; a relative's share is not refunded")
  func owners() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = "tea" }
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet", signedInAs: "ada"))
    try await shop.buy(TeaShop.samovar, on: phone)
    let id = try await shop.newest(TeaShop.samovar).record.transactionID
    let share = try #require(try await shop.store.transactions().first { $0.sharedTransactionID != nil })
    #expect(try await ask(id, shop, on: tablet) == .unknownTransaction)
    #expect(try await ask(share.record.transactionID, shop, on: tablet) == .refundNotPossible)
    #expect(try await ask(TransactionID(7), shop, on: phone) == .unknownTransaction)
    try await shop.store.signOut(on: phone.id)
    #expect(try await ask(id, shop, on: phone) == .signInRequired)
    #expect(try await shop.store.refundRequests(of: id).isEmpty)
  }
}
