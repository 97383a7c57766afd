import Foundation
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

/// Two relatives share subscriptions of one group with the same customer.
@Suite("Two family shares of one subscription group", .timeLimit(.minutes(RandomSeeds.isLong ? 240 : 30)))
struct FamilyShareTests {
  private static let year = ProductID("com.example.reader.year")

  private static func open(_ engine: LedgerEngine) async throws -> TestLedger {
    let fixture = try await TestLedger.open(engine)
    try await fixture.ledger.publish(
      LedgerProduct(id: year, type: .autoRenewableSubscription), app: TestLedger.app, by: "olga")
    return fixture
  }

  private static func share(
    _ product: ProductID, _ id: UInt64, original: UInt64, from begin: Int64, to end: Int64, revoked: Int64? = nil
  ) -> ProvenPurchase {
    ProvenPurchase(
      transactionID: TransactionID(id), originalTransactionID: TransactionID(original), productID: product,
      type: .autoRenewableSubscription, purchaseDate: TestLedger.start.adding(seconds: begin),
      expiresDate: TestLedger.start.adding(seconds: end), ownership: .familyShared,
      revocation: revoked.map { ProvenPurchase.Revocation(date: TestLedger.start.adding(seconds: $0)) })
  }

  @Test(
    "B9 shares with their own original ids are kept apart: the customer is entitled while one of them runs",
    arguments: LedgerEngine.allCases, RandomSeeds.first(2))
  func apart(_ engine: LedgerEngine, seed: UInt64) async throws {
    let fixture = try await Self.open(engine)
    var generator = SeededGenerator(seed: seed)
    let ada = try await fixture.identified("ada")
    var periods: [UInt64: [ProvenPurchase]] = [:]
    for step in 1...40 as ClosedRange<Int64> {
      fixture.clock.advance(seconds: 10)
      let now = step * 10
      let original = UInt64.random(in: 1...3, using: &generator) * 1000
      var own = periods[original] ?? []
      if let last = own.last, last.revocation == nil, last.expiresDate! > TestLedger.start.adding(seconds: now),
        Bool.random(using: &generator)
      {
        own[own.count - 1].revocation = ProvenPurchase.Revocation(date: TestLedger.start.adding(seconds: now))
      } else if own.last.map({ $0.expiresDate! <= TestLedger.start.adding(seconds: now) }) ?? true {
        let product = original == 1000 ? TestLedger.club : Self.year
        let end = now + Int64.random(in: 10...90, using: &generator)
        own.append(Self.share(product, original + UInt64(own.count), original: original, from: now, to: end))
      }
      periods[original] = own
      _ = try await fixture.ledger.redeem(
        TestLedger.proof(periods.values.flatMap(\.self), stated: now), .everythingOwned, for: ada)
      let running = Set(
        periods.values.compactMap(\.last).filter {
          $0.revocation == nil && $0.expiresDate! > TestLedger.start.adding(seconds: now)
        }.map(\.productID))
      #expect(try await Set(fixture.owned(by: ada.customer)) == running, "step \(step)")
    }
  }

  /// The origins of a customer's entitlements.
  private static func origins(_ fixture: TestLedger, _ claimant: Claimant) async throws -> [LedgerEntitlement.Origin] {
    try await fixture.ledger.entitlements(of: claimant.customer, app: TestLedger.app).map(\.origin)
  }

  @Test(
    "A1 a proof that states the ownership decides the origin of an entitlement, before and after one that does not, such as an app receipt",
    arguments: LedgerEngine.allCases, [TestLedger.book, TestLedger.club])
  func ownership(_ engine: LedgerEngine, _ product: ProductID) async throws {
    let fixture = try await Self.open(engine)
    var unstated = TestLedger.purchase(product, 1)
    if product == TestLedger.club { unstated.expiresDate = TestLedger.start.adding(seconds: 5_000) }
    // The date of a share can differ between proofs.
    var shared = unstated
    shared.ownership = .familyShared
    shared.purchaseDate = unstated.purchaseDate.adding(seconds: 30)
    let (ada, ben, cleo) = (
      try await fixture.identified("ada"), try await fixture.identified("ben"), try await fixture.identified("cleo")
    )
    _ = try #require(try await fixture.redeem(unstated, stated: 1, for: ada).given)
    #expect(try await Self.origins(fixture, ada) == [.purchased])
    for (step, proof) in [shared, unstated, shared].enumerated() {
      _ = try #require(try await fixture.redeem(proof, stated: Int64(step) + 2, for: ada).given)
      #expect(try await Self.origins(fixture, ada) == [.familyShared], "\(step)")
    }

    func identify(_ id: UInt64) {
      (unstated.transactionID, unstated.originalTransactionID) = (TransactionID(id), TransactionID(id))
      (shared.transactionID, shared.originalTransactionID) = (TransactionID(id), TransactionID(id))
    }
    identify(2)
    for (step, proof) in [shared, unstated].enumerated() {
      _ = try #require(try await fixture.redeem(proof, stated: Int64(step) + 1, for: ben).given)
      #expect(try await Self.origins(fixture, ben) == [.familyShared], "\(step)")
    }

    // The store is asked about the receipt later.
    identify(3)
    _ = try #require(try await fixture.redeem(unstated, stated: 1, for: cleo).given)
    _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof([shared], stated: 5))
    #expect(try await Self.origins(fixture, cleo) == [.familyShared])
  }

  @Test("A1 a legacy receipt states the ownership in its signed entries")
  func legacyReceipt() throws {
    func ownership(_ value: String?) throws -> OwnershipType? {
      let fields = [
        ("transaction-id", "1"), ("product-id", "book"), ("bid", "app"), ("purchase-date-ms", "1782907200000"),
        ("in-app-ownership-type", value),
      ].compactMap { key, value in value.map { LegacyReceipt.Field(key: key, value: $0) } }
      return try ProvenPurchase(LegacyReceipt(fields: fields)).ownership
    }
    #expect(try ownership("FAMILY_SHARED") == .familyShared)
    #expect(try ownership("PURCHASED") == .purchased)
    #expect(try ownership("BORROWED") == nil)
    #expect(try ownership(nil) == nil)
  }

  @Test(
    "B9 if a store gives two shares the same original id, product and end of access are those of one period",
    arguments: LedgerEngine.allCases)
  func sameOriginal(_ engine: LedgerEngine) async throws {
    let fixture = try await Self.open(engine)
    let ada = try await fixture.identified("ada")
    let first = Self.share(Self.year, 1, original: 1, from: 0, to: 1000)
    let second = Self.share(TestLedger.club, 2, original: 1, from: 10, to: 100)
    let ended = Self.share(TestLedger.club, 2, original: 1, from: 10, to: 100, revoked: 50)

    let both = try await fixture.ledger.redeem(
      TestLedger.proof([first, second], stated: 20), .everythingOwned, for: ada)
    let entitlement = try #require(both.purchases.first?.outcome.given?.entitlement)
    #expect(entitlement.product == TestLedger.club)
    #expect(entitlement.accessUntil == second.expiresDate)

    // The second share ends. The store has stated the first one after that, so it still runs.
    let rest = try await fixture.ledger.redeem(
      TestLedger.proof([first, ended], stated: 60), .everythingOwned, for: ada)
    let remaining = try #require(rest.purchases.first?.outcome.given?.entitlement)
    #expect(remaining.product == Self.year)
    #expect(remaining.accessUntil == first.expiresDate)
  }

  @Test(
    "B9 the renewal of one share is not shown with the period of another that ends at the same time",
    arguments: LedgerEngine.allCases)
  func renewal(_ engine: LedgerEngine) async throws {
    let fixture = try await Self.open(engine)
    let ada = try await fixture.identified("ada")
    let first = Self.share(Self.year, 1, original: 1, from: 0, to: 100)
    let second = Self.share(TestLedger.club, 2, original: 1, from: 10, to: 100)
    let renewal = ProvenRenewal(
      originalTransactionID: TransactionID(1), lastPeriod: TransactionID(1), productID: Self.year, isAutoRenewOn: true)
    let result = try await fixture.ledger.redeem(
      TestLedger.proof([first, second], stated: 20, renewals: [renewal]), .everythingOwned, for: ada)
    let entitlement = try #require(result.purchases.first?.outcome.given?.entitlement)
    #expect(entitlement.product == TestLedger.club)
    #expect(entitlement.renewal == nil)
  }
}
