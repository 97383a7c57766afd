import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An emulated store that sells bookStore, with a clock that stands still.
struct BookStore: EmulatedShop {
  static let app: BundleID = "com.example.reader"
  static let otherApp: BundleID = "com.example.player"
  /// A consumable for which the server grants five coins.
  static let coins: ProductID = "com.example.reader.coins"
  /// A non-consumable, with files.
  static let book: ProductID = "com.example.reader.book"
  /// A non-consumable, with one small file.
  static let poem: ProductID = "com.example.reader.poem"
  /// A non-consumable, without files.
  static let magazine: ProductID = "com.example.reader.magazine"
  /// A monthly subscription.
  static let club: ProductID = "com.example.reader.club"
  /// A product that the store sells but the server does not know.
  static let draft: ProductID = "com.example.reader.draft"
  /// A consumable that the server lists as a non-consumable.
  static let sticker: ProductID = "com.example.reader.sticker"
  /// 2026-07-01T12:00:00Z
  static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_000)

  let store: EmulatedAppStore
  let clock = ManualClock(BookStore.opening)

  init() async throws {
    store = try EmulatedAppStore(
      EmulatedAppStore.Configuration(directory: nil, keyDirectory: nil, wallClock: clock, seed: 11))
    let products = [
      ProductDefinition(productID: Self.coins, type: .consumable, price: Milliunits(990)),
      ProductDefinition(productID: Self.book, type: .nonConsumable, price: Milliunits(9_990)),
      ProductDefinition(productID: Self.poem, type: .nonConsumable, price: Milliunits(490)),
      ProductDefinition(productID: Self.draft, type: .nonConsumable, price: Milliunits(1_990)),
      ProductDefinition(productID: Self.sticker, type: .consumable, price: Milliunits(1_000)),
      ProductDefinition(productID: Self.magazine, type: .nonConsumable, price: Milliunits(2_990)),
      ProductDefinition(
        productID: Self.club, type: .autoRenewableSubscription, price: Milliunits(3_990),
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: try #require(CalendarPeriod(iso8601: "P1M")), offers: [])),
    ]
    for app in [Self.app, Self.otherApp] { _ = try await store.serve(app, catalog: [Self.file(products)]) }
  }

  typealias Phone = ShopPhone
  typealias Purchase = PurchaseProofs

  func buy(
    _ product: ProductID = BookStore.coins, quantity: Int = 1, as payment: PaymentID = "payment 1",
    for customer: String? = nil, on phone: Phone
  ) async throws -> Purchase {
    try await proofs(ofBuying: product, quantity: quantity, as: payment, username: customer, on: phone)
  }
}
