import Foundation
import HTTPTransport
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseKit

/// Tests the rules of Documentation/purchase-kit.md, "The customer's state".
@Suite("The copy of the customer's state", .timeLimit(.minutes(30)))
struct CustomerStateCopyTests {
  private static let start = Date(timeIntervalSince1970: 1_790_000_000)
  private static let club = "com.example.reader.club"
  private let server = ScriptedServer()
  private let keys = MemoryVaultKeyStore()
  private let clock = ManualClock(StoreDate(start))

  /// An app from a launch to its end.
  private struct App {
    let client: PurchaseServerClient
    let credits: LedgerCreditStore
    let state: CustomerStateCopy
  }

  private func launch(in folder: TestFolder, as client: PurchaseServerClient? = nil) throws -> App {
    let client = client ?? server.client(keys: keys)
    let credits = try LedgerCreditStore(
      at: folder.url.appending(path: "credits.sqlite"), server: client, unit: "coins", clock: clock
    ) { .appReceipt(Data()) }
    let state = try CustomerStateCopy(
      at: folder.url.appending(path: "state.json"), server: client, credits: [credits],
      notifications: NotificationCenter(), clock: clock)
    return App(client: client, credits: credits, state: state)
  }

  /// Answers the next request for the state: with 304 if it has `tag`.
  private func answer(
    _ tag: String, balance: Int = 5, movements: Int = 1, until: Int? = nil, customer: UUID = ScriptedServer.customer,
    product: String = club, next: String? = nil, named: String? = nil
  ) {
    let access = until.map { #""accessUntil": \#(1_790_000_000_000 + $0 * 1000),"# } ?? ""
    let end = next.map { #", "next": "\#($0)""# } ?? named.map { #", "named": \#($0)"# } ?? ""
    let body = """
      {"customer": "\(customer)", "isIdentified": false, "incarnation": "one", "deliveries": [],
       "credits": [{"unit": "coins", "balance": \(balance), "movements": \(movements), "isSpendingBlocked": false}],
       "entitlements": [{"productId": "\(product)", "source": "1", "origin": "purchased", "begun": 1, \(access)
         "isActive": true}]\(end)}
      """
    server.once("/customer/state") { call, _ in
      if call.fields["If-None-Match"] == tag { return .init(status: 304, fields: ["ETag": tag]) }
      return .init(fields: ["ETag": tag], body: Data(body.utf8))
    }
  }

  private var tags: [String?] { server.calls("/customer/state").map { $0.fields["If-None-Match"] } }

  @Test("F3 a change is there at the next return; a 304 confirms an unchanged state, also shown without a network")
  func returns() async throws {
    let folder = TestFolder()
    let app = try launch(in: folder)
    #expect(app.state.current == nil)
    answer("\"1\"", until: 100)
    #expect(try await app.state.refresh())
    #expect(try app.credits.balance() == 5)
    try app.credits.close()

    // The app is launched again, without a network.
    let again = try launch(in: folder)
    clock.advance(seconds: 50)
    server.once("/customer/state") { _, _ in throw HTTPFailure.unreachable(reason: "down") }
    await #expect(throws: PurchaseServerError.network(reason: "down")) { try await again.state.refresh() }
    #expect(again.state.current?.state.entitlements.first?.isActive == true)
    #expect(again.state.current?.date == Self.start)
    // The server confirms it. That is as good as an answer.
    answer("\"1\"")
    #expect(try await !again.state.refresh())
    #expect(again.state.current?.date == clock.now.date)
    #expect(try again.credits.balanceDate() == clock.now.date)

    // Access that ends by time is not active, also without an answer. The next answer has the renewal, and a refund of credits.
    clock.advance(seconds: 50)
    let expired = try #require(again.state.current).state.entitlements
    #expect(!expired[0].isActive)
    let sinceNow = SubscriptionState.expired(productIdentifier: Self.club, since: clock.now.date)
    #expect(SubscriptionState(of: [Self.club], in: expired) == sinceNow)
    answer("\"2\"", balance: 0, movements: 2, until: 200)
    #expect(try await again.state.refresh())
    #expect(
      SubscriptionState(of: [Self.club], in: again.state.current?.state.entitlements ?? [])
        == .active(productIdentifier: Self.club, until: Self.start.addingTimeInterval(200)))
    #expect(try again.credits.balance() == 0)
    #expect(tags == [nil, "\"1\"", "\"1\"", "\"1\""])
    #expect(server.calls("/credits").isEmpty, "the balance needs no request of its own")
    try again.credits.close()
  }

  @Test("B9 killed between the answer and its commit, and between the commit and the balances: nothing is missed")
  func killed() async throws {
    let folder = TestFolder()
    var app = try launch(in: folder)
    answer("\"1\"")
    try await app.state.refresh()
    try app.credits.close()
    let (unstored, halfStored) = (TestFolder(), TestFolder())
    for copy in [unstored, halfStored] { try FileManager.default.copyItem(at: folder.url, to: copy.url) }
    app = try launch(in: folder)
    answer("\"2\"", balance: 3, movements: 2)
    try await app.state.refresh()
    try app.credits.close()

    app = try launch(in: unstored)
    answer("\"2\"", balance: 3, movements: 2)
    #expect(try await app.state.refresh())
    #expect(tags.last == "\"1\"")
    #expect(try app.credits.balance() == 3)
    try app.credits.close()

    let state = halfStored.url.appending(path: "state.json")
    try FileManager.default.removeItem(at: state)
    try FileManager.default.copyItem(at: folder.url.appending(path: "state.json"), to: state)
    app = try launch(in: halfStored)
    #expect(try app.credits.balance() == 5)
    answer("\"2\"", balance: 3, movements: 2)
    #expect(try await !app.state.refresh())
    #expect(tags.last == "\"2\"")
    #expect(try app.credits.balance() == 3)
    try app.credits.close()
  }

  @Test("each page is asked for with its own version; a state of two customers is not stored")
  func pages() async throws {
    let app = try launch(in: TestFolder())
    answer("\"1\"", product: "a", next: "X")
    answer("\"2\"", product: "b")
    #expect(try await app.state.refresh())
    answer("\"1\"", product: "a", next: "X")
    answer("\"3\"", product: "c")
    #expect(try await app.state.refresh())
    #expect(app.state.current?.state.entitlements.map(\.productId) == ["a", "c"])
    #expect(tags == [nil, nil, "\"1\"", "\"2\""])
    #expect(server.calls("/customer/state").map { $0.url.query() } == [nil, "after=X", nil, "after=X"])
    answer("\"1\"", product: "a", next: "X")
    answer("\"4\"", customer: UUID(), product: "d")
    await #expect(throws: PurchaseServerError.customerChanged) { try await app.state.refresh() }
    #expect(app.state.current?.state.entitlements.map(\.productId) == ["a", "c"])
    try app.credits.close()
  }

  @Test("what the customer has by name ends by time, also without a network; a server without names has none")
  func named() async throws {
    let app = try launch(in: TestFolder())
    answer("\"1\"", until: 100)
    try await app.state.refresh()
    #expect(app.state.current?.state.named == [] && !app.state.isEntitled(toNamed: "club"))
    let end = 1_790_000_000_000 + 100 * 1000
    answer(
      "\"2\"", until: 100,
      named: """
        [{"name": "club", "isActive": true, "accessUntil": \(end), "products": ["\(Self.club)", "gone"]},
         {"name": "ever", "isActive": true, "products": ["\(Self.club)"]},
         {"name": "old", "isActive": false, "accessUntil": 1, "products": ["gone"]}]
        """)
    #expect(try await app.state.refresh())
    #expect(app.state.isEntitled(toNamed: "club") && app.state.isEntitled(toNamed: "ever"))
    #expect(!app.state.isEntitled(toNamed: "old") && !app.state.isEntitled(toNamed: Self.club))
    let state = try #require(app.state.current).state
    #expect(state.named.first?.products == [Self.club], "the product without access is left out")
    #expect(
      SubscriptionState(ofNamed: "club", in: state)
        == .active(productIdentifier: Self.club, until: Self.start.addingTimeInterval(100)))
    #expect(SubscriptionState(ofNamed: "none", in: state) == .none)

    clock.advance(seconds: 100)
    #expect(!app.state.isEntitled(toNamed: "club") && app.state.isEntitled(toNamed: "ever"))
    let later = try #require(app.state.current).state
    #expect(later.named.first?.accessUntil == Self.start.addingTimeInterval(100))
    #expect(
      SubscriptionState(ofNamed: "club", in: later)
        == .expired(productIdentifier: Self.club, since: Self.start.addingTimeInterval(100)))
    try app.credits.close()
  }

  @Test("another customer does not see the copy; a damaged copy and a server without states are no obstacle")
  func others() async throws {
    let (ada, ben, folder) = (UUID(), UUID(), TestFolder())
    let person = SignedInPerson(ada)
    var app = try launch(in: folder, as: person.client(server))
    answer("\"1\"", customer: ada)
    try await app.state.refresh()
    #expect(app.state.current?.state.customer == ada)
    person.switches(to: ben)
    app.client.forgetCustomer()
    #expect(app.state.current == nil)
    answer("\"2\"", customer: ben)
    #expect(try await app.state.refresh())
    #expect(app.state.current?.state.customer == ben)
    try app.credits.close()

    try Data("{".utf8).write(to: folder.url.appending(path: "state.json"))
    app = try launch(in: folder)
    #expect(app.state.current == nil)
    await #expect {
      try await app.state.refresh()
    } throws: {
      guard case PurchaseServerError.refused(let refusal)? = $0 as? PurchaseServerError else { return false }
      return refusal.code == "noSuchEndpoint"
    }
    try app.credits.close()
  }

  @Test("F3 what an operator revokes at the real server is gone at the next return, without a request for the balance")
  func operators() async throws {
    try await LivePurchaseServer.running(files: ["text": Data("a".utf8)]) { server in
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      // Without a receipt, the server's word ends a product.
      let vault = EntitlementManager(
        vault: shop.vault, receipts: nil, productIdentifiers: [ReaderStore.book], notifications: shop.notifications)
      let state = try CustomerStateCopy(
        at: shop.folder.url.appending(path: "state.json"), server: shop.client, entitlements: vault,
        credits: [shop.ledgerCredits], notifications: shop.notifications)
      let refreshed = NotificationLog(shop.notifications, .CustomerStateCopyRefreshedNotification)
      let book = try await shop.buy(ReaderStore.book)
      try await shop.buy(ReaderStore.coins)
      #expect(try await state.refresh())
      #expect(await refreshed.next() != nil)
      #expect(state.current?.state.deliveries.map(\.productId) == [ReaderStore.book])
      #expect(try await !state.refresh())

      let customer = CustomerID(rawValue: try #require(shop.client.customer))
      try await server.ledger.grant(
        .credits(try #require(CreditUnit(rawValue: "coins")), -3), to: customer, app: ScriptedServer.bundleID,
        key: "a", reason: "test", by: "olga")
      try await server.ledger.revoke(
        ProductID(ReaderStore.book), source: book.originalTransactionIdentifier, from: customer,
        app: ScriptedServer.bundleID, reason: "test", by: "olga")
      #expect(try await state.refresh())
      #expect(try shop.ledgerCredits.balance() == 2)
      let ended = try #require(state.current).state
      #expect(ended.entitlements.map(\.endReason) == ["revoked"])
      #expect(ended.deliveries.isEmpty)
      #expect(try !vault.isEntitled(to: ReaderStore.book))
      try await shop.close()
    }
  }
}
