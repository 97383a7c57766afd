import Foundation
import GRDB
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// A store with one app that sells tea. Its clock stands still and it has a seed, so all its results are repeatable.
struct TeaShop: EmulatedShop {
  static let app: BundleID = "org.example.teahouse"
  /// A consumable for 1.99.
  static let oolong: ProductID = "org.example.teahouse.oolong"
  /// A consumable for 0.75, and for 0.80 in Germany.
  static let sencha: ProductID = "org.example.teahouse.sencha"
  /// A non-consumable for 24.
  static let teapot: ProductID = "org.example.teahouse.teapot"
  /// 2026-07-01T12:00:00.250Z
  static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_250)
  static let customer: AccountName = "customer"

  let store: EmulatedAppStore
  let clock: ManualClock

  /// Opens the shop. A new store gets the usual catalog.
  init(
    seed: UInt64 = 7, directory: URL? = nil, keyDirectory: URL? = nil, opening: StoreDate = TeaShop.opening,
    rate: Double = 1, sleep: (@Sendable (Duration) async -> Void)? = nil,
    report: @escaping @Sendable (StoreProblem) -> Void = { _ in }
  ) async throws {
    let clock = ManualClock(opening)
    self.clock = clock
    let machine: any MachineClock = sleep.map { ScriptedClock(date: { clock.now }, sleep: $0) } ?? clock
    var configuration = EmulatedAppStore.Configuration(
      directory: directory, keyDirectory: keyDirectory, wallClock: machine, timeRate: rate, seed: seed)
    configuration.report = report
    store = try EmulatedAppStore(configuration)
    if try await store.apps().isEmpty { try await sell(Self.catalog()) }
  }

  func sell(_ products: [ProductDefinition], storefront: String? = nil) async throws {
    try await store.serve(Self.app, catalog: [Self.file(products, storefront: storefront)])
  }

  static func catalog(oolongPrice: Int64 = 1990) -> [ProductDefinition] {
    [
      ProductDefinition(
        productID: oolong, referenceName: "Oolong", type: .consumable, price: Milliunits(oolongPrice),
        localizations: [.init(locale: "en_US", displayName: "A pot of oolong", description: "Warm")]),
      ProductDefinition(
        productID: sencha, type: .consumable, price: Milliunits(750), prices: ["DEU": Milliunits(800)],
        localizations: [
          .init(locale: "en_US", displayName: "Sencha", description: "Green"),
          .init(locale: "de_DE", displayName: "Sencha-Tee", description: "Grün"),
        ]),
      ProductDefinition(productID: teapot, type: .nonConsumable, price: Milliunits(24_000)),
    ]
  }

  /// Returns all rows of all tables. If two results are equal, nothing was changed between the calls.
  func records() async throws -> [String: [String]] {
    try await store.database.read { work in
      let database = work.database
      let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
      return try Dictionary(
        uniqueKeysWithValues: tables.map { table in
          (table, try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"").map(\.description))
        })
    }
  }
}
