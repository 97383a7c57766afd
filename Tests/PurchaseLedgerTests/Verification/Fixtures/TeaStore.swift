import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An emulated store that sells tea, with a clock that stands still.
struct TeaStore: EmulatedShop {
  static let app: BundleID = "org.example.teahouse"
  static let otherApp: BundleID = "org.example.coffeehouse"
  /// A consumable.
  static let oolong: ProductID = "org.example.teahouse.oolong"
  /// A non-consumable.
  static let teapot: ProductID = "org.example.teahouse.teapot"
  /// A monthly subscription.
  static let monthly: ProductID = "org.example.teahouse.club.monthly"
  /// 2026-07-01T12:00:00.250Z
  static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_250)

  let store: EmulatedAppStore
  let clock: ManualClock

  init(seed: UInt64 = 7, keyDirectory: URL? = nil, opening: StoreDate = TeaStore.opening) async throws {
    clock = ManualClock(opening)
    store = try EmulatedAppStore(
      EmulatedAppStore.Configuration(directory: nil, keyDirectory: keyDirectory, wallClock: clock, seed: seed))
    let products = [
      ProductDefinition(productID: Self.oolong, type: .consumable, price: Milliunits(1_990)),
      ProductDefinition(productID: Self.teapot, type: .nonConsumable, price: Milliunits(24_000)),
      ProductDefinition(
        productID: Self.monthly, type: .autoRenewableSubscription, price: Milliunits(5_000),
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: try #require(CalendarPeriod(iso8601: "P1M")), offers: [])),
    ]
    for app in [Self.app, Self.otherApp] { _ = try await store.serve(app, catalog: [Self.file(products)]) }
  }

  typealias Phone = ShopPhone
  typealias Purchase = PurchaseProofs

  func buy(
    _ product: ProductID = TeaStore.oolong, quantity: Int = 1, as payment: PaymentID = "payment 1",
    username: String? = nil, on phone: Phone
  ) async throws -> Purchase {
    try await proofs(ofBuying: product, quantity: quantity, as: payment, username: username, on: phone)
  }
}
