import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests which credits were spent: the oldest first (Documentation/app-store-updates.md, "What is sent").
@Suite("Spent credits of a purchase", .timeLimit(.minutes(30)))
struct SpentCreditsTests {
  private static func lots(
    _ movements: [(CreditMovement.Cause, String, Int64)], separating keys: Set<String>
  ) -> CreditLots {
    var lots = CreditLots(separating: keys)
    for (cause, key, amount) in movements { lots.add(cause, key: key, amount: amount) }
    return lots
  }

  /// The movements, and what was spent of the purchases `a` and `b`.
  private static let cases: [(name: String, movements: [(CreditMovement.Cause, String, Int64)], a: Int64, b: Int64)] = [
    ("nothing was spent", [(.purchase, "a", 5), (.purchase, "b", 5)], 0, 0),
    ("the oldest first", [(.purchase, "a", 5), (.purchase, "b", 5), (.spend, "1", -7)], 5, 2),
    ("a grant before", [(.grant, "g", 3), (.purchase, "a", 5), (.purchase, "b", 5), (.spend, "1", -7)], 4, 0),
    ("a grant that is taken back", [(.purchase, "a", 5), (.purchase, "b", 5), (.grant, "g", -6)], 5, 1),
    (
      "a refund takes from its own purchase",
      [(.purchase, "a", 5), (.purchase, "b", 5), (.spend, "1", -2), (.refund, "b@1", -5), (.spend, "2", -3)], 5, 0
    ),
    (
      "what was spent of a refunded purchase is taken from the oldest other one",
      [(.purchase, "a", 5), (.purchase, "b", 5), (.spend, "1", -4), (.refund, "a@1", -5)], 4, 4
    ),
    (
      "a later purchase pays a debt",
      [(.purchase, "a", 5), (.spend, "1", -4), (.refund, "a@1", -5), (.purchase, "b", 5)], 4, 4
    ),
    (
      "a debt that is written off is not paid",
      [(.purchase, "a", 5), (.spend, "1", -4), (.refund, "a@1", -5), (.shortfall, "a@1", 4), (.purchase, "b", 5)], 4, 0
    ),
    (
      "a later purchase has paid what was spent; the reversed refund gives all back to its purchase, as its newest credits",
      [
        (.purchase, "a", 5), (.spend, "1", -2), (.refund, "a@1", -5), (.purchase, "b", 5), (.refundReversed, "a@2", 5),
        (.spend, "2", -3),
      ], 0, 5
    ),
    (
      "a reversed refund whose debt was written off",
      [
        (.purchase, "a", 5), (.spend, "1", -4), (.refund, "a@1", -5), (.shortfall, "a@1", 4),
        (.refundReversed, "a@2", 5),
        (.shortfallReversed, "a@2", -4), (.purchase, "b", 5),
      ], 4, 0
    ),
  ]

  @Test("the oldest credits are spent first, refunds take from their purchase", arguments: cases)
  func table(name: String, movements: [(CreditMovement.Cause, String, Int64)], a: Int64, b: Int64) {
    let lots = Self.lots(movements, separating: ["a", "b"])
    #expect(lots.purchase("a")?.spent == a, "\(name)")
    #expect(lots.purchase("b")?.spent == b, "\(name)")
  }

  @Test("a purchase that is not of interest shares a lot, and takes nothing from the others")
  func merged() {
    let movements: [(CreditMovement.Cause, String, Int64)] =
      (1...1_000).map { (.purchase, "x\($0)", 3) } + [(.purchase, "a", 5), (.spend, "1", -3_002)]
    #expect(Self.lots(movements, separating: ["a"]).purchase("a")?.spent == 2)
  }

  @Test(
    "random purchases, spends, grants, refunds and reversals give what a model with single credits gives",
    arguments: LedgerEngine.allCases, LedgerSettings.RefundPolicy.allCases)
  func random(_ engine: LedgerEngine, _ policy: LedgerSettings.RefundPolicy) async throws {
    let fixture = try await TestLedger.open(engine, LedgerSettings(refundPolicy: policy))
    let (ledger, ada) = (fixture.ledger, try await fixture.identified("ada"))
    var random = SeededGenerator(seed: 20_261_128)
    var refunds: [UInt64: Int64] = [:]
    var purchases: UInt64 = 0
    var stated: Int64 = 1
    for step in 0..<160 {
      let number = purchases == 0 ? 0 : UInt64.random(in: 1...purchases, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2:
        purchases += 1
        let quantity = Int.random(in: 1...3, using: &random)
        var purchase = TestLedger.purchase(TestLedger.coins, purchases)
        purchase.quantity = quantity
        _ = try await fixture.redeem(purchase, for: ada)
      case 3...6:
        let balance = try await fixture.balance(of: ada.customer)
        guard balance > 0 else { continue }
        let amount = Int64.random(in: 1...balance, using: &random)
        // A block of the third policy is lifted.
        _ = try await ledger.liftBlock(
          of: TestLedger.coin, customer: ada.customer, app: TestLedger.app, reason: "test", by: "olga")
        _ = try await ledger.spend(
          amount, of: TestLedger.coin, key: "\(step)", customer: ada.customer, app: TestLedger.app)
      case 7:
        let balance = try await fixture.balance(of: ada.customer)
        let amount: Int64 = balance > 0 && Bool.random(using: &random) ? -1 : 4
        try await ledger.grant(
          .credits(TestLedger.coin, amount), to: ada.customer, app: TestLedger.app, key: "\(step)", reason: "test",
          by: "olga")
      default:
        guard number > 0 else { continue }
        stated += 1
        let percentage = refunds[number] == nil ? Int64.random(in: 1...100_000, using: &random) : nil
        refunds[number] = percentage
        var purchase = TestLedger.purchase(TestLedger.coins, number, refunded: percentage)
        purchase.statesQuantity = false
        try await ledger.recordStatuses(from: TestLedger.proof([purchase], stated: stated))
      }
    }

    var (naive, before): (NaiveCredits, Int64?) = (NaiveCredits(), nil)
    var movements: [CreditMovement] = []
    while true {
      let page = try await ledger.creditMovements(
        of: ada.customer, app: TestLedger.app, unit: TestLedger.coin, before: before, limit: 1_000)
      movements += page
      guard page.count == 1_000, let last = page.last else { break }
      before = last.sequence
    }
    let causes = Set(movements.map(\.cause))
    #expect(causes.isSuperset(of: [.purchase, .spend, .grant, .refund, .refundReversed]), "\(causes)")
    #expect(causes.contains(.shortfall) == (policy != .debt))
    for movement in movements.reversed() { naive.add(movement) }
    #expect(try await fixture.balance(of: ada.customer) == Int64(naive.balance))
    for number in 1...purchases {
      let key = PurchaseKey(app: TestLedger.app, environment: .production, id: TransactionID(number))
      let claim = try #require(try await fixture.database.read { try $0.claim(key) })
      let spent = try await ledger.credits(of: claim)?.spent
      #expect(spent == Int64(naive.spent(of: claim.causeKey)), "purchase \(number)")
    }
  }

  @Test("movements are read in pages", arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let count: Int64 = 2_500
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    try await fixture.database.write(locking: []) { transaction in
      // As many pairs of a grant and a spend, before the last spend.
      for number in 1...count {
        for (place, amount) in [Int64(1), -1].enumerated() {
          try transaction.execute(
            """
            INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
            """, ada.customer, TestLedger.app, TestLedger.coin, 2 * number + Int64(place), amount, amount == 1 ? 6 : 5,
            amount == 1 ? "grants" : "spending", amount == 1 ? "grant" : "spend", "row \(number)")
        }
      }
      try transaction.execute(
        "UPDATE credit_account SET movements = $2 WHERE customer = $1", ada.customer, 2 * count + 1)
    }
    let key = PurchaseKey(app: TestLedger.app, environment: .production, id: TransactionID(1))
    let claim = try #require(try await fixture.database.read { try $0.claim(key) })
    // The five credits of the purchase are older than all grants, so the first five spends took them.
    #expect(try await fixture.ledger.credits(of: claim) == CreditLots.Purchase(given: 5, returned: 0, left: 0))
  }

  @Test("a part is rounded down, and is neither nothing nor everything unless it is that")
  func rounding() {
    for (part, whole, percentage) in [
      (0, 5, 0), (1, 3, 33_333), (2, 3, 66_666), (5, 5, 100_000), (1, 1_000_000_000_000, 1),
      (999_999_999_999, 1_000_000_000_000, 99_999), (1, 100_000, 1), (1, 100_001, 1), (3, 200_000, 1),
    ] as [(Int64, Int64, Int64)] {
      #expect(ConsumptionShare.percentage(part, of: whole) == percentage, "\(part) of \(whole)")
    }
  }
}
