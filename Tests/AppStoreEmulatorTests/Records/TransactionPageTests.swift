import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Paging through the transactions", .timeLimit(.minutes(30)))
struct TransactionPageTests {
  private typealias Filter = RecordFilter

  private func purchase(_ product: ProductID = TeaShop.oolong, in shop: TeaShop) async throws -> StoredTransaction {
    try await shop.store.purchase(product, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
  }

  @Test("the pages have every transaction once, newest first, also while new ones come")
  func pages() async throws {
    let shop = try await TeaShop()
    for _ in 0..<10 { _ = try await purchase(in: shop) }
    var (seen, filter, sizes): ([Int64], Filter, [Int]) = ([], Filter(search: "oolong", limit: 3), [])
    while true {
      let page = try await shop.store.transactionPage(filter)
      seen += page.transactions.map(\.sequence)
      sizes.append(page.transactions.count)
      _ = try await purchase(in: shop)
      guard let next = page.next else { break }
      filter.before = next
    }
    #expect(seen == (1...10).reversed())
    #expect(sizes == [3, 3, 3, 1])
  }

  @Test("a page that ends with the list leads nowhere")
  func lastPage() async throws {
    let shop = try await TeaShop()
    for _ in 0..<4 { _ = try await purchase(in: shop) }
    #expect(try await shop.store.transactionPage(Filter(limit: 4)).next == nil)
    #expect(try await shop.store.transactionPage(Filter(limit: 3)).next == 2)
    #expect(try await shop.store.transactionPage(Filter(before: 1)) == TransactionPage(transactions: [], next: nil))
    #expect(try await shop.store.transactionCount(Filter(before: 2, limit: 1)) == 4)
  }

  @Test("every transaction is in one of three states, and can be listed by it, and by its product")
  func states() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let finished = try #require(try await shop.buy(as: "one", on: phone).deliveries.first).signed.transactionID
    try await shop.store.finish(finished, for: phone.id)
    let refunded = try await purchase(TeaShop.sencha, in: shop).record.transactionID
    try await shop.store.refund(refunded)
    let waiting = try await purchase(TeaShop.sencha, in: shop).record.transactionID
    func ids(_ filter: Filter) async throws -> [TransactionID] {
      let found = try await shop.store.transactions(filter)
      #expect(try await shop.store.transactionCount(filter) == found.count)
      return found.map(\.record.transactionID)
    }
    for (state, id) in [(.finished, finished), (.refunded, refunded), (.unfinished, waiting)]
      as [(TransactionState, TransactionID)]
    {
      #expect(try await ids(Filter(state: state)) == [id])
      #expect(try await shop.store.transaction(id).stored.state == state)
      #expect(try await shop.store.charges(Filter(state: state)).map(\.transactionID) == [id])
    }
    #expect(try await ids(Filter(productID: TeaShop.sencha)) == [waiting, refunded])
    #expect(try await ids(Filter(productID: TeaShop.sencha, state: .refunded)) == [refunded])
    #expect(try await ids(Filter(productID: TeaShop.sencha, state: .finished)).isEmpty)
    #expect(try await shop.store.refunds(Filter(state: .refunded)).map(\.transactionID) == [refunded])
    #expect(try await shop.store.refunds(Filter(state: .unfinished)).isEmpty)
  }

  @Test("one transaction comes with its charge, its redeliveries, its refunds and its shares")
  func details() async throws {
    let shop = try await TeaShop.lasting()
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea drinkers"))
    }
    let tablet = try await shop.phone("tablet", signedInAs: "ada")
    try await shop.buy(TeaShop.samovar, as: "first", on: try await shop.phone(signedInAs: "ada"))
    try await shop.buy(TeaShop.samovar, as: "again", on: tablet)
    let id = try #require(try await shop.store.transactions(.init(account: "ada")).first).record.transactionID
    try await shop.store.refund(id, percentage: 50_000)
    try await shop.store.reverseRefund(of: id)
    let details = try await shop.store.transaction(id)
    #expect(details.charge?.amount == Milliunits(24_000))
    #expect(details.redeliveries.map(\.installationID) == [tablet.id])
    #expect(details.refunds.map(\.amount) == [Milliunits(12_000), Milliunits(-12_000)])
    #expect(details.shares.map(\.account) == ["bob", "bob"])
    await #expect(throws: AppStoreEmulatorError.unknownTransaction(TransactionID(rawValue: "1")!)) {
      try await shop.store.transaction(TransactionID(rawValue: "1")!)
    }
  }
}
