import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct LedgerRefundTests {
  /// Redeems five coins, spends some, and learns of a refund.
  private func refund(
    _ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy, spent: Int64, percentage: Int64 = 100_000
  ) async throws -> (LedgerDesk, CustomerID) {
    let desk = try await LedgerDesk.open(engine, LedgerSettings(refundPolicy: policy))
    let ada = try await desk.identified("ada")
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: ada)
    if spent > 0 {
      _ = try await desk.ledger.spend(
        spent, of: LedgerDesk.coin, key: "one", customer: ada.customer, app: LedgerDesk.app)
    }
    try await learn(desk, refunded: percentage, stated: 10)
    return (desk, ada.customer)
  }

  private func learn(_ desk: LedgerDesk, refunded percentage: Int64?, stated: Int64) async throws {
    let purchase = LedgerDesk.purchase(LedgerDesk.coins, 1, refunded: percentage)
    #expect(try await desk.ledger.learn(from: LedgerDesk.proof([purchase], stated: stated)) == 1)
    try await desk.checkBooks()
  }

  private func causes(_ desk: LedgerDesk, _ customer: CustomerID) async throws -> [CreditMovement.Cause] {
    try await desk.ledger.creditMovements(of: customer, app: LedgerDesk.app, unit: LedgerDesk.coin).map(\.cause)
  }

  @Test("A refund takes back what was given; learnt again, nothing more", arguments: LedgerEngine.allCases)
  func full(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .debt, spent: 0)
    try await learn(desk, refunded: 100_000, stated: 11)

    #expect(try await desk.balance(of: ada) == 0)
    #expect(try await causes(desk, ada) == [.refund, .purchase])
  }

  @Test(
    "Spent credits that are refunded are owed, and the next purchase pays them off", arguments: LedgerEngine.allCases)
  func debt(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .debt, spent: 3)
    #expect(try await desk.balance(of: ada) == -3)
    await #expect(throws: LedgerError.insufficientCredits(balance: -3, requested: 1)) {
      try await desk.ledger.spend(1, of: LedgerDesk.coin, key: "two", customer: ada, app: LedgerDesk.app)
    }

    _ = try await desk.redeem(
      LedgerDesk.purchase(LedgerDesk.coins, 2), for: Claimant(customer: ada, isIdentified: true))

    #expect(try await desk.balance(of: ada) == 2)
  }

  @Test("Spent credits that are refunded are written off, and the books say so", arguments: LedgerEngine.allCases)
  func shortfall(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .shortfall, spent: 3)

    #expect(try await desk.balance(of: ada) == 0)
    #expect(try await causes(desk, ada) == [.shortfall, .refund, .spend, .purchase])
    let account = try await desk.database.read { transaction in
      try transaction.row("SELECT balance FROM ledger_balance WHERE account = 'shortfall'")?.integer("balance")
    }
    #expect(account == -3)
  }

  @Test("Spending is blocked until an operator lifts it", arguments: LedgerEngine.allCases)
  func block(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .block, spent: 3)
    _ = try await desk.redeem(
      LedgerDesk.purchase(LedgerDesk.coins, 2), for: Claimant(customer: ada, isIdentified: true))
    await #expect(throws: LedgerError.spendingBlocked) {
      try await desk.ledger.spend(1, of: LedgerDesk.coin, key: "two", customer: ada, app: LedgerDesk.app)
    }

    let isLifted = try await desk.ledger.liftBlock(
      of: LedgerDesk.coin, customer: ada, app: LedgerDesk.app, reason: "a word with them", by: "olga")

    #expect(isLifted)
    let spent = try await desk.ledger.spend(1, of: LedgerDesk.coin, key: "two", customer: ada, app: LedgerDesk.app)
    #expect(spent.movement.balance == 4)
  }

  @Test(
    "A refund that is taken back leaves everything as it was, by every policy",
    arguments: LedgerEngine.allCases, LedgerSettings.RefundPolicy.allCases)
  func takenBack(_ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy) async throws {
    let (desk, ada) = try await refund(engine, policy, spent: 3)

    try await learn(desk, refunded: nil, stated: 20)

    #expect(try await desk.balance(of: ada) == 2)
    let spent = try await desk.ledger.spend(2, of: LedgerDesk.coin, key: "two", customer: ada, app: LedgerDesk.app)
    #expect(spent.movement.balance == 0)
  }

  @Test("Spending stays blocked while another refund has left something", arguments: LedgerEngine.allCases)
  func twoBlocks(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .block, spent: 3)
    let claimant = Claimant(customer: ada, isIdentified: true)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), for: claimant)
    _ = try await desk.ledger.liftBlock(
      of: LedgerDesk.coin, customer: ada, app: LedgerDesk.app, reason: "once", by: "olga")
    _ = try await desk.ledger.spend(5, of: LedgerDesk.coin, key: "two", customer: ada, app: LedgerDesk.app)
    let second = LedgerDesk.purchase(LedgerDesk.coins, 2, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([second], stated: 30))

    try await learn(desk, refunded: nil, stated: 40)

    #expect(try await desk.ledger.creditBalances(of: ada, app: LedgerDesk.app).credits.first?.isSpendingBlocked == true)
    try await desk.ledger.learn(from: LedgerDesk.proof([LedgerDesk.purchase(LedgerDesk.coins, 2)], stated: 50))
    #expect(
      try await desk.ledger.creditBalances(of: ada, app: LedgerDesk.app).credits.first?.isSpendingBlocked == false)
    try await desk.checkBooks()
  }

  @Test(
    "What an operator has forgiven does not block again when another refund comes and goes",
    arguments: LedgerEngine.allCases)
  func forgiven(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .block, spent: 3)
    try await desk.ledger.liftBlock(of: LedgerDesk.coin, customer: ada, app: LedgerDesk.app, reason: "once", by: "olga")
    let claimant = Claimant(customer: ada, isIdentified: true)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), for: claimant)
    _ = try await desk.ledger.spend(5, of: LedgerDesk.coin, key: "two", customer: ada, app: LedgerDesk.app)
    func isBlocked() async throws -> Bool? {
      try await desk.ledger.creditBalances(of: ada, app: LedgerDesk.app).credits.first?.isSpendingBlocked
    }

    let second = LedgerDesk.purchase(LedgerDesk.coins, 2, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([second], stated: 30))
    #expect(try await isBlocked() == true)
    try await desk.ledger.learn(from: LedgerDesk.proof([LedgerDesk.purchase(LedgerDesk.coins, 2)], stated: 40))

    #expect(try await isBlocked() == false)
    try await desk.checkBooks()
  }

  @Test(
    "A statement that does not say how much was refunded leaves what is known of it", arguments: LedgerEngine.allCases)
  func unknownShare(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await refund(engine, .debt, spent: 0, percentage: 20_000)
    var purchase = LedgerDesk.purchase(LedgerDesk.coins, 1)
    purchase.revocation = ProvenPurchase.Revocation(date: LedgerDesk.start)

    try await desk.ledger.learn(from: LedgerDesk.proof([purchase], stated: 20))
    #expect(try await desk.balance(of: ada) == 4)

    // A reversal deletes the known share. A refund of an unknown share then counts as a full refund.
    try await learn(desk, refunded: nil, stated: 30)
    try await desk.ledger.learn(from: LedgerDesk.proof([purchase], stated: 40))
    #expect(try await desk.balance(of: ada) == 0)
    try await desk.checkBooks()
  }

  @Test(
    "A refund that somebody else's proof shows ends what the owner has, and one taken back gives it again",
    arguments: LedgerEngine.allCases)
  func shownByAnother(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)

    let refunded = LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000)
    let outcome = try await desk.redeem(refunded, stated: 5, for: ben)

    #expect(outcome.refusal == .claimedByAnotherCustomer)
    #expect(try await desk.owned(by: ada.customer) == [])
    // Another customer's proof of the refund's reversal takes effect as well.
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), stated: 6, for: ben)
    #expect(try await desk.owned(by: ada.customer) == [LedgerDesk.book])
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app).count == 1)
  }

  @Test(
    "Part of a refund takes whole credits, rounded down; more of it takes the rest; less gives back",
    arguments: LedgerEngine.allCases)
  func partial(_ engine: LedgerEngine) async throws {
    // 50 % of five credits are two and a half.
    let (desk, ada) = try await refund(engine, .debt, spent: 0, percentage: 50_000)
    #expect(try await desk.balance(of: ada) == 3)

    try await learn(desk, refunded: 100_000, stated: 20)
    #expect(try await desk.balance(of: ada) == 0)

    try await learn(desk, refunded: 20_000, stated: 30)
    #expect(try await desk.balance(of: ada) == 4)
  }

  @Test(
    "A refund that is known before the purchase: the proof is answered refunded, in whatever order they come",
    arguments: LedgerEngine.allCases)
  func before(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let refunded = LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000)
    #expect(try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 10)) == 0)

    #expect(try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), stated: 5, for: ada).refusal != nil)
    #expect(try await desk.owned(by: ada.customer) == [])
    // This proof is newer than the refund and shows its reversal.
    #expect(try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), stated: 15, for: ada).given != nil)
    #expect(try await desk.owned(by: ada.customer) == [LedgerDesk.book])
  }

  @Test("What the store said earlier does not undo what it said later", arguments: LedgerEngine.allCases)
  func order(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    let goods = try #require(try await desk.redeem(book, stated: 5, for: ada).given)
    let refunded = LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 20))

    #expect(try await desk.redeem(book, stated: 10, for: ada).refusal == .refunded(LedgerDesk.start))
    await #expect(throws: LedgerError.deliveryEnded) {
      try await desk.ledger.delivery(try #require(goods.delivery))
    }
    let again = try #require(try await desk.redeem(book, stated: 30, for: ada).given)
    #expect(again.entitlement?.ended == nil)
    #expect(again.delivery != goods.delivery)
  }

  @Test("A consumable that was partly refunded before it is redeemed gives the rest", arguments: LedgerEngine.allCases)
  func partlyRefundedBefore(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")

    let outcome = try await desk.redeem(
      LedgerDesk.purchase(LedgerDesk.coins, 1, quantity: 2, refunded: 40_000), for: ada)

    #expect(outcome.given?.credits?.amount == 10)
    #expect(try await desk.balance(of: ada.customer) == 6)
    try await desk.checkBooks()
  }
}
