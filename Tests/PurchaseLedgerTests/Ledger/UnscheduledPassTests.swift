import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/purchase-ledger.md, "Subscriptions": the server stops between two transactions of one redemption.
@Suite("Passes that are not scheduled yet", .timeLimit(.minutes(30)))
struct UnscheduledPassTests {
  private static let pass = ProductID("com.example.reader.pass")
  private static let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
  private static let (most, left) = (RedemptionPlan.mostPurchases, 10)

  /// The next thing that happens after the server has stopped.
  enum Event: CaseIterable, Sendable {
    case ownerReads, ownerExports, ownerReadsDeliveries, ownerWrites, newOwnerWrites, newOwnerRestores, refund, start
    case ownerConsents, ownerIsReverified
  }

  private struct Play {
    let database: CountingDatabase
    let fixture: TestLedger
    let owner: Claimant

    init(_ engine: LedgerEngine) async throws {
      database = try await CountingDatabase(engine)
      fixture = try await TestLedger.open(on: database)
      try await fixture.ledger.publish(
        LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")
      owner = try await fixture.installation(on: device)
    }

    func redeem(
      _ purchases: [ProvenPurchase], stated: Int64, for claimant: Claimant
    ) async throws -> Redemption {
      try await fixture.ledger.redeem(
        TestLedger.proof(purchases, stated: stated, issuedFor: device), .everythingOwned, for: claimant)
    }

    /// The end of access of each active pass, as it is stored.
    func storedEnds(_ customer: CustomerID) async throws -> [String: Int64] {
      try await database.read { transaction in
        let rows = try transaction.rows(
          "SELECT source, access_until FROM entitlement WHERE customer = $1 AND ended IS NULL", customer)
        return try Dictionary(
          uniqueKeysWithValues: rows.map { (try $0.text("source"), try $0.integer("access_until")) })
      }
    }

    /// When each active pass was last changed: the date of its event.
    func changes(_ customer: CustomerID) async throws -> [StoreDate?] {
      try await database.read {
        try $0.rows("SELECT changed FROM entitlement WHERE customer = $1 AND ended IS NULL", customer)
          .map { try $0.date("changed") }
      }
    }

    func unscheduled() async throws -> Int {
      try await database.read { try $0.rows("SELECT source FROM pass_change").count }
    }

    func open() async throws {
      _ = try await Ledger(
        database: database, anchors: .apple, apps: [TestLedger.app: LedgerSettings()], clock: fixture.clock)
    }
  }

  private static func passes(_ count: Int) -> [ProvenPurchase] {
    (0..<count).map { place in
      ProvenPurchase(
        transactionID: TransactionID(UInt64(10_000 + place)), productID: pass, type: .nonRenewingSubscription,
        purchaseDate: TestLedger.start.adding(seconds: Int64(place)))
    }
  }

  private static func expected(_ passes: [ProvenPurchase]) -> [String: Int64] {
    guard let first = passes.first else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: passes.enumerated().map { place, pass in
        (
          pass.transactionID.rawValue,
          first.purchaseDate.adding(seconds: 30 * 86_400 * Int64(place + 1)).millisecondsSince1970
        )
      })
  }

  private static func ends(_ entitlements: [LedgerEntitlement]) -> [String: Int64] {
    Dictionary(
      uniqueKeysWithValues: entitlements.filter { $0.ended == nil }.map {
        ($0.source, $0.accessUntil?.millisecondsSince1970 ?? 0)
      })
  }

  @Test(
    "B9 killed between the last part of a transfer and its schedule: the next request of either customer, or the start, schedules",
    arguments: LedgerEngine.allCases, Event.allCases)
  func transfer(_ engine: LedgerEngine, _ event: Event) async throws {
    let play = try await Play(engine)
    let all = Self.passes(Self.most + 1 + Self.left)
    let kept = Array(all.suffix(Self.left))
    let moved = Array(all.dropLast(Self.left))
    _ = try await play.redeem(all, stated: 1, for: play.owner)
    play.fixture.clock.advance(seconds: 60)
    let other = try await play.fixture.installation(on: Self.device)
    await #expect(throws: CountingDatabase.Stopped.self) {
      _ = try await play.database.counting(stoppingAt: 3) { _ = try await play.redeem(moved, stated: 2, for: other) }
    }
    #expect(try await play.storedEnds(play.owner.customer) != Self.expected(kept))
    #expect(try await play.storedEnds(other.customer) == Self.expected(moved))

    let ledger = play.fixture.ledger
    var left = kept
    switch event {
    case .ownerReads:
      let entitlements = try await ledger.entitlements(of: play.owner.customer, app: TestLedger.app)
      #expect(Self.ends(entitlements) == Self.expected(kept))
    case .ownerExports:
      let export = try await ledger.exported(play.owner.customer)
      let active = export.entitlements.filter { $0.entitlement.ended == nil }.map(\.entitlement)
      #expect(Self.ends(active) == Self.expected(kept))
    case .ownerReadsDeliveries: _ = try await ledger.deliveries(of: play.owner.customer, app: TestLedger.app)
    case .ownerWrites, .newOwnerWrites:
      try await ledger.grant(
        .credits(TestLedger.coin, 1), to: event == .ownerWrites ? play.owner.customer : other.customer,
        app: TestLedger.app, key: "gift", reason: "", by: "olga")
    case .ownerConsents:
      _ = try await ledger.setConsent(toConsumptionInformation: true, of: play.owner.customer, app: TestLedger.app)
    case .ownerIsReverified:
      _ = try await ledger.reverify(.customer(play.owner.customer), app: TestLedger.app, limit: 10, by: "olga")
    case .newOwnerRestores: _ = try await play.redeem(moved, stated: 2, for: other)
    case .refund:
      var refunded = left.removeLast()
      refunded.revocation = ProvenPurchase.Revocation(date: TestLedger.start)
      _ = try await ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 3))
    case .start: try await play.open()
    }
    #expect(try await play.storedEnds(play.owner.customer) == Self.expected(left))
    #expect(try await play.storedEnds(other.customer) == Self.expected(moved))
    #expect(try await play.unscheduled() == 0)
    #expect(try await play.changes(play.owner.customer).allSatisfy { $0 == play.fixture.clock.now })
    try await play.database.close()
  }

  @Test(
    "B9 killed while passes are moved back for a join: the passes that are left have no period that is too long",
    arguments: LedgerEngine.allCases, [Event.ownerReads, .start, .newOwnerRestores])
  func join(_ engine: LedgerEngine, _ event: Event) async throws {
    let play = try await Play(engine)
    let all = Self.passes(Self.most + Self.left)
    _ = try await play.redeem(all, stated: 1, for: play.owner)
    play.fixture.clock.advance(seconds: 60)
    let other = try await play.fixture.installation(on: Self.device)
    _ = try await play.redeem(all, stated: 2, for: other)
    await #expect(throws: CountingDatabase.Stopped.self) {
      _ = try await play.database.counting(stoppingAt: 2) { _ = try await play.redeem(all, stated: 90, for: other) }
    }
    let (back, kept) = (Array(all.prefix(Self.most)), Array(all.suffix(Self.left)))
    #expect(try await play.storedEnds(play.owner.customer) == Self.expected(back))
    #expect(try await play.storedEnds(other.customer) != Self.expected(kept))

    switch event {
    case .newOwnerRestores:
      #expect(try await play.redeem(all, stated: 90, for: other).customer == play.owner.customer)
      #expect(try await play.storedEnds(other.customer) == [:])
      #expect(try await play.storedEnds(play.owner.customer) == Self.expected(all))
    case .start:
      try await play.open()
      #expect(try await play.storedEnds(other.customer) == Self.expected(kept))
    default:
      let entitlements = try await play.fixture.ledger.entitlements(of: other.customer, app: TestLedger.app)
      #expect(Self.ends(entitlements) == Self.expected(kept))
    }
    #expect(try await play.unscheduled() == 0)
    try await play.database.close()
  }
}
