import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Measures the work of family events by the number of SQL statements.
@Suite("The work of family events", .timeLimit(.minutes(30)))
struct FamilyWorkTests {
  /// Counts the statements of an event in a family in which Ada has bought `count` products that families share.
  private func statements(
    owning count: Int, _ event: (TeaShop, TransactionID) async throws -> Void
  ) async throws -> Int {
    let shop = try await TeaShop()
    try await shop.sell(
      (0..<count).map {
        ProductDefinition(
          productID: ProductID("book \($0)"), type: .nonConsumable, price: Milliunits(990), isFamilyShareable: true)
      })
    for name in ["ada", "bob", "cleo"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea"))
    }
    var last = TransactionID(0)
    for number in 0..<count {
      last = try await shop.store.purchase(
        ProductID("book \(number)"), of: TeaShop.app, for: "ada", in: .sandbox
      ).record.transactionID
    }
    let executed = LockedValue(0)
    try await shop.store.database.write { $0.database.trace { _ in executed.withLock { $0 += 1 } } }
    try await event(shop, last)
    return executed.value
  }

  @Test("a refund and its reversal take the same work, however much the family owns")
  func refund() async throws {
    func work(_ count: Int) async throws -> Int {
      try await statements(owning: count) { shop, last in
        _ = try await shop.store.refund(last)
        _ = try await shop.store.reverseRefund(of: last)
      }
    }
    let (small, large) = (try await work(10), try await work(80))
    #expect(small == large)
  }

  @Test("joining and leaving a family take work in proportion to what its members own")
  func moving() async throws {
    func work(_ count: Int) async throws -> Int {
      try await statements(owning: count) { shop, _ in
        _ = try await shop.store.changeCustomer("bob", .sandbox) { $0.family = nil }
        _ = try await shop.store.changeCustomer("bob", .sandbox) { $0.family = "tea" }
      }
    }
    let (small, large) = (try await work(40), try await work(80))
    #expect(Double(large) <= 2.1 * Double(small))
  }
}
