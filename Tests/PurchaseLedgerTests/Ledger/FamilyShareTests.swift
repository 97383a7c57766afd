import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Two relatives share subscriptions of one group with the same customer.
@Suite("Two family shares of one subscription group", .timeLimit(.minutes(10)))
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
    arguments: LedgerEngine.allCases, UInt64(1)...3)
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
