import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("A purchase that is refunded before it is redeemed", .timeLimit(.minutes(10)))
struct RefundBeforeGivingTests {
  private let settings = LedgerSettings(reverificationSeconds: 3600)

  @Test(
    "B4 its refusal leaves a claim and its proof, so that the reversal of the refund gives the goods",
    arguments: LedgerEngine.allCases)
  func reversed(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, settings)
    let ada = try await desk.identified("ada")
    for (id, product) in [(1, LedgerDesk.coins), (2, LedgerDesk.book)] {
      let refunded = LedgerDesk.purchase(product, UInt64(id), refunded: 100_000)
      #expect(try await desk.redeem(refunded, stated: 10, for: ada).refusal == .refunded(LedgerDesk.start))
    }
    #expect(try await desk.balance(of: ada.customer) == 0)
    #expect(try await desk.owned(by: ada.customer) == [])
    desk.clock.advance(seconds: 3600)
    #expect(try await desk.ledger.takeDueProofs().map(\.customer) == [ada.customer])

    let standing = [LedgerDesk.purchase(LedgerDesk.coins, 1), LedgerDesk.purchase(LedgerDesk.book, 2)]
    #expect(try await desk.ledger.learn(from: LedgerDesk.proof(standing, stated: 20)) == 2)

    #expect(try await desk.balance(of: ada.customer) == 5)
    #expect(try await desk.owned(by: ada.customer) == [LedgerDesk.book])
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app).count == 1)
    try await desk.checkBooks()
  }

  @Test(
    "Refunds, reversals and redemptions in any order end as the newest statement says",
    arguments: LedgerEngine.allCases, LedgerSettings.RefundPolicy.allCases)
  func anyOrder(_ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy) async throws {
    var generator = SeededGenerator(seed: 15)
    for round in 0..<12 {
      let desk = try await LedgerDesk.open(engine, LedgerSettings(refundPolicy: policy))
      let ada = try await desk.identified("ada")
      // The refunded share by the date of the status. The redemption uses any of them.
      var statements: [(stated: Int64, refunded: Int64?)] = [
        (1, nil), (2, 100_000), (3, nil), (4, 50_000), (5, 100_000),
      ]
      if round.isMultiple(of: 2) { statements.append((6, nil)) }
      statements.shuffle(using: &generator)
      for (place, statement) in statements.enumerated() {
        let coins = LedgerDesk.purchase(LedgerDesk.coins, 1, refunded: statement.refunded)
        if place == 0 || Bool.random(using: &generator) {
          _ = try await desk.redeem(coins, stated: statement.stated, for: ada)
        } else {
          try await desk.ledger.learn(from: LedgerDesk.proof([coins], stated: statement.stated))
        }
      }
      #expect(try await desk.balance(of: ada.customer) == (round.isMultiple(of: 2) ? 5 : 0))
      try await desk.checkBooks()
    }
  }
}
