import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Periods of subscriptions that another plan replaced before their end.
@Suite("Upgraded periods", .timeLimit(.minutes(30)))
struct UpgradedPeriodTests {
  private static let plans = ["bronze", "silver", "gold"].map { ProductID("com.example.reader.club.\($0)") }
  private static let day: Int64 = 86_400

  private static func date(_ seconds: Int64) -> StoreDate { TestLedger.start.adding(seconds: seconds) }

  private func open(_ engine: LedgerEngine) async throws -> TestLedger {
    let fixture = try await TestLedger.open(engine)
    for plan in Self.plans {
      try await fixture.ledger.publish(
        LedgerProduct(id: plan, type: .autoRenewableSubscription), app: TestLedger.app, by: "olga")
    }
    return fixture
  }

  /// A period as it was in truth.
  private struct Period {
    let id: UInt64
    let original: UInt64
    let product: ProductID
    let purchased: Int64
    let expires: Int64
    /// When the next plan was bought; nil if the period was not replaced.
    let replaced: Int64?
    var refunded: Int64?

    var end: Int64 { replaced ?? expires }

    /// What the store states about it at a date.
    func stated(at seconds: Int64) -> ProvenPurchase {
      var purchase = TestLedger.purchase(product, id, original: original)
      (purchase.type, purchase.purchaseDate) = (.autoRenewableSubscription, date(purchased))
      purchase.originalPurchaseDate = date(0)
      purchase.isUpgraded = replaced.map { $0 <= seconds } ?? false
      purchase.expiresDate = date(purchase.isUpgraded ? min(expires, seconds) : expires)
      if let refunded, refunded <= seconds { purchase.revocation = .init(date: date(refunded)) }
      return purchase
    }
  }

  /// The ends of a claim's periods, in seconds after the start.
  private func ends(of original: UInt64, _ fixture: TestLedger) async throws -> [String: Int64] {
    try await fixture.database.read { transaction in
      try transaction.rows("SELECT id, access_until FROM claim_period WHERE claim = $1", "\(original)").reduce(into: [:]
      ) {
        $0[try $1.text("id")] =
          (try $1.integer("access_until") - TestLedger.start.millisecondsSince1970) / 1_000
      }
    }
  }

  @Test(
    "an upgraded period that is read late ends when the next plan was bought, and gives no access after it",
    arguments: LedgerEngine.allCases, [false, true])
  func readLate(_ engine: LedgerEngine, isNextPlanFirst: Bool) async throws {
    let fixture = try await open(engine)
    let ada = try await fixture.identified("ada")
    let old = Period(
      id: 1, original: 1, product: Self.plans[0], purchased: 0, expires: 30 * Self.day, replaced: 5 * Self.day)
    let new = Period(
      id: 2, original: 1, product: Self.plans[2], purchased: 5 * Self.day, expires: 35 * Self.day, replaced: nil,
      refunded: 8 * Self.day)
    _ = try await fixture.redeem(old.stated(at: 1), stated: 1, for: ada)
    // Both are read when the upgrade was refunded.
    let late = [(old, 20 * Self.day), (new, 9 * Self.day)]
    for (period, seconds) in isNextPlanFirst ? late.reversed() : late {
      try await fixture.ledger.recordStatuses(from: TestLedger.proof([period.stated(at: seconds)], stated: seconds))
    }
    #expect(try await ends(of: 1, fixture) == ["1": 5 * Self.day, "2": 35 * Self.day])
    fixture.clock.advance(seconds: 10 * Self.day)
    #expect(try await fixture.owned(by: ada.customer) == [])
  }

  /// A subscription with some upgrades, renewals and refunds.
  private static func history(original: UInt64, _ random: inout SeededGenerator) -> [Period] {
    var (periods, begun, plan): ([Period], Int64, Int) = ([], 0, 0)
    for number in 0..<5 as Range<UInt64> {
      // An upgrade can be in the second of the purchase.
      let replaced =
        number < 4 && Bool.random(using: &random) ? begun + Int64.random(in: 0..<30, using: &random) * day : nil
      periods.append(
        Period(
          id: original + number, original: original, product: plans[plan], purchased: begun, expires: begun + 30 * day,
          replaced: replaced, refunded: Int.random(in: 0..<4, using: &random) == 0 ? begun + 60 : nil))
      begun = replaced ?? begun + 30 * day
      if replaced != nil { plan = (plan + 1) % plans.count }
    }
    return periods
  }

  @Test(
    "whichever order the statements arrive in, the periods end as at the store", arguments: LedgerEngine.allCases)
  func randomOrder(_ engine: LedgerEngine) async throws {
    let fixture = try await open(engine)
    for seed in 1...12 as ClosedRange<UInt64> {
      for order in 0..<3 as Range<UInt64> {
        // Each order has a subscription of its own. The first ones have ids with different numbers of digits.
        let original = seed == 1 ? [98, 998, 9_998][Int(order)] : seed * 100_000 + order * 1_000
        var random = SeededGenerator(seed: seed)
        let periods = Self.history(original: original, &random)
        // Each period is stated several times, the last time when all has happened.
        let today = periods[4].expires + 10 * Self.day
        var statements = periods.flatMap { period in
          ((0..<3).map { _ in Int64.random(in: period.purchased...today, using: &random) } + [today]).map {
            (period, $0)
          }
        }
        var shuffle = SeededGenerator(seed: seed * 10 + order)
        statements.shuffle(using: &shuffle)
        for (period, seconds) in statements {
          try await fixture.ledger.recordStatuses(
            from: TestLedger.proof([period.stated(at: seconds)], stated: seconds, as: .signedTransaction("jws")))
        }
        let truth = Dictionary(uniqueKeysWithValues: periods.map { ("\($0.id)", $0.end) })
        #expect(try await ends(of: original, fixture) == truth, "seed \(seed), order \(order)")
      }
    }
  }
}
