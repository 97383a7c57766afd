import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The faults of connections", .timeLimit(.minutes(30)))
struct ConnectionFaultTests {
  @Test(
    "C4 B9 answerLost: charged and committed, and the answer lost; asked again, the same transaction and no second charge"
  )
  func answerLost() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(AnswerLostFault(), count: 2))
    let quote = try await shop.quote(on: phone)
    for _ in 1...2 {
      #expect(try await end { _ = try await shop.store.confirm(quote, for: phone.id) } == .noAnswer)
      #expect(try await shop.store.charges().count == 1)
    }
    let batch = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(batch.deliveries.count == 1)
    #expect(try await shop.store.charges().count == 1)
    #expect(try await shop.store.transactions().count == 1)
    let outcomes = shop.store.requests(RequestFilter(.device(.confirm))).map(\.outcome)
    #expect(outcomes == [.noAnswer, .noAnswer, .answered])
  }

  @Test("answerLost: a refusal is lost as well, and is stored")
  func refusalLost() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try shop.store.set(Fault(AnswerLostFault(), count: 1))
    #expect(try await shop.endOfPurchase(on: phone) == .noAnswer)
    _ = try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    #expect(try await shop.endOfPurchase(on: phone) == .refused(.paymentDeclined))
  }

  @Test("C4 answerLost strikes any call that its scope names: the finish is done all the same")
  func finishLost() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    try shop.store.set(Fault(AnswerLostFault(), scope: FaultScope(calls: [.device(.finish)])))
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await end { try await shop.store.finish(id, for: phone.id) } == .noAnswer)
    #expect(try await shop.newestTransaction().finishedDate != nil)
  }

  @Test("C4 connectionReset: nothing is done")
  func reset() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let before = try await shop.records()
    try shop.store.set(Fault(ConnectionResetFault(), count: 1))
    #expect(try await end { _ = try await shop.store.confirm(quote, for: phone.id) } == .noAnswer)
    #expect(try await shop.records() == before)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
  }

  @Test(
    "C4 outage: every call fails, nothing is done, and it is over when the store's clock says so",
    arguments: [
      (OutageFault(), RequestEnd.refused(.temporarilyUnavailable)), (OutageFault(.unreachable), .unreachable),
    ])
  func outage(fault: OutageFault, end expected: RequestEnd) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let before = try await shop.records()
    try shop.store.set(Fault(fault, durationSeconds: 3_600))
    let calls: [@Sendable (EmulatedAppStore) async throws -> Void] = [
      { _ = try await $0.confirm(quote, for: phone.id) },
      { _ = try await $0.products([], for: phone.id) },
      { _ = try await $0.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 60, for: phone.id) },
      { try await $0.signOut(on: phone.id) },
    ]
    for call in calls {
      #expect(try await end { try await call(shop.store) } == expected)
    }
    let receipts: RequestEnd = fault.appearance == nil ? .serverError(503) : .unreachable
    #expect(try await end { _ = try await shop.store.verifyReceipt(Data(), at: .sandbox) } == receipts)
    #expect(try await shop.records() == before)
    shop.clock.advance(seconds: 3_600)
    // An outage's refusal is not the result of the payment: it can be confirmed afterwards.
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try shop.store.fault("fault-1").isActive == false)
  }
}
