import Foundation
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Entitlements by name in a vault", .timeLimit(.minutes(30)))
struct EntitlementNameTests {
  private let files = TestVault()

  private func manager(
    _ vault: PurchaseVault, _ names: @autoclosure @escaping @Sendable () -> [String: Set<String>]
  ) throws -> EntitlementManager {
    EntitlementManager(
      vault: vault, receipts: try files.reader(), productIdentifiers: [TestVault.sepia, TestVault.noir],
      subscriptionIdentifiers: [TestVault.magazine], notifications: NotificationCenter(), entitlementNames: names())
  }

  @Test("a name is owned while one of its products is; a product's identifier is no name; names are read each time")
  func names() async throws {
    let vault = try files.open()
    let names = LockedValue(["filters": Set([TestVault.sepia, TestVault.noir])])
    let entitlements = try manager(vault, names.value)
    try files.put(receipt: [.init(id: 100, product: TestVault.noir)])
    #expect(try !entitlements.isEntitled(toNamed: "filters"))
    try await entitlements.merge(files.reader().receipt())
    #expect(try entitlements.isEntitled(toNamed: "filters"))
    #expect(try !entitlements.isEntitled(toNamed: TestVault.noir) && !entitlements.isEntitled(toNamed: "none"))
    names.value = ["filters": [TestVault.sepia], "monochrome": [TestVault.noir]]
    #expect(try !entitlements.isEntitled(toNamed: "filters") && entitlements.isEntitled(toNamed: "monochrome"))
    // A refund ends the name with its product.
    try files.put(
      receipt: [.init(id: 100, product: TestVault.noir, cancelled: TestVault.date)],
      at: TestVault.date.addingTimeInterval(10))
    try await entitlements.merge(files.reader().receipt())
    #expect(try !entitlements.isEntitled(toNamed: "monochrome"))
    try vault.close()
  }

  @Test("A1 the state of a name's subscriptions; a manager without names has none")
  func subscription() async throws {
    let vault = try files.open()
    let end = TestVault.date.addingTimeInterval(100)
    try files.put(receipt: [
      .init(id: 100, product: TestVault.magazine, type: .autoRenewableSubscription, expires: end)
    ])
    let entitlements = try manager(vault, ["news": [TestVault.magazine]])
    try await entitlements.merge(files.reader().receipt())
    let active = SubscriptionState.active(productIdentifier: TestVault.magazine, until: end)
    #expect(try entitlements.subscriptionState(ofNamed: "news") == active)
    #expect(try entitlements.subscriptionState(ofNamed: "none") == .none)
    #expect(try entitlements.isEntitled(toNamed: "news"))
    #expect(try !files.entitlements(vault).isEntitled(toNamed: "news"))
    try vault.close()
  }
}
