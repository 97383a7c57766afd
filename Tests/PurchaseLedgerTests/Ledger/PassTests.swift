import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("The access periods of non-renewing subscriptions", .timeLimit(.minutes(RandomSeeds.isLong ? 240 : 30)))
struct PassTests {
  private static let pass = ProductID("com.example.reader.pass")
  private static let day: Int64 = 86_400

  private static func open(_ engine: LedgerEngine) async throws -> TestLedger {
    let fixture = try await TestLedger.open(engine)
    try await fixture.ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")
    return fixture
  }

  private static func purchase(
    _ id: Int, day: Int64, quantity: Int = 1, isRefunded: Bool = false
  ) -> ProvenPurchase {
    ProvenPurchase(
      transactionID: TransactionID(UInt64(10_000 + id)), productID: pass, quantity: quantity,
      purchaseDate: TestLedger.start.adding(seconds: day * Self.day),
      revocation: isRefunded ? ProvenPurchase.Revocation(date: TestLedger.start) : nil)
  }

  /// The end of access of each active pass, by its id.
  private static func ends(_ fixture: TestLedger, _ customer: CustomerID) async throws -> [String: StoreDate?] {
    let entitlements = try await fixture.ledger.entitlements(of: customer, app: TestLedger.app)
    return Dictionary(
      uniqueKeysWithValues: entitlements.filter { $0.ended == nil }.map { ($0.source, $0.accessUntil) })
  }

  /// What a ledger that schedules all passes at each change would store.
  private static func expected(_ passes: [ProvenPurchase]) -> [String: StoreDate?] {
    var ends: [String: StoreDate?] = [:]
    var end: StoreDate?
    for pass in passes.sorted(by: {
      ($0.purchaseDate, $0.transactionID.rawValue) < ($1.purchaseDate, $1.transactionID.rawValue)
    })
    where pass.revocation == nil {
      end = max(pass.purchaseDate, end ?? pass.purchaseDate).adding(seconds: 30 * day * Int64(pass.quantity))
      ends[pass.transactionID.rawValue] = .some(end)
    }
    return ends
  }

  @Test(
    "B9 after any purchases, refunds, reversals and moves, each period begins where the one before ends",
    arguments: LedgerEngine.allCases, RandomSeeds.first(2))
  func random(_ engine: LedgerEngine, seed: UInt64) async throws {
    let fixture = try await Self.open(engine)
    var generator = SeededGenerator(seed: seed)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    var bought: [Int: ProvenPurchase] = [:]
    var owners: [Int: CustomerID] = [:]
    for step in 0..<60 {
      var changed: [ProvenPurchase] = []
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        // The ids are not in the order of purchase.
        let id = Int.random(in: 0..<40, using: &generator)
        let known = bought[id]
        let new = Self.purchase(
          id,
          day: known.map {
            ($0.purchaseDate.millisecondsSince1970 - TestLedger.start.millisecondsSince1970) / Self.day / 1000
          }
            ?? Int64.random(in: 0..<2000, using: &generator),
          quantity: known?.quantity ?? Int.random(in: 1...3, using: &generator),
          isRefunded: Int.random(in: 0..<4, using: &generator) == 0)
        bought[id] = new
        owners[id] = owners[id] ?? ada.customer
        changed.removeAll { $0.transactionID == new.transactionID }
        changed.append(new)
      }
      let proof = TestLedger.proof(changed, stated: Int64(step + 1))
      _ = try await fixture.ledger.redeem(proof, .everythingOwned, for: ada)
      if Bool.random(using: &generator), let id = owners.keys.sorted().randomElement(using: &generator),
        let purchase = bought[id], purchase.revocation == nil, owners[id] == ada.customer
      {
        _ = try await fixture.ledger.move(
          purchase.transactionID, in: .production, app: TestLedger.app, to: ben.customer, reason: "", by: "olga")
        owners[id] = ben.customer
      }
      for customer in [ada.customer, ben.customer] {
        let own = bought.filter { owners[$0.key] == customer }.map(\.value)
        #expect(try await Self.ends(fixture, customer) == Self.expected(own), "step \(step)")
      }
    }
  }

  @Test("B9 when an operator revokes a pass, those after it move forward", arguments: LedgerEngine.allCases)
  func revoked(_ engine: LedgerEngine) async throws {
    let fixture = try await Self.open(engine)
    let ada = try await fixture.identified("ada")
    let passes = [Self.purchase(1, day: 0), Self.purchase(2, day: 0), Self.purchase(3, day: 0)]
    _ = try await fixture.ledger.redeem(TestLedger.proof(passes, stated: 1), .everythingOwned, for: ada)
    try await fixture.ledger.revoke(
      Self.pass, source: "10001", from: ada.customer, app: TestLedger.app, reason: "", by: "olga")
    #expect(try await Self.ends(fixture, ada.customer) == Self.expected(Array(passes.dropFirst())))
  }

  @Test(
    "B9 a refunded pass moves those after it, also if an operator's grant is the last row of the page before",
    arguments: LedgerEngine.allCases)
  func grantAtEndOfPage(_ engine: LedgerEngine) async throws {
    let fixture = try await Self.open(engine)
    let ada = try await fixture.identified("ada")
    // The periods do not touch one another. Only those of the last three do: 127, 128 and 129.
    let page = LedgerTransaction.passPage
    let passes =
      (0..<page).map { Self.purchase($0, day: Int64($0) * 100) } + [
        Self.purchase(page, day: Int64(page - 1) * 100 + 1), Self.purchase(page + 1, day: Int64(page - 1) * 100 + 3),
      ]
    _ = try await fixture.ledger.redeem(TestLedger.proof(passes, stated: 1), .everythingOwned, for: ada)
    fixture.clock.advance(seconds: (Int64(page - 1) * 100 + 2) * Self.day)
    try await fixture.ledger.grant(
      .product(Self.pass, accessUntil: nil), to: ada.customer, app: TestLedger.app, key: "gift", reason: "", by: "olga")

    let refunds = [
      Self.purchase(0, day: 0, isRefunded: true),
      Self.purchase(page, day: Int64(page - 1) * 100 + 1, isRefunded: true),
    ]
    _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(refunds, stated: 2))

    let left = passes.filter { pass in !refunds.contains { $0.transactionID == pass.transactionID } }
    let ends = try await Self.ends(fixture, ada.customer).filter { !$0.key.hasPrefix("grant:") }
    #expect(ends == Self.expected(left))
  }

  @Test(
    "B9 a pass that is bought in a quantity of 1 to 10 gives as many access periods", arguments: LedgerEngine.allCases)
  func quantity(_ engine: LedgerEngine) async throws {
    let fixture = try await Self.open(engine)
    let ada = try await fixture.identified("ada")
    for (place, quantity) in [1, 2, 10].enumerated() {
      let outcome = try await fixture.redeem(
        Self.purchase(place, day: Int64(place) * 1000, quantity: quantity), stated: 1, for: ada)
      let until = TestLedger.start.adding(seconds: (Int64(place) * 1000 + 30 * Int64(quantity)) * Self.day)
      #expect(outcome.given?.entitlement?.accessUntil == until)
    }
    // A repeated redemption changes nothing, also after the developer has published other days.
    try await fixture.ledger.publish(
      LedgerProduct(id: Self.pass, type: .nonRenewingSubscription, accessDays: 7), app: TestLedger.app, by: "olga")
    let again = try await fixture.redeem(Self.purchase(1, day: 1000, quantity: 2), stated: 2, for: ada)
    #expect(again.given?.entitlement?.accessUntil == TestLedger.start.adding(seconds: 1060 * Self.day))
  }

  @Test("B9 a quantity with more than 365,000 days is refused; many long passes end in the year 9999")
  func tooLong() async throws {
    let fixture = try await Self.open(.sqlite)
    let ada = try await fixture.identified("ada")
    try await fixture.ledger.publish(
      LedgerProduct(id: Self.pass, type: .nonRenewingSubscription, accessDays: 36_500), app: TestLedger.app, by: "olga")
    for quantity in [11, Int(Int32.max)] {
      await #expect(throws: LedgerError.amountOutOfRange(Int64(quantity))) {
        _ = try await fixture.redeem(Self.purchase(0, day: 0, quantity: quantity), stated: 1, for: ada)
      }
    }
    let passes = (1...12).map { Self.purchase($0, day: 0, quantity: 10) }
    let result = try await fixture.ledger.redeem(TestLedger.proof(passes, stated: 1), .everythingOwned, for: ada)
    let last = try #require(result.purchases.last?.outcome.given?.entitlement?.accessUntil)
    #expect(last.text == "9999-12-31 23:59:59.999")
  }

  @Test(
    "B9 a claim that an earlier version stored for a quantity keeps its access period", arguments: LedgerEngine.allCases
  )
  func storedBefore(_ engine: LedgerEngine) async throws {
    let database = try await engine.makeDatabase()
    let fixture = try await TestLedger.open(on: database)
    try await fixture.ledger.publish(
      LedgerProduct(id: Self.pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")
    let ada = try await fixture.identified("ada")
    let purchase = Self.purchase(1, day: 0, quantity: 3)
    _ = try await fixture.redeem(purchase, stated: 1, for: ada)
    let until = TestLedger.start.adding(seconds: 30 * Self.day)
    try await database.write(locking: [.customer(ada.customer)]) { transaction in
      try transaction.execute("UPDATE claim SET access_days = 30, access_until = $1 WHERE id = '10001'", until)
      try transaction.execute("UPDATE entitlement SET access_until = $1 WHERE source = '10001'", until)
    }
    let again = try await fixture.redeem(purchase, stated: 2, for: ada)
    #expect(again.given?.entitlement?.accessUntil == until)
  }
}
