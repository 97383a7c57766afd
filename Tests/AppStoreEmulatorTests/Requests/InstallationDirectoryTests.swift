import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The store's cache of installations", .timeLimit(.minutes(30)))
struct InstallationDirectoryTests {
  private func metadata(_ shop: TeaShop, _ phone: Phone) async throws -> RequestMetadata {
    try await DeviceOperation(call: UnfinishedCall(), installation: phone.id).metadata(in: shop.store.services)
  }

  @Test("equals the records after every change, made in any way")
  func changes() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    #expect(try await metadata(shop, phone).customer == nil)
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    #expect(try await metadata(shop, phone).customer == TeaShop.customer)
    #expect(try await metadata(shop, phone).bundleID == TeaShop.app)
    try await shop.store.signOut(on: phone.id)
    #expect(try await metadata(shop, phone).customer == nil)
    try await shop.store.database.write { try $0.database.execute(sql: "UPDATE installation SET account = 'eve'") }
    #expect(try await metadata(shop, phone).customer == "eve")
  }

  @Test("a change that is rolled back is none, and the next one is noticed")
  func rollback() async throws {
    struct Stop: Error {}
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await metadata(shop, phone)
    await #expect(throws: Stop.self) {
      try await shop.store.database.write { work in
        let database = work.database
        try database.execute(sql: "UPDATE installation SET account = 'eve'")
        throw Stop()
      }
    }
    #expect(try await metadata(shop, phone).customer == TeaShop.customer)
    try await shop.store.signOut(on: phone.id)
    #expect(try await metadata(shop, phone).customer == nil)
  }

  @Test("values read before a change are dropped after it; a new epoch drops all")
  func generations() {
    let directory = InstallationDirectory()
    let scope = InstallationScope(environment: .sandbox, bundleID: "app", account: "ada")
    let before = directory.scope(of: "phone", epoch: "1").generation
    directory.keep(scope, of: "phone", generation: before)
    #expect(directory.scope(of: "phone", epoch: "1").found == scope)
    let other = directory.scope(of: "phone", epoch: "2")
    #expect(other.found == nil)
    directory.keep(scope, of: "phone", generation: before)
    #expect(directory.scope(of: "phone", epoch: "2").found == nil)
    directory.keep(scope, of: "phone", generation: other.generation)
    #expect(directory.scope(of: "phone", epoch: "2").found == scope)
  }

  @Test("a known device is found without reading the database")
  func noLook() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await metadata(shop, phone)
    try shop.store.close()
    // The store is closed, so the installation's scope comes from the cache.
    #expect(try await metadata(shop, phone).customer == TeaShop.customer)
  }

  @Test("an installation that never registered is not remembered")
  func stranger() async throws {
    let shop = try await TeaShop()
    let stranger = Phone(id: "installation of phone", vendorID: UUID())
    #expect(try await metadata(shop, stranger).bundleID == nil)
    let phone = try await shop.phone()
    #expect(phone.id == stranger.id)
    #expect(try await metadata(shop, phone).bundleID == TeaShop.app)
  }
}
