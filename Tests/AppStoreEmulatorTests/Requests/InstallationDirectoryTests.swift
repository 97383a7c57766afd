import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What the store remembers of installations", .timeLimit(.minutes(10)))
struct InstallationDirectoryTests {
  private func facts(_ shop: TeaShop, _ phone: Phone) async throws -> RequestFacts {
    try await shop.store.facts(of: UnfinishedCall(), from: phone.id)
  }

  @Test("is what the books say, after every change, by whatever way")
  func changes() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    #expect(try await facts(shop, phone).customer == nil)
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    #expect(try await facts(shop, phone).customer == TeaShop.customer)
    #expect(try await facts(shop, phone).bundleID == TeaShop.app)
    try await shop.store.signOut(on: phone.id)
    #expect(try await facts(shop, phone).customer == nil)
    try await shop.store.database.write { try $0.execute(sql: "UPDATE installation SET account = 'eve'") }
    #expect(try await facts(shop, phone).customer == "eve")
  }

  @Test("a change that is rolled back is none, and the next one is noticed")
  func rollback() async throws {
    struct Stop: Error {}
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await facts(shop, phone)
    await #expect(throws: Stop.self) {
      try await shop.store.database.write { database in
        try database.execute(sql: "UPDATE installation SET account = 'eve'")
        throw Stop()
      }
    }
    #expect(try await facts(shop, phone).customer == TeaShop.customer)
    try await shop.store.signOut(on: phone.id)
    #expect(try await facts(shop, phone).customer == nil)
  }

  @Test("what was read before a change is not kept after it; another epoch is another life")
  func generations() {
    let directory = InstallationDirectory()
    let residence = Residence(environment: .sandbox, bundleID: "app", account: "ada")
    let before = directory.residence(of: "phone", epoch: "1").generation
    directory.keep(residence, of: "phone", generation: before)
    #expect(directory.residence(of: "phone", epoch: "1").found == residence)
    let other = directory.residence(of: "phone", epoch: "2")
    #expect(other.found == nil)
    directory.keep(residence, of: "phone", generation: before)
    #expect(directory.residence(of: "phone", epoch: "2").found == nil)
    directory.keep(residence, of: "phone", generation: other.generation)
    #expect(directory.residence(of: "phone", epoch: "2").found == residence)
  }

  @Test("a device that is known costs no look into the books")
  func noLook() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    _ = try await facts(shop, phone)
    try shop.store.close()
    // The books are closed, and it is known all the same.
    #expect(try await facts(shop, phone).customer == TeaShop.customer)
  }

  @Test("an installation that never registered is not remembered")
  func stranger() async throws {
    let shop = try await TeaShop()
    let stranger = Phone(id: "installation of phone", vendorID: UUID())
    #expect(try await facts(shop, stranger).bundleID == nil)
    let phone = try await shop.phone()
    #expect(phone.id == stranger.id)
    #expect(try await facts(shop, phone).bundleID == TeaShop.app)
  }
}
