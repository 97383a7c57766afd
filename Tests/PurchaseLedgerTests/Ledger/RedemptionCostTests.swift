import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// The statements and round trips of redemptions and spends. A server with PostgreSQL waits once for each round trip.
@Suite("The cost of redemptions and spends", .timeLimit(.minutes(30)))
struct RedemptionCostTests {
  /// A redemption, and its cost.
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let purchases: [ProvenPurchase]
    var names = false
    var isRepeated = false
    let statements: Int
    let roundTrips: Int

    init(
      _ text: String, _ purchases: [ProvenPurchase], names: Bool = false, isRepeated: Bool = false,
      _ statements: Int, _ roundTrips: Int
    ) {
      testDescription = text
      (self.purchases, self.names, self.isRepeated) = (purchases, names, isRepeated)
      (self.statements, self.roundTrips) = (statements, roundTrips)
    }
  }

  private static func typed(_ product: ProductID, _ type: ProductType, _ id: UInt64 = 1) -> ProvenPurchase {
    var purchase = TestLedger.purchase(product, id)
    purchase.type = type
    if type == .autoRenewableSubscription { purchase.expiresDate = purchase.purchaseDate.adding(seconds: 1000) }
    return purchase
  }

  static let scenes: [Scene] = {
    let coins = typed(TestLedger.coins, .consumable)
    let book = typed(TestLedger.book, .nonConsumable)
    let club = typed(TestLedger.club, .autoRenewableSubscription)
    let books = (1...10).map { typed(TestLedger.magazine, .nonConsumable, $0) }
    return [
      Scene("a consumable", [coins], 9, 4),
      Scene("a consumable that names the claimant", [coins], names: true, 9, 4),
      Scene("a consumable once more", [coins], isRepeated: true, 6, 3),
      Scene("a non-consumable", [book], 13, 8), Scene("a non-consumable once more", [book], isRepeated: true, 11, 8),
      Scene("a subscription", [club], 17, 10), Scene("a subscription once more", [club], isRepeated: true, 15, 10),
      Scene("ten non-consumables", books, 82, 25),
      Scene("ten non-consumables once more", books, isRepeated: true, 72, 25),
    ]
  }()

  @Test("B9 a redemption takes this many statements and round trips", arguments: LedgerEngine.allCases, scenes)
  func cost(_ engine: LedgerEngine, _ scene: Scene) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    let ada = try await fixture.identified("ada")
    let purchases = scene.purchases.map { purchase in
      var purchase = purchase
      if scene.names { purchase.appAccountToken = ada.customer.rawValue }
      return purchase
    }
    func redeem() async throws {
      let request = RedemptionRequest.purchases(purchases.map { .init(transactionID: $0.transactionID) })
      let redemption = try await fixture.ledger.redeem(TestLedger.proof(purchases), request, for: ada)
      #expect(redemption.purchases.allSatisfy { $0.outcome.given != nil })
    }
    if scene.isRepeated { try await redeem() }
    let work = try await database.counting { try await redeem() }
    #expect((work.transactions, work.statements, work.roundTrips) == (1, scene.statements, scene.roundTrips))
    try await database.close()
  }

  @Test("a spend takes three round trips, and a repeated one takes two", arguments: LedgerEngine.allCases)
  func spend(_ engine: LedgerEngine) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    func spend() async throws -> [Int] {
      let work = try await database.counting {
        _ = try await fixture.ledger.spend(
          2, of: TestLedger.coin, key: "level 3", customer: ada.customer, app: TestLedger.app)
      }
      return [work.transactions, work.statements, work.roundTrips]
    }
    #expect(try await spend() == [1, 6, 3])
    #expect(try await spend() == [1, 4, 2])
    try await database.close()
  }
}
