import AppStoreEmulator
import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseKit

/// Documentation/threat-model.md, "Joining an earlier installation".
@Suite("A store whose clock stands or is slow", .serialized, .timeLimit(.minutes(30)))
struct StandingStoreClockTests {
  private static let book = ReaderStore.book
  /// 2026-07-01T12:00:00Z
  private static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_000)

  struct Pace: Sendable, CustomTestStringConvertible {
    let rate: Double
    /// Milliseconds since the second began.
    let start: Int64
    var testDescription: String { "\(rate) from .\(start)" }
  }

  /// With the last, the next second begins during the pause that the server asks for.
  private static let paces = [
    Pace(rate: 0, start: 0), Pace(rate: 0, start: 999), Pace(rate: 0.0001, start: 0), Pace(rate: 0.001, start: 999),
  ]

  private func running(
    _ pace: Pace, _ body: @escaping @Sendable (FollowedStore, ReaderShop) async throws -> Void
  ) async throws {
    try await FollowedStore.running(at: Self.opening.adding(milliseconds: pace.start)) { world in
      _ = try await world.store.changeClock(rate: pace.rate)
      let shop = try world.install()
      try await shop.buy(Self.book)
      try await shop.buy(ReaderStore.coins)
      await shop.untilQueueIsEmpty()
      try await body(world, shop)
    }
  }

  @Test(
    "D1 E5 an app that is reinstalled in the second of its purchases gets its book and its coins back", arguments: paces
  )
  func restored(_ pace: Pace) async throws {
    try await running(pace) { world, first in
      #expect(try await first.ledgerCredits.spend(2, key: UUID(), date: Date()) == 3)
      #expect(world.takeSleeps().isEmpty, "a first purchase waits for nothing")
      try await first.close()

      let second = try world.install(on: first.device.deviceID)
      try await second.client.identify()
      #expect(second.client.customer != first.client.customer)
      #expect(try await second.manager.restorePurchases().given.map(\.productIdentifier) == [Self.book])
      #expect(world.takeSleeps() == [.seconds(2)])
      #expect(second.client.customer == first.client.customer)
      #expect(try second.entitlements.isEntitled(to: Self.book))
      try await second.ledgerCredits.refresh()
      #expect(try second.ledgerCredits.balance() == 3)
      try await second.close()
    }
  }

  @Test(
    "D1 E5 a purchase before the restore, in the second of the registration, is given to the earlier customer")
  func boughtFirst() async throws {
    try await running(Pace(rate: 0, start: 500)) { world, first in
      try await first.close()
      let second = try world.install(on: first.device.deviceID)
      try await second.client.identify()
      try await second.buy(ReaderStore.coins)
      await second.untilQueueIsEmpty()
      #expect(second.client.customer == first.client.customer)
      #expect(try second.ledgerCredits.balance() == 10)
      #expect(try await second.client.entitlements().map(\.productId) == [Self.book])
      try await second.close()
    }
  }
}
