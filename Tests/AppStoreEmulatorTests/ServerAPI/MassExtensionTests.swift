import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Extensions for all subscribers", .timeLimit(.minutes(30)))
struct MassExtensionTests {
  private func request(
    _ identifier: String = UUID().uuidString, _ product: ProductID = TeaShop.monthly, storefronts: [String]? = nil
  ) -> ExtendRenewalDatesForAllActiveSubscribers {
    var content = MassExtendRenewalDateRequest(
      requestIdentifier: UUID(), extendByDays: 5, extendReasonCode: OpenEnum(.other), productId: product,
      storefrontCountryCodes: storefronts)
    content.requestIdentifier = identifier
    return ExtendRenewalDatesForAllActiveSubscribers(content)
  }

  /// Counts the statements that settle an extension with three subscribers, while `others` subscribe to another product and
  /// `foreigners` to the same product in another storefront.
  private func statements(others: Int, foreigners: Int) async throws -> Int {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    for number in 0..<(3 + others + foreigners) {
      let name = AccountName(rawValue: "member \(number)")
      let storefront = number < 3 + others ? "USA" : "DEU"
      try await shop.store.addCustomer(
        Customer(environment: .sandbox, name: name, storefrontCountryCode: storefront))
      _ = try await shop.order((3..<3 + others).contains(number) ? TeaShop.yearly : TeaShop.monthly, for: name)
    }
    let text = try await server.send(request(storefronts: ["USA"])).requestIdentifier
    let executed = LockedValue(0)
    try await shop.store.database.write { $0.database.trace { _ in executed.withLock { $0 += 1 } } }
    try await shop.store.changeClock(.advance(milliseconds: 3_600_000))
    let status = try await server.send(
      GetStatusOfRenewalDateExtensions(productId: TeaShop.monthly, requestIdentifier: text))
    #expect(status.complete && status.succeededCount == 3 && status.failedCount == 0)
    return executed.value
  }

  @Test("the work does not grow with the subscriptions of other products, nor of the same product in other storefronts")
  func work() async throws {
    let few = try await statements(others: 5, foreigners: 5)
    let many = try await statements(others: 35, foreigners: 35)
    // SQLite's own statements differ by a few from run to run. One for each subscription would be 60 more.
    #expect(many <= few + 20, "\(few), \(many)")
  }

  @Test("the subscribers of a product are read in order from an index, which has no others")
  func plan() async throws {
    let shop = try await TeaShop()
    let plan = try await shop.store.database.read {
      try Row.fetchAll(
        $0.database, sql: "EXPLAIN QUERY PLAN \(MassExtensions.subscribersSQL)",
        arguments: ["org.example.app", "Sandbox", "tea", ""]
      ).map { $0["detail"] as String }
    }
    #expect(plan.count == 2, "\(plan)")
    #expect(
      plan.first?.hasSuffix(
        "subscriptionOfProduct (bundleID=? AND environment=? AND <expr>=? AND originalTransactionID>?)") == true,
      "\(plan)")
  }

  @Test("an identifier is a UUID, whose letter case does not matter; every answer has it as it was sent first")
  func letterCase() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    let id = try await shop.order(TeaShop.monthly).record.transactionID
    let end = try #require(try await shop.store.transaction(id).stored.record.expiresDate)
    let first = "6f6A3a1c-7b7b-4F3e-9e33-0a1b2c3d4e5f"
    for text in [first, first.uppercased(), first.lowercased()] {
      #expect(try await server.send(request(text)).requestIdentifier == first)
    }
    try await shop.store.changeClock(.advance(milliseconds: 3_600_000))
    #expect(try await shop.store.transaction(id).stored.record.expiresDate == end.adding(seconds: 5 * 86_400))
    let status = try await server.send(
      GetStatusOfRenewalDateExtensions(productId: TeaShop.monthly, requestIdentifier: first.uppercased()))
    #expect(status.complete && status.requestIdentifier == first && status.succeededCount == 1)
  }
}
