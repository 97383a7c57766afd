import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct LedgerRefundTests {
  /// Redeems five coins, spends some, and records a refund.
  private func refund(
    _ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy, spent: Int64, percentage: Int64 = 100_000
  ) async throws -> (TestLedger, CustomerID) {
    let fixture = try await TestLedger.open(engine, LedgerSettings(refundPolicy: policy))
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    if spent > 0 {
      _ = try await fixture.ledger.spend(
        spent, of: TestLedger.coin, key: "one", customer: ada.customer, app: TestLedger.app)
    }
    try await recordRefund(fixture, refunded: percentage, stated: 10)
    return (fixture, ada.customer)
  }

  private func recordRefund(_ fixture: TestLedger, refunded percentage: Int64?, stated: Int64) async throws {
    let purchase = TestLedger.purchase(TestLedger.coins, 1, refunded: percentage)
    #expect(try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: stated)).claims == 1)
    try await fixture.checkBalances()
  }

  private func causes(_ fixture: TestLedger, _ customer: CustomerID) async throws -> [CreditMovement.Cause] {
    try await fixture.ledger.creditMovements(of: customer, app: TestLedger.app, unit: TestLedger.coin).map(\.cause)
  }

  @Test("A refund ends what was granted; recorded again, it changes nothing", arguments: LedgerEngine.allCases)
  func full(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .debt, spent: 0)
    try await recordRefund(fixture, refunded: 100_000, stated: 11)

    #expect(try await fixture.balance(of: ada) == 0)
    #expect(try await causes(fixture, ada) == [.refund, .purchase])
  }

  @Test(
    "G6 a refund with the date of the purchase's status is recorded, a reversal needs a later date",
    arguments: LedgerEngine.allCases)
  func sameDate(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .debt, spent: 0, percentage: 40_000)
    #expect(try await fixture.balance(of: ada) == 3)
    let other = try await fixture.identified("ben").customer
    _ = try await fixture.redeem(
      TestLedger.purchase(TestLedger.coins, 2), stated: 10, for: Claimant(customer: other, isIdentified: true))

    for (refunded, stated, balance) in [(100_000, 10, 0), (nil, 10, 0), (nil, 11, 5)] as [(Int64?, Int64, Int64)] {
      let purchase = TestLedger.purchase(TestLedger.coins, 2, refunded: refunded)
      try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: stated))
      #expect(try await fixture.balance(of: other) == balance)
    }
    // The percentage of a stored refund does not change by a status of the same date.
    try await recordRefund(fixture, refunded: 100_000, stated: 10)
    #expect(try await fixture.balance(of: ada) == 3)
  }

  @Test(
    "Spent credits that are refunded become a debt, and the next purchase reduces it", arguments: LedgerEngine.allCases)
  func debt(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .debt, spent: 3)
    #expect(try await fixture.balance(of: ada) == -3)
    await #expect(throws: LedgerError.insufficientCredits(balance: -3, requested: 1)) {
      try await fixture.ledger.spend(1, of: TestLedger.coin, key: "two", customer: ada, app: TestLedger.app)
    }

    _ = try await fixture.redeem(
      TestLedger.purchase(TestLedger.coins, 2), for: Claimant(customer: ada, isIdentified: true))

    #expect(try await fixture.balance(of: ada) == 2)
  }

  @Test("Spent credits that are refunded are written off, and recorded as such", arguments: LedgerEngine.allCases)
  func shortfall(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .shortfall, spent: 3)

    #expect(try await fixture.balance(of: ada) == 0)
    #expect(try await causes(fixture, ada) == [.shortfall, .refund, .spend, .purchase])
    let account = try await fixture.database.read { transaction in
      try transaction.row("SELECT balance FROM ledger_balance WHERE account = 'shortfall'")?.integer("balance")
    }
    #expect(account == -3)
  }

  @Test("Spending is blocked until an operator lifts the block", arguments: LedgerEngine.allCases)
  func block(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .block, spent: 3)
    _ = try await fixture.redeem(
      TestLedger.purchase(TestLedger.coins, 2), for: Claimant(customer: ada, isIdentified: true))
    await #expect(throws: LedgerError.spendingBlocked) {
      try await fixture.ledger.spend(1, of: TestLedger.coin, key: "two", customer: ada, app: TestLedger.app)
    }

    let isLifted = try await fixture.ledger.liftBlock(
      of: TestLedger.coin, customer: ada, app: TestLedger.app, reason: "a word with them", by: "olga")

    #expect(isLifted)
    let spent = try await fixture.ledger.spend(1, of: TestLedger.coin, key: "two", customer: ada, app: TestLedger.app)
    #expect(spent.movement.balance == 4)
  }

  @Test(
    "A reversed refund restores the previous state, by every policy",
    arguments: LedgerEngine.allCases, LedgerSettings.RefundPolicy.allCases)
  func takenBack(_ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy) async throws {
    let (fixture, ada) = try await refund(engine, policy, spent: 3)

    try await recordRefund(fixture, refunded: nil, stated: 20)

    #expect(try await fixture.balance(of: ada) == 2)
    let spent = try await fixture.ledger.spend(2, of: TestLedger.coin, key: "two", customer: ada, app: TestLedger.app)
    #expect(spent.movement.balance == 0)
  }

  @Test("Spending stays blocked while another refund has a shortfall", arguments: LedgerEngine.allCases)
  func twoBlocks(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .block, spent: 3)
    let claimant = Claimant(customer: ada, isIdentified: true)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), for: claimant)
    _ = try await fixture.ledger.liftBlock(
      of: TestLedger.coin, customer: ada, app: TestLedger.app, reason: "once", by: "olga")
    _ = try await fixture.ledger.spend(5, of: TestLedger.coin, key: "two", customer: ada, app: TestLedger.app)
    let second = TestLedger.purchase(TestLedger.coins, 2, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([second], stated: 30))

    try await recordRefund(fixture, refunded: nil, stated: 40)

    #expect(
      try await fixture.ledger.creditBalances(of: ada, app: TestLedger.app).credits.first?.isSpendingBlocked == true)
    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof([TestLedger.purchase(TestLedger.coins, 2)], stated: 50))
    #expect(
      try await fixture.ledger.creditBalances(of: ada, app: TestLedger.app).credits.first?.isSpendingBlocked == false)
    try await fixture.checkBalances()
  }

  @Test(
    "A block that an operator lifted does not return when another refund is made and reversed",
    arguments: LedgerEngine.allCases)
  func forgiven(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .block, spent: 3)
    try await fixture.ledger.liftBlock(
      of: TestLedger.coin, customer: ada, app: TestLedger.app, reason: "once", by: "olga")
    let claimant = Claimant(customer: ada, isIdentified: true)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), for: claimant)
    _ = try await fixture.ledger.spend(5, of: TestLedger.coin, key: "two", customer: ada, app: TestLedger.app)
    func isBlocked() async throws -> Bool? {
      try await fixture.ledger.creditBalances(of: ada, app: TestLedger.app).credits.first?.isSpendingBlocked
    }

    let second = TestLedger.purchase(TestLedger.coins, 2, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([second], stated: 30))
    #expect(try await isBlocked() == true)
    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof([TestLedger.purchase(TestLedger.coins, 2)], stated: 40))

    #expect(try await isBlocked() == false)
    try await fixture.checkBalances()
  }

  @Test(
    "A revocation without a percentage keeps the stored percentage", arguments: LedgerEngine.allCases)
  func unknownShare(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await refund(engine, .debt, spent: 0, percentage: 20_000)
    var purchase = TestLedger.purchase(TestLedger.coins, 1)
    purchase.revocation = ProvenPurchase.Revocation(date: TestLedger.start)

    try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: 20))
    #expect(try await fixture.balance(of: ada) == 4)

    // A reversal deletes the known share. A refund of an unknown share then counts as a full refund.
    try await recordRefund(fixture, refunded: nil, stated: 30)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([purchase], stated: 40))
    #expect(try await fixture.balance(of: ada) == 0)
    try await fixture.checkBalances()
  }

  @Test(
    "A refund in another customer's proof ends the owner's goods, and its reversal grants them again",
    arguments: LedgerEngine.allCases)
  func shownByAnother(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)

    let refunded = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    let outcome = try await fixture.redeem(refunded, stated: 5, for: ben)

    #expect(outcome.refusal == .claimedByAnotherCustomer)
    #expect(try await fixture.owned(by: ada.customer) == [])
    // Another customer's proof of the refund's reversal takes effect as well.
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), stated: 6, for: ben)
    #expect(try await fixture.owned(by: ada.customer) == [TestLedger.book])
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app).count == 1)
  }

  @Test(
    "A partial refund removes whole credits, rounded down; a larger one removes the rest; a smaller one returns some",
    arguments: LedgerEngine.allCases)
  func partial(_ engine: LedgerEngine) async throws {
    // 50 % of five credits are two and a half.
    let (fixture, ada) = try await refund(engine, .debt, spent: 0, percentage: 50_000)
    #expect(try await fixture.balance(of: ada) == 3)

    try await recordRefund(fixture, refunded: 100_000, stated: 20)
    #expect(try await fixture.balance(of: ada) == 0)

    try await recordRefund(fixture, refunded: 20_000, stated: 30)
    #expect(try await fixture.balance(of: ada) == 4)
  }

  @Test(
    "A refund that is known before the purchase: the proof is refused as refunded, in any order",
    arguments: LedgerEngine.allCases)
  func before(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let refunded = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    #expect(try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 10)).claims == 0)

    #expect(try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), stated: 5, for: ada).refusal != nil)
    #expect(try await fixture.owned(by: ada.customer) == [])
    // This proof is newer than the refund and shows its reversal.
    #expect(try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), stated: 15, for: ada).given != nil)
    #expect(try await fixture.owned(by: ada.customer) == [TestLedger.book])
  }

  @Test("An older answer of the store does not replace a newer one", arguments: LedgerEngine.allCases)
  func order(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let book = TestLedger.purchase(TestLedger.book, 1)
    let goods = try #require(try await fixture.redeem(book, stated: 5, for: ada).given)
    let refunded = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 20))

    #expect(try await fixture.redeem(book, stated: 10, for: ada).refusal == .refunded(TestLedger.start))
    await #expect(throws: LedgerError.deliveryEnded) {
      try await fixture.ledger.delivery(try #require(goods.delivery))
    }
    let again = try #require(try await fixture.redeem(book, stated: 30, for: ada).given)
    #expect(again.entitlement?.ended == nil)
    #expect(again.delivery != goods.delivery)
  }

  @Test(
    "A consumable that was partly refunded before its redemption grants the remaining credits",
    arguments: LedgerEngine.allCases)
  func partlyRefundedBefore(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")

    let outcome = try await fixture.redeem(
      TestLedger.purchase(TestLedger.coins, 1, quantity: 2, refunded: 40_000), for: ada)

    #expect(outcome.given?.credits?.amount == 10)
    #expect(try await fixture.balance(of: ada.customer) == 6)
    try await fixture.checkBalances()
  }
}
