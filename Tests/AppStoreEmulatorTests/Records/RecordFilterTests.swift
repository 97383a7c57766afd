import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Filters of records", .timeLimit(.minutes(30)))
struct RecordFilterTests {
  private func shopWithHistory() async throws -> TeaShop {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    try await shop.store.serve("org.example.other", catalog: [TeaShop.file(TeaShop.catalog())])
    for (app, account, environment) in [
      (TeaShop.app, "customer", StoreEnvironment.sandbox), (TeaShop.app, "ada", .sandbox),
      (TeaShop.app, "customer", .production), ("org.example.other", "customer", .sandbox),
    ] {
      _ = try await shop.store.purchase(TeaShop.oolong, of: app, for: AccountName(account), in: environment)
    }
    return shop
  }

  private func sequences(
    _ shop: TeaShop, _ filter: RecordFilter = RecordFilter()
  ) async throws -> [Int64] {
    let transactions = try await shop.store.transactions(filter)
    #expect(try await shop.store.charges(filter).map(\.transactionID) == transactions.map(\.record.transactionID))
    return transactions.map(\.sequence)
  }

  @Test("transactions and charges are listed newest first, and by app, environment and customer")
  func filters() async throws {
    let shop = try await shopWithHistory()
    #expect(try await sequences(shop) == [4, 3, 2, 1])
    #expect(try await sequences(shop, .init(bundleID: TeaShop.app)) == [3, 2, 1])
    #expect(try await sequences(shop, .init(environment: .sandbox)) == [4, 2, 1])
    #expect(try await sequences(shop, .init(account: "customer")) == [4, 3, 1])
    #expect(
      try await sequences(shop, .init(bundleID: TeaShop.app, environment: .sandbox, account: "customer")) == [1])
    #expect(try await sequences(shop, .init(account: "nobody")).isEmpty)
  }

  @Test("a limit keeps the newest, and is held between 1 and 1,000")
  func limits() async throws {
    let shop = try await shopWithHistory()
    #expect(try await sequences(shop, .init(limit: 2)) == [4, 3])
    #expect(try await sequences(shop, .init(limit: 0)) == [4])
    #expect(try await sequences(shop, .init(limit: -7)) == [4])
    #expect(RecordFilter(limit: .max).limit == 1000)
  }
}
