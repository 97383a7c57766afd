import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Customers with many purchases. Work is counted, not timed.
@Suite("A customer with many purchases", .timeLimit(.minutes(30)))
struct ManyPurchasesTests {
  private static let pass = ProductID("com.example.reader.pass")
  private static let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
  /// The numbers of purchases whose work is compared; both need several transactions.
  private static let compared = [150, 300]
  /// A number of purchases that needs three.
  private static let three = 300

  /// Something that a customer with n purchases does, or that happens to them.
  enum Scene: CaseIterable, Sendable {
    case restore, repeatedRestore, restoreWithAnotherReceipt, newestFirst, refunds, reversals, transfer, joining
    case creditRefunds, creditReversals, unknownIDs, periodsOfOneSubscription, export, exportOfSubscriptions
  }

  private struct Play {
    let fixture: TestLedger
    let database: CountingDatabase
    let owner: Claimant

    init(_ engine: LedgerEngine) async throws {
      database = try await CountingDatabase(engine)
      let settings = LedgerSettings(refundPolicy: .block, reverificationSeconds: 86_400)
      fixture = try await TestLedger.open(on: database, settings)
      try await fixture.ledger.publish(
        LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")
      owner = try await fixture.installation(on: device)
    }

    func redeem(
      _ purchases: [ProvenPurchase], stated: Int64, _ request: RedemptionRequest = .everythingOwned,
      receipt: String = "receipt", for claimant: Claimant? = nil
    ) async throws -> Redemption {
      try await fixture.ledger.redeem(
        TestLedger.proof(purchases, stated: stated, issuedFor: device, as: .appReceipt(Data(receipt.utf8))), request,
        for: claimant ?? owner)
    }

    /// Sets the stage for a scene, and returns its action.
    func prepare(_ scene: Scene, _ count: Int) async throws -> () async throws -> Void {
      let passes = passes(count)
      switch scene {
      case .restore: return { _ = try await redeem(passes, stated: 1) }
      case .newestFirst:
        let reversed = passes.enumerated().map { place, pass in
          var pass = pass
          (pass.transactionID, pass.originalTransactionID) = (
            passes[count - 1 - place].transactionID, passes[count - 1 - place].transactionID
          )
          return pass
        }
        return { _ = try await redeem(reversed.reversed(), stated: 1) }
      case .repeatedRestore:
        _ = try await redeem(passes, stated: 1)
        return { _ = try await redeem(passes, stated: 2) }
      case .restoreWithAnotherReceipt:
        _ = try await redeem(passes, stated: 1)
        return { _ = try await redeem(passes, stated: 2, receipt: "another receipt") }
      case .refunds:
        _ = try await redeem(passes, stated: 1)
        return { _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(refunded(passes), stated: 2)) }
      case .reversals:
        _ = try await redeem(passes, stated: 1)
        _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(refunded(passes), stated: 2))
        return { _ = try await redeem(passes, stated: 3) }
      case .transfer:
        _ = try await redeem(passes, stated: 1)
        fixture.clock.advance(seconds: 60)
        let other = try await fixture.installation(on: device)
        return { _ = try await redeem(passes, stated: 2, for: other) }
      case .joining:
        _ = try await redeem(passes, stated: 1)
        fixture.clock.advance(seconds: 60)
        let other = try await fixture.installation(on: device)
        _ = try await redeem(passes, stated: 2, for: other)
        return {
          let joined = try await redeem(passes, stated: 90, for: other)
          #expect(joined.customer == owner.customer)
        }
      case .creditRefunds:
        try await buyCoins(count)
        return {
          _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(refunded(coins(count)), stated: 2))
        }
      case .creditReversals:
        try await buyCoins(count)
        _ = try await fixture.ledger.spend(
          5, of: TestLedger.coin, key: "s", customer: owner.customer, app: TestLedger.app)
        _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(refunded(coins(count)), stated: 2))
        return { _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(coins(count), stated: 3)) }
      case .unknownIDs:
        let items = (0..<count).map { RedemptionRequest.Item(transactionID: TransactionID(UInt64(900_000 + $0))) }
        return { _ = try await redeem(passes, stated: 1, .purchases(items)) }
      case .export:
        _ = try await redeem(passes, stated: 1)
        return { _ = try await fixture.ledger.exportedJSON(owner.customer) }
      case .exportOfSubscriptions:
        let subscriptions = periods(count).map { period in
          var period = period
          period.originalTransactionID = period.transactionID
          return period
        }
        _ = try await redeem(subscriptions, stated: 1)
        return {
          let export = try await fixture.ledger.exported(owner.customer)
          #expect(export.periods.count == count)
        }
      case .periodsOfOneSubscription:
        let periods = periods(count)
        let items = periods.map { RedemptionRequest.Item(transactionID: $0.transactionID) }
        return { _ = try await redeem(periods, stated: 1, .purchases(items)) }
      }
    }

    private func periods(_ count: Int) -> [ProvenPurchase] {
      let first = TransactionID(UInt64(10_000))
      return (0..<count).map { place -> ProvenPurchase in
        let begin = Int64(place) * 100
        return ProvenPurchase(
          transactionID: TransactionID(UInt64(10_000 + place)), originalTransactionID: first,
          productID: TestLedger.club, type: .autoRenewableSubscription,
          purchaseDate: TestLedger.start.adding(seconds: begin), originalPurchaseDate: TestLedger.start,
          expiresDate: TestLedger.start.adding(seconds: begin + 100))
      }
    }

    private func buyCoins(_ count: Int) async throws {
      for start in stride(from: 0, to: count, by: 100) {
        let some = Array(coins(count)[start..<min(start + 100, count)])
        _ = try await redeem(some, stated: 1, .purchases(some.map { .init(transactionID: $0.transactionID) }))
      }
    }

    private func coins(_ count: Int) -> [ProvenPurchase] {
      (0..<count).map { TestLedger.purchase(TestLedger.coins, UInt64(50_000 + $0)) }
    }

    private func refunded(_ purchases: [ProvenPurchase]) -> [ProvenPurchase] {
      purchases.map { purchase in
        var purchase = purchase
        purchase.revocation = ProvenPurchase.Revocation(date: TestLedger.start)
        return purchase
      }
    }
  }

  static func passes(_ count: Int, from first: Int = 0) -> [ProvenPurchase] {
    (first..<first + count).map { place in
      ProvenPurchase(
        transactionID: TransactionID(UInt64(10_000 + place)), productID: pass, type: .nonRenewingSubscription,
        purchaseDate: TestLedger.start.adding(seconds: Int64(place)))
    }
  }

  @Test(
    "B9 twice as many purchases need at most 2.2 times the statements, changed rows and steps",
    arguments: LedgerEngine.allCases, Scene.allCases)
  func proportional(_ engine: LedgerEngine, _ scene: Scene) async throws {
    var works: [CountingDatabase.Work] = []
    for count in Self.compared {
      let play = try await Play(engine)
      let action = try await play.prepare(scene, count)
      works.append(try await play.database.counting(action))
      try await play.fixture.checkBalances()
      try await play.database.close()
    }
    func isProportional(_ part: (CountingDatabase.Work) -> Int) -> Bool {
      Double(part(works[1])) <= 2.2 * Double(part(works[0])) + 50
    }
    #expect(isProportional(\.statements), "\(works)")
    #expect(isProportional(\.changedRows), "\(works)")
    #expect(isProportional(\.rows), "\(works)")
    #expect(isProportional(\.steps), "\(works)")
    #expect(works.allSatisfy { ($0.steps > 0) == (engine == .sqlite) }, "\(works)")
    // Only a subscription is not divided.
    if scene != .periodsOfOneSubscription {
      #expect(works[1].mostStatements <= 40 * RedemptionPlan.mostPurchases, "\(works)")
    }
  }

  @Test(
    "B9 one more pass costs the same after 150 passes as after 300: only its own rows are written",
    arguments: LedgerEngine.allCases)
  func oneMore(_ engine: LedgerEngine) async throws {
    var works: [CountingDatabase.Work] = []
    for count in Self.compared {
      let play = try await Play(engine)
      _ = try await play.redeem(Self.passes(count), stated: 1)
      let last = Self.passes(1, from: count)
      works.append(
        try await play.database.counting {
          _ = try await play.redeem(last, stated: 2, receipt: "next")
        })
      try await play.database.close()
    }
    #expect(works[0].statements == works[1].statements)
    #expect(works[0].changedRows == works[1].changedRows)
    #expect(works[1].changedRows <= 8)
    #expect(Double(works[1].steps) <= 1.2 * Double(works[0].steps))
  }

  @Test(
    "B9 a restore that fails after its first transaction keeps what it gave; a repeated restore gives the rest",
    arguments: LedgerEngine.allCases)
  func goesOn(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine)
    let passes = Self.passes(Self.three)
    await #expect(throws: CountingDatabase.Stopped.self) {
      _ = try await play.database.counting(stoppingAt: 2) { _ = try await play.redeem(passes, stated: 1) }
    }
    #expect(
      try await play.fixture.owned(by: play.owner.customer).count == RedemptionPlan.mostPurchases)
    let result = try await play.redeem(passes, stated: 1)
    let given = result.purchases.map { $0.outcome.given }
    #expect(given.map { $0?.isNew } == (0..<Self.three).map { $0 >= RedemptionPlan.mostPurchases })
    #expect(result.purchases.map(\.transactionID) == passes.map(\.transactionID))
    let end = TestLedger.start.adding(seconds: 30 * 86_400 * Int64(Self.three))
    #expect(given.last??.entitlement?.accessUntil == end)
    try await play.database.close()
  }

  @Test(
    "B9 each repetition of a restore that ends after one part gives another part", arguments: LedgerEngine.allCases)
  func progresses(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine)
    let passes = Self.passes(Self.three)
    var counts: [Int] = []
    for _ in 0..<3 {
      await #expect(throws: CountingDatabase.Stopped.self) {
        _ = try await play.database.counting(stoppingAt: 2) { _ = try await play.redeem(passes, stated: 1) }
      }
      counts.append(try await play.fixture.owned(by: play.owner.customer).count)
    }
    #expect(counts == [RedemptionPlan.mostPurchases, 2 * RedemptionPlan.mostPurchases, Self.three])
    try await play.database.close()
  }

  /// What happens to a transfer before its last write, or between two of its parts.
  enum End: CaseIterable, Sendable { case failsBeforeLastWrite, failsBetweenParts, cancelled }

  @Test(
    "B9 a transfer that ends early leaves the previous owner the periods of the passes that are left",
    arguments: LedgerEngine.allCases, End.allCases)
  func transferEndsEarly(_ engine: LedgerEngine, _ end: End) async throws {
    let play = try await Play(engine)
    let all = Self.passes(Self.three + 10)
    let moved = Array(all.prefix(Self.three))
    _ = try await play.redeem(all, stated: 1)
    play.fixture.clock.advance(seconds: 60)
    let other = try await play.fixture.installation(on: Self.device)

    let stop = end == .failsBeforeLastWrite ? 4 : 3
    let cut = Task {
      _ = try await play.database.counting(stoppingAt: stop, cancelling: end == .cancelled) {
        _ = try await play.redeem(moved, stated: 2, for: other)
      }
    }
    await #expect(throws: (any Error).self) { try await cut.value }
    if end == .cancelled {
      // The parts that were committed are complete, although the request is never repeated.
      let left = Array(all.dropFirst(2 * RedemptionPlan.mostPurchases))
      #expect(try await Self.ends(play, play.owner.customer) == Self.expected(left))
    }
    _ = try await play.redeem(moved, stated: 2, for: other)
    #expect(try await Self.ends(play, play.owner.customer) == Self.expected(all.suffix(10)))
    #expect(try await Self.ends(play, other.customer) == Self.expected(moved))
    try await play.database.close()
  }

  /// The end of access of each active pass, by its id.
  private static func ends(_ play: Play, _ customer: CustomerID) async throws -> [String: StoreDate?] {
    let entitlements = try await play.fixture.ledger.entitlements(of: customer, app: TestLedger.app)
    return Dictionary(
      uniqueKeysWithValues: entitlements.filter { $0.ended == nil }.map { ($0.source, $0.accessUntil) })
  }

  private static func expected(_ passes: [ProvenPurchase]) -> [String: StoreDate?] {
    guard let first = passes.first else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: passes.enumerated().map { place, pass in
        (pass.transactionID.rawValue, first.purchaseDate.adding(seconds: 30 * 86_400 * Int64(place + 1)))
      })
  }

  @Test("B9 one customer's large restores run one after the other", arguments: LedgerEngine.allCases)
  func oneAtATime(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine)
    let passes = Self.passes(Self.three)
    let results = try await withThrowingTaskGroup(of: Redemption.self) { group in
      for _ in 0..<6 { group.addTask { try await play.redeem(passes, stated: 1) } }
      return try await group.reduce(into: [Redemption]()) { $0.append($1) }
    }
    let new = results.filter { $0.purchases.contains { $0.outcome.given?.isNew == true } }
    #expect(new.count == 1)
    #expect(new.first?.purchases.allSatisfy { $0.outcome.given?.isNew == true } == true)
    try await play.database.close()
  }
}
