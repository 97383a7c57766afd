import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct LedgerSubscriptionTests {
  private static let yearly = ProductID("com.example.reader.club.yearly")

  /// Returns a ledger with a monthly and a yearly subscription of a club, and a customer.
  private func open(_ engine: LedgerEngine) async throws -> (LedgerDesk, Claimant) {
    let desk = try await LedgerDesk.open(engine)
    try await desk.ledger.publish(
      LedgerProduct(id: Self.yearly, type: .autoRenewableSubscription), app: LedgerDesk.app, by: "olga")
    return (desk, try await desk.identified("ada"))
  }

  /// Returns a period of one subscription. Its id determines its purchase date.
  private func period(
    _ id: UInt64, _ product: ProductID = LedgerDesk.club, until seconds: Int64, refunded: Bool = false
  ) -> ProvenPurchase {
    var purchase = LedgerDesk.purchase(product, id, original: 1, refunded: refunded ? 100_000 : nil)
    purchase.expiresDate = LedgerDesk.start.adding(seconds: seconds)
    return purchase
  }

  private func access(_ desk: LedgerDesk, _ customer: CustomerID) async throws -> [ProductID: Int64] {
    let active = try await desk.ledger.entitlements(of: customer, app: LedgerDesk.app).filter {
      $0.isActive(at: desk.clock.now)
    }
    return Dictionary(
      uniqueKeysWithValues: active.map { entitlement in
        let end = entitlement.accessUntil?.millisecondsSince1970 ?? 0
        return (entitlement.product, (end - LedgerDesk.start.millisecondsSince1970) / 1000)
      })
  }

  @Test(
    "A later period lets the customer in for longer, an earlier one that comes late changes nothing; access runs out",
    arguments: LedgerEngine.allCases)
  func laterPeriod(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)

    let first = try await desk.redeem(period(2, until: 200), for: ada)
    let late = try await desk.redeem(period(1, until: 100), for: ada)

    #expect(first.given?.claim == TransactionID(1))
    #expect(late == first)
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 200])
    try await desk.ledger.learn(from: LedgerDesk.proof([period(3, until: 300)], stated: 5))
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 300])
    desk.clock.advance(seconds: 300)
    #expect(try await access(desk, ada.customer) == [:])
  }

  @Test("A change of plan changes the product, whichever ends later, and back again", arguments: LedgerEngine.allCases)
  func changeOfPlan(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    _ = try await desk.redeem(period(1, Self.yearly, until: 1000), for: ada)

    let changed = try await desk.redeem(period(2, until: 200), for: ada)

    #expect(changed.given?.entitlement?.product == LedgerDesk.club)
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 200])
    #expect(
      try await desk.ledger.entitlements(of: ada.customer, app: LedgerDesk.app).first { $0.product == Self.yearly }?
        .endReason == .replaced)
    _ = try await desk.redeem(period(3, Self.yearly, until: 2000), for: ada)
    #expect(try await access(desk, ada.customer) == [Self.yearly: 2000])
  }

  @Test("When a period is refunded, the one before it counts; when all are, none", arguments: LedgerEngine.allCases)
  func refunds(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    _ = try await desk.redeem(period(1, until: 100), for: ada)
    _ = try await desk.redeem(period(2, Self.yearly, until: 1000), for: ada)

    let earlier = try await desk.redeem(period(2, Self.yearly, until: 1000, refunded: true), stated: 5, for: ada)
    #expect(earlier.given?.entitlement?.product == LedgerDesk.club)
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 100])

    let none = try await desk.redeem(period(1, until: 100, refunded: true), stated: 6, for: ada)
    #expect(none.refusal == .refunded(LedgerDesk.start))
    #expect(try await access(desk, ada.customer) == [:])
    // A shorter period that was paid later.
    let next = try await desk.redeem(period(3, until: 50), stated: 7, for: ada)
    #expect(next.given?.entitlement?.ended == nil)
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 50])
  }

  @Test("Restoring shows the refund of the newest period, whichever was asked for", arguments: LedgerEngine.allCases)
  func restoreShowsRefund(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    _ = try await desk.redeem(period(2, until: 200), for: ada)
    let proof = LedgerDesk.proof([period(1, until: 100), period(2, until: 200, refunded: true)], stated: 5)

    let restored = try await desk.ledger.redeem(proof, .everythingOwned, for: ada)

    #expect(restored.purchases.map(\.transactionID) == [TransactionID(1)])
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 100])
  }

  @Test("What an operator took back stays back, also under another plan", arguments: LedgerEngine.allCases)
  func revoked(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    _ = try await desk.redeem(period(1, until: 100), for: ada)
    try await desk.ledger.revoke(
      LedgerDesk.club, source: "1", from: ada.customer, app: LedgerDesk.app, reason: "fraud", by: "olga")

    #expect(try await desk.redeem(period(2, Self.yearly, until: 900), stated: 5, for: ada).refusal == .revoked)
    #expect(try await access(desk, ada.customer) == [:])
  }

  @Test(
    "Two customers who redeem two periods of one subscription at once: it is one's", .timeLimit(.minutes(5)),
    arguments: LedgerEngine.allCases)
  func race(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    let ben = try await desk.identified("ben")
    for round in 1...20 as ClosedRange<UInt64> {
      let outcomes = try await withThrowingTaskGroup(of: RedeemedPurchase.Outcome.self) { group in
        for (claimant, id) in [(ada, round * 10), (ben, round * 10 + 1)] {
          group.addTask {
            var purchase = LedgerDesk.purchase(LedgerDesk.club, id, original: round * 10)
            purchase.expiresDate = LedgerDesk.start.adding(seconds: 100_000)
            return try await desk.redeem(purchase, for: claimant)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.compactMap(\.given).count == 1)
      #expect(outcomes.compactMap(\.refusal) == [.claimedByAnotherCustomer])
    }
  }

  @Test(
    "A non-renewing subscription gives access for its days; one bought meanwhile prolongs it",
    arguments: LedgerEngine.allCases)
  func nonRenewing(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    let pass = ProductID("com.example.reader.pass")
    let day: Int64 = 86_400
    try await desk.ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: LedgerDesk.app, by: "olga")

    let first = try await desk.redeem(LedgerDesk.purchase(pass, 1), for: ada)
    let second = try await desk.redeem(LedgerDesk.purchase(pass, 2), for: ada)
    let again = try await desk.redeem(LedgerDesk.purchase(pass, 1), for: ada)

    #expect(first.given?.entitlement?.accessUntil == LedgerDesk.start.adding(seconds: 1 + 30 * day))
    #expect(second.given?.entitlement?.accessUntil == LedgerDesk.start.adding(seconds: 1 + 60 * day))
    #expect(try await end(of: pass, desk, ada.customer) == LedgerDesk.start.adding(seconds: 1 + 60 * day))
    #expect(again == first)
    // A refunded pass adds no days.
    let refunded = LedgerDesk.purchase(pass, 1, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 5))
    #expect(try await end(of: pass, desk, ada.customer) == LedgerDesk.start.adding(seconds: 2 + 30 * day))
    desk.clock.advance(seconds: 2 + 30 * day)
    #expect(try await desk.owned(by: ada.customer) == [])
  }

  @Test(
    "Passes used up long ago prolong nothing, in whatever order they come, and neither do grants",
    arguments: LedgerEngine.allCases)
  func usedUp(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    let (pass, day) = (ProductID("com.example.reader.pass"), Int64(86_400))
    try await desk.ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: LedgerDesk.app, by: "olga")
    try await desk.ledger.grant(
      .product(pass, accessUntil: LedgerDesk.start.adding(seconds: 9000 * day)), to: ada.customer, app: LedgerDesk.app,
      key: "by mistake", reason: "r", by: "olga")
    func bought(_ id: UInt64, _ days: Int64) -> ProvenPurchase {
      var purchase = LedgerDesk.purchase(pass, id)
      purchase.purchaseDate = LedgerDesk.start.adding(seconds: days * day)
      purchase.originalPurchaseDate = purchase.purchaseDate
      return purchase
    }

    for purchase in [bought(3, 0), bought(1, -100), bought(2, -50)] {
      _ = try await desk.redeem(purchase, for: ada)
    }

    #expect(
      try await desk.ledger.entitlements(of: ada.customer, app: LedgerDesk.app).filter { $0.origin == .purchased }
        .compactMap(\.accessUntil).max() == LedgerDesk.start.adding(seconds: 30 * day))
  }

  private func end(of product: ProductID, _ desk: LedgerDesk, _ customer: CustomerID) async throws -> StoreDate? {
    try await desk.ledger.entitlements(of: customer, app: LedgerDesk.app)
      .filter { $0.product == product && $0.isActive(at: desk.clock.now) }.compactMap(\.accessUntil).max()
  }

  @Test("A refund of the period that counts ends it, whoever shows it", arguments: LedgerEngine.allCases)
  func shownByAnother(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    let ben = try await desk.identified("ben")
    _ = try await desk.redeem(period(1, until: 100), for: ada)
    _ = try await desk.redeem(period(2, Self.yearly, until: 1000), for: ada)

    let refused = try await desk.redeem(period(2, Self.yearly, until: 1000, refunded: true), stated: 5, for: ben)

    #expect(refused.refusal == .claimedByAnotherCustomer)
    #expect(try await access(desk, ada.customer) == [LedgerDesk.club: 100])
  }

  @Test("A period of which nobody says when it ends gives nothing", arguments: LedgerEngine.allCases)
  func withoutEnd(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)

    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.club, 1), for: ada)

    desk.clock.advance(seconds: 10)
    #expect(try await access(desk, ada.customer) == [:])
  }

  @Test("What was taken back is not delivered under another plan", arguments: LedgerEngine.allCases)
  func revokedIsNotDelivered(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await open(engine)
    let file = ContentFile(name: "a", size: 1, sha256: String(repeating: "b", count: 64), mediaType: "text/plain")
    _ = try await desk.ledger.publish(files: [file], of: Self.yearly, app: LedgerDesk.app, by: "olga")
    _ = try await desk.redeem(period(1, until: 100), for: ada)
    try await desk.ledger.revoke(
      LedgerDesk.club, source: "1", from: ada.customer, app: LedgerDesk.app, reason: "fraud", by: "olga")

    try await desk.ledger.learn(from: LedgerDesk.proof([period(2, Self.yearly, until: 900)], stated: 5))

    #expect(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app) == [])
  }
}
