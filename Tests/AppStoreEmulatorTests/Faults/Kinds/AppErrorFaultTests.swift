import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The fault appError", .timeLimit(.minutes(30)))
struct AppErrorFaultTests {
  static let errors: [AppError] =
    (0...20).map { AppError(domain: "SKErrorDomain", code: $0) } + [
      .cannotConnectToStore, .unknownServerError, .forgottenPassword, .failedPaymentSheet, .alreadySubscribed,
      AppError(domain: "Own", code: -7, message: "words"),
    ]

  @Test(
    "C2 a confirmation fails with the error, whatever it is; nothing is charged, and its id is answered so for ever",
    arguments: errors)
  func confirm(error: AppError) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(AppErrorFault(error), count: 1))
    let quote = try await shop.quote(on: phone)
    for _ in 1...2 {
      do {
        _ = try await shop.store.confirm(quote, for: phone.id)
        Issue.record("a confirmation was answered in spite of the fault")
      } catch let refusal as StoreRefusal {
        #expect(refusal.appError == error)
        #expect(refusal.code == .storeFailure)
        #expect(refusal.endsPayment)
      }
    }
    #expect(try await shop.store.charges().isEmpty)
    #expect(try shop.store.fault("fault-1").hits == 1)
    // A new payment is a new attempt.
    #expect(try await shop.endOfPurchase(as: "payment 2", on: phone) == .answered)
  }

  @Test("C2 the refusal is stored: a store that was opened again, without the fault, gives the same one")
  func recorded() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    var shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try shop.store.set(Fault(AppErrorFault(.forgottenPassword)))
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .storeFailure)
    try shop.store.close()
    shop = try await TeaShop(directory: folder.url)
    #expect(shop.store.faults().isEmpty)
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .storeFailure)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("B9 what was charged before stays charged: the fault is not used up by a confirmation that is repeated")
  func decidedBefore() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    try shop.store.set(Fault(AppErrorFault(.unknownServerError), count: 1))
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try shop.store.fault("fault-1").remaining == 1)
    #expect(shop.store.requests(RequestFilter(.device(.confirm))).map(\.fault) == [nil, nil])
    #expect(try await shop.endOfPurchase(as: "payment 2", on: phone) == .refused(.storeFailure))
    #expect(try shop.store.fault("fault-1").remaining == 0)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("a stale quote and an unregistered installation are answered before the fault")
  func needless() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try shop.store.set(Fault(AppErrorFault(.unknownServerError), count: 1))
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: "stranger") } == .unknownInstallation)
    try await shop.sell(TeaShop.catalog(oolongPrice: 2990))
    #expect(try await shop.store.confirm(quote, for: phone.id).replacement != nil)
    #expect(try shop.store.fault("fault-1").remaining == 1)
    #expect(try await shop.endOfPurchase(on: phone) == .refused(.storeFailure))
  }

  @Test("it comes before the question of approval: a payment that fails does not wait for a parent")
  func approval() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    try shop.store.set(Fault(AppErrorFault(.unknownServerError)))
    #expect(try await shop.endOfPurchase(on: phone) == .refused(.storeFailure))
    #expect(try await shop.store.pendingApprovals().isEmpty)
  }

  @Test("any other call fails with it, where the scope names that call, and nothing happens")
  func otherCalls() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let before = try await shop.records()
    try shop.store.set(
      Fault(AppErrorFault(.cannotConnectToStore), scope: FaultScope(calls: [.device(.products), .device(.signOut)])))
    #expect(try await refusal { _ = try await shop.store.products([TeaShop.oolong], for: phone.id) } == .storeFailure)
    #expect(try await refusal { try await shop.store.signOut(on: phone.id) } == .storeFailure)
    #expect(try await shop.records() == before)
    _ = try await shop.quote(on: phone)
  }
}
