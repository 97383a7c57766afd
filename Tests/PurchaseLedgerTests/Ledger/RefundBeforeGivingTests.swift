import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("A purchase that is refunded before it is redeemed", .timeLimit(.minutes(30)))
struct RefundBeforeGivingTests {
  private let settings = LedgerSettings(reverificationSeconds: 3600)

  @Test(
    "B4 the refused purchase has a claim and a proof, so that a reversal of the refund grants the goods",
    arguments: LedgerEngine.allCases)
  func reversed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    for (id, product) in [(1, TestLedger.coins), (2, TestLedger.book)] {
      let refunded = TestLedger.purchase(product, UInt64(id), refunded: 100_000)
      #expect(try await fixture.redeem(refunded, stated: 10, for: ada).refusal == .refunded(TestLedger.start))
    }
    #expect(try await fixture.balance(of: ada.customer) == 0)
    #expect(try await fixture.owned(by: ada.customer) == [])
    fixture.clock.advance(seconds: 3600)
    #expect(try await fixture.ledger.takeDueProofs().map(\.customer) == [ada.customer])

    let unrevoked = [TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.book, 2)]
    #expect(try await fixture.ledger.recordStatuses(from: TestLedger.proof(unrevoked, stated: 20)).claims == 2)

    #expect(try await fixture.balance(of: ada.customer) == 5)
    #expect(try await fixture.owned(by: ada.customer) == [TestLedger.book])
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app).count == 1)
    try await fixture.checkBalances()
  }

  @Test(
    "Refunds, reversals and redemptions in any order end in the newest revocation status",
    arguments: LedgerEngine.allCases, LedgerSettings.RefundPolicy.allCases)
  func anyOrder(_ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy) async throws {
    var generator = SeededGenerator(seed: 15)
    for round in 0..<12 {
      let fixture = try await TestLedger.open(engine, LedgerSettings(refundPolicy: policy))
      let ada = try await fixture.identified("ada")
      // The refunded share by the date of the status. The redemption uses any of them.
      var statements: [(stated: Int64, refunded: Int64?)] = [
        (1, nil), (2, 100_000), (3, nil), (4, 50_000), (5, 100_000),
      ]
      if round.isMultiple(of: 2) { statements.append((6, nil)) }
      statements.shuffle(using: &generator)
      for (place, statement) in statements.enumerated() {
        let coins = TestLedger.purchase(TestLedger.coins, 1, refunded: statement.refunded)
        if place == 0 || Bool.random(using: &generator) {
          _ = try await fixture.redeem(coins, stated: statement.stated, for: ada)
        } else {
          try await fixture.ledger.recordStatuses(from: TestLedger.proof([coins], stated: statement.stated))
        }
      }
      #expect(try await fixture.balance(of: ada.customer) == (round.isMultiple(of: 2) ? 5 : 0))
      try await fixture.checkBalances()
    }
  }
}
