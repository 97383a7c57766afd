import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The request journal", .timeLimit(.minutes(30)))
struct RequestJournalTests {
  @Test("every call of a purchase is in it, with what it was about and how it ended")
  func purchase() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    #expect(try await refusal { _ = try await shop.quote(on: phone) } == .signInRequired)
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    _ = try await shop.store.products([TeaShop.oolong, TeaShop.sencha], for: phone.id)
    shop.clock.advance(seconds: 5)
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    try await shop.store.finish(id, for: phone.id)
    _ = try await shop.store.unfinished(for: phone.id)
    _ = try await shop.store.refreshReceipt(for: phone.id)
    _ = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id)
    try await shop.store.signOut(on: phone.id)
    _ = try await shop.store.unfinished(for: phone.id)
    _ = try await shop.store.verifyReceipt(Data(), at: .production)

    let requests = shop.store.requests()
    let verbs: [DeviceAPI.Verb] = [
      .register, .quote, .signIn, .products, .quote, .confirm, .finish, .unfinished, .refreshReceipt, .changes,
      .signOut, .unfinished,
    ]
    #expect(requests.map(\.metadata.kind) == verbs.map(RequestKind.device) + [.verifyReceipt])
    #expect(requests.map(\.sequence) == Array(1...13))
    #expect(
      requests.map(\.outcome) == [.answered, .refused(.signInRequired)] + Array(repeating: .answered, count: 10)
        + [.status(21000)])
    #expect(
      requests.dropLast().allSatisfy { $0.metadata.installationID == phone.id && $0.metadata.bundleID == TeaShop.app })
    #expect(requests.map(\.metadata.environment) == Array(repeating: .sandbox, count: 12) + [.production])
    let customer = Optional(TeaShop.customer)
    #expect(requests.map(\.metadata.customer) == [nil, nil] + Array(repeating: customer, count: 9) + [nil, nil])
    #expect(requests[3].metadata.productIDs == [TeaShop.oolong, TeaShop.sencha])
    #expect(requests[5].metadata.productIDs == [TeaShop.oolong])
    #expect(requests[4...5].allSatisfy { $0.metadata.paymentID == "payment 1" })
    #expect(requests[6].metadata.transactionID == id)
    #expect(
      requests.map(\.date) == Array(repeating: TeaShop.opening, count: 4)
        + Array(repeating: TeaShop.opening.adding(seconds: 5), count: 9))
    #expect(requests.allSatisfy { $0.fault == nil })
  }

  @Test("each filter finds what it asks for, and nothing else")
  func filters() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet", in: .production))
    try await shop.buy(on: phone)
    try shop.store.set(Fault(DeclinedCardFault(), id: "card"))
    #expect(try await shop.endOfPurchase(TeaShop.sencha, as: "other", on: tablet) == .refused(.paymentDeclined))
    func count(_ filter: RequestFilter) -> Int { shop.store.requests(filter).count }
    #expect(count(RequestFilter()) == 8)
    #expect(count(RequestFilter(.device(.confirm))) == 2)
    #expect(count(RequestFilter(installationID: tablet.id)) == 4)
    #expect(count(RequestFilter(environment: .sandbox)) == 4)
    #expect(count(RequestFilter(bundleID: "none")) == 0)
    #expect(count(RequestFilter(customer: TeaShop.customer)) == 6)
    #expect(count(RequestFilter(productID: TeaShop.sencha)) == 2)
    #expect(count(RequestFilter(paymentID: "payment 1")) == 2)
    #expect(count(RequestFilter(transactionID: TransactionID(1))) == 0)
    #expect(count(RequestFilter(outcome: .refused)) == 1)
    #expect(count(RequestFilter(faultID: "card")) == 1)
    #expect(count(RequestFilter(.device(.confirm), outcome: .answered)) == 1)
    #expect(shop.store.requests(RequestFilter(faultID: "card")).first?.fault?.kind == "declinedCard")
    #expect(shop.store.clearRequests() == 8)
    #expect(count(RequestFilter()) == 0)
    #expect(shop.store.requestJournalExtent == RequestJournalExtent(kept: 0, dropped: 0, last: 8))
  }

  @Test("passwords and receipts are never stored in it")
  func secrets() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    let password = "correct horse battery"
    _ = try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: password))
    _ = try await shop.store.signIn(SignInCredentials(account: "ada", password: password), on: phone.id)
    #expect(
      try await refusal {
        _ = try await shop.store.signIn(SignInCredentials(account: "ada", password: "wrong \(password)"), on: phone.id)
      } == .signInRefused)
    let receipt = try #require(try await shop.buy(on: phone).receipt).base64EncodedString()
    _ = try await shop.store.verifyReceipt(
      Data(#"{"receipt-data":"\#(receipt)","password":"\#(password)"}"#.utf8), at: .sandbox)
    var text = ""
    dump(shop.store.requests(), to: &text)
    #expect(text.contains("ada"))
    #expect(!text.contains(password))
    #expect(!text.contains(receipt.prefix(24)))
  }

  @Test("its size does not depend on what is sent")
  func bounded() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let long = String(repeating: "é", count: 5_000)
    _ = try await shop.store.products((0..<100).map { ProductID("\($0)\(long)") }, for: phone.id)
    let metadata = try #require(shop.store.requests().last).metadata
    #expect(metadata.productIDs.count == 20)
    #expect(metadata.productIDs.allSatisfy { $0.rawValue.utf8.count <= 260 })
  }

  @Test("a call that fails in the store is in it too")
  func failed() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await shop.store.products([], for: phone.id)
    try shop.store.close()
    await #expect(throws: (any Error).self) { try await shop.store.products([], for: phone.id) }
    #expect(shop.store.requests(RequestFilter(.device(.products))).map(\.outcome) == [.answered, .failed])
  }
}
