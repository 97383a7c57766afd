import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A purchase made outside the app", .timeLimit(.minutes(30)))
struct OutsidePurchaseTests {
  @discardableResult
  private func order(
    in shop: TeaShop, quantity: Int = 1, for account: AccountName = TeaShop.customer,
    in environment: StoreEnvironment = .sandbox, at installation: InstallationID? = nil
  ) async throws -> StoredTransaction {
    try await shop.store.purchase(
      TeaShop.oolong, quantity: quantity, of: TeaShop.app, for: account, in: environment,
      installationID: installation)
  }

  @Test("B4 is charged at once and goes to the first installation that asks, and to no other")
  func firstThatAsks() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    let stored = try await order(in: shop, quantity: 2)
    #expect(stored.installationID == nil)
    #expect(stored.paymentID == nil)
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(3980)])

    let batch = try await shop.store.unfinished(for: tablet.id)
    #expect(batch.deliveries.map(\.paymentID) == [nil])
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
    #expect(try await shop.newestTransaction().installationID == tablet.id)
    let id = stored.record.transactionID
    #expect(try await refusal { try await shop.store.finish(id, for: phone.id) } == .unknownTransaction)
    try await shop.store.finish(id, for: tablet.id)
    #expect(try await shop.store.unfinished(for: tablet.id).deliveries.isEmpty)
  }

  @Test("B4 of two installations that ask at the same time exactly one gets each purchase")
  func race() async throws {
    let shop = try await TeaShop()
    let phones = [try await shop.phone(), try await shop.phone("tablet")]
    for _ in 1...20 { try await order(in: shop) }
    let store = shop.store
    let lists = try await withThrowingTaskGroup(of: [TransactionID].self) { group in
      for round in 0..<20 {
        group.addTask {
          try await store.unfinished(for: phones[round % 2].id).deliveries.map {
            try UnverifiedJWS($0.signedTransaction).transaction().transactionID
          }
        }
      }
      return try await group.reduce(into: Set<[TransactionID]>()) { $0.insert($1) }
    }
    // All of them went to the installation that asked first. The other installation never receives any.
    #expect(lists.map(\.count).sorted() == [0, 20])
    #expect(Set(try await shop.store.transactions().map(\.installationID)).count == 1)
  }

  @Test("B4 does not go to an installation of another account, environment or app, or without a sign-in")
  func notToOthers() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let others = [
      try await shop.phone("bob's", signedInAs: "bob"), try await shop.phone("signed out", signedInAs: nil),
      try await shop.phone("production", in: .production),
    ]
    try await shop.store.serve("org.example.other", catalog: [TeaShop.file(TeaShop.catalog())])
    _ = try await shop.store.register(
      InstallationRegistration(
        installationID: "other app", bundleID: "org.example.other", environment: .sandbox, deviceID: UUID(),
        applicationVersion: "1"))
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: "other app")
    try await order(in: shop)
    for id in others.map(\.id) + ["other app"] {
      #expect(try await shop.store.unfinished(for: id).deliveries.isEmpty)
    }
    let phone = try await shop.phone()
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
  }

  @Test("B4 for a named installation goes there only")
  func named() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    try await order(in: shop, at: phone.id)
    #expect(try await shop.store.unfinished(for: tablet.id).deliveries.isEmpty)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
  }

  @Test("refusals charge nothing: quantity, product, card, customer, app, installation")
  func refusals() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "broke", paymentMethod: .declined))
    let before = try await shop.records()
    #expect(try await refusal { try await order(in: shop, quantity: 0) } == .paymentInvalid)
    #expect(try await refusal { try await order(in: shop, for: "broke") } == .paymentDeclined)
    #expect(
      try await refusal {
        _ = try await shop.store.purchase(
          "no such tea", of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      } == .productNotAvailable)
    await #expect(throws: AppStoreEmulatorError.unknownCustomer("nobody", .sandbox)) {
      try await order(in: shop, for: "nobody")
    }
    await #expect(throws: AppStoreEmulatorError.unknownInstallation("stranger")) {
      try await order(in: shop, at: "stranger")
    }
    await #expect(throws: AppStoreEmulatorError.unknownInstallation(phone.id)) {
      try await order(in: shop, in: .production, at: phone.id)
    }
    await #expect(throws: AppStoreEmulatorError.unknownApp("org.example.none", known: [TeaShop.app])) {
      try await shop.store.purchase(
        TeaShop.oolong, of: "org.example.none", for: TeaShop.customer, in: .sandbox)
    }
    #expect(try await shop.records() == before)
  }
}
