import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Searching the transactions", .timeLimit(.minutes(30)))
struct TransactionSearchTests {
  private static let token = "6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F"

  /// Returns a shop in which each of these customers has bought oolong, in this order.
  private func shop(_ customers: [AccountName], username: String? = nil) async throws -> TeaShop {
    let shop = try await TeaShop()
    for customer in customers {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: customer))
      _ = try await shop.store.purchase(
        TeaShop.oolong, of: TeaShop.app, for: customer, in: .sandbox, applicationUsername: username)
    }
    return shop
  }

  private func found(_ text: String, in shop: TeaShop) async throws -> [AccountName] {
    let filter = RecordFilter(search: text)
    let transactions = try await shop.store.transactions(filter)
    #expect(try await shop.store.transactionCount(filter) == transactions.count)
    #expect(try await shop.store.charges(filter).map(\.transactionID) == transactions.map(\.record.transactionID))
    return transactions.map(\.account)
  }

  @Test("finds a purchase by each of its ids, its product, its customer, its username and its token, whatever the case")
  func everyValue() async throws {
    let shop = try await shop(["Ada Lovelace"], username: Self.token)
    _ = try await shop.store.purchase(TeaShop.sencha, of: TeaShop.app, for: "customer", in: .sandbox)
    let record = try #require(try await shop.store.transactions().last).record
    for text in [
      record.transactionID.rawValue, String(record.transactionID.rawValue.suffix(9)), "OOLONG", "teahouse.oolong",
      "ada", "LACE", Self.token, Self.token.lowercased(), "7b7b-4f3E",
    ] {
      #expect(try await found(text, in: shop) == ["Ada Lovelace"], "\(text)")
    }
    #expect(try await found("teahouse", in: shop) == ["customer", "Ada Lovelace"])
    #expect(try await found("", in: shop) == ["customer", "Ada Lovelace"])
    #expect(try await found("nothing like it", in: shop).isEmpty)
  }

  @Test("upper and lower case are alike beyond ASCII, and so are two ways to write an accent")
  func folding() async throws {
    let shop = try await shop(["Zoë", "ΣΊΣΥΦΟΣ", "Straße 茶"])
    #expect(try await found("ZOË", in: shop) == ["Zoë"])
    #expect(try await found("zoe\u{308}", in: shop) == ["Zoë"])
    #expect(try await found("σίσυφος", in: shop) == ["ΣΊΣΥΦΟΣ"])
    #expect(try await found("STRASSE 茶", in: shop) == ["Straße 茶"])
    #expect(try await found("zoe", in: shop).isEmpty)
  }

  private static let hostile: [AccountName] = [
    "100% tea", "under_score", "O'Hara", "say \"tea\"", "back\\slash", "<script>alert(1)</script>", "*?[a-z]",
    "'; DROP TABLE transactionRecord; --", "\u{202E}gnp.exe", "line\nbreak\u{1B}[31m", "🫖🍵",
  ]

  @Test("every character stands for itself", arguments: hostile)
  func literal(customer: AccountName) async throws {
    let shop = try await shop(Self.hostile + [AccountName(String(repeating: "x", count: 10_000) + "é")])
    #expect(try await found(customer.rawValue, in: shop) == [customer])
  }

  @Test(
    "no character is a pattern, and what is very long is found, and sought",
    arguments: [
      ("%", ["100% tea"]), ("_", ["under_score"]), ("*", ["*?[a-z]"]), ("[a-z]", ["*?[a-z]"]), ("\\", ["back\\slash"]),
      ("'; DROP TABLE", ["'; DROP TABLE transactionRecord; --"]), ("t_a", []), ("%a%", []), ("🍵", ["🫖🍵"]),
      (String(repeating: "x", count: 9_999) + "É", ["long"]), (String(repeating: "y", count: 100_000), []),
    ] as [(String, [String])])
  func patterns(text: String, customers: [String]) async throws {
    let long = String(repeating: "x", count: 10_000) + "é"
    let shop = try await shop(Self.hostile + [AccountName(long)])
    #expect(try await found(text, in: shop) == customers.map { AccountName($0 == "long" ? long : $0) })
  }

  @Test("nothing is found across two values")
  func boundaries() async throws {
    let shop = try await shop(["ada"], username: "leaf")
    #expect(try await found("oolongada", in: shop).isEmpty)
    #expect(try await found("oolong\nada", in: shop).isEmpty)
    #expect(try await found("adaleaf", in: shop).isEmpty)
  }

  @Test("D3 a purchase is found by the whole id under which it was delivered once more")
  func redelivered() async throws {
    let shop = try await TeaShop()
    try await shop.buy(TeaShop.teapot, as: "first", on: try await shop.phone())
    let again = try #require(
      try await shop.buy(TeaShop.teapot, as: "again", on: try await shop.phone("tablet")).deliveries.first?.redelivery)
    let bought = try await shop.newestTransaction().record.transactionID
    #expect(again.transactionID != bought)
    let found = try await shop.store.transactions(.init(search: again.transactionID.rawValue))
    #expect(found.map(\.record.transactionID) == [bought])
    #expect(try await shop.store.transaction(again.transactionID).stored.record.transactionID == bought)
  }

  @Test("the list is asked of one index that holds all of it, whatever is asked for")
  func plan() async throws {
    let shop = try await shop(["ada"])
    let filters: [RecordFilter] = [
      .init(), .init(search: "x"), .init(state: .refunded),
      .init(account: "ada", productID: "x", search: "y", before: 7),
      .init(bundleID: TeaShop.app, environment: .sandbox, state: .unfinished),
    ]
    for filter in filters {
      let plan = try await shop.store.database.read { work in
        let database = work.database
        let request = SQLRequest<Row>(
          "EXPLAIN QUERY PLAN \(literal: filter.transactionSequences) ORDER BY sequence DESC")
        return try request.fetchAll(database).map { $0["detail"] as String }
      }
      #expect(plan.first?.contains("USING COVERING INDEX transactionRecordListed") == true, "\(plan)")
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
  }
}
