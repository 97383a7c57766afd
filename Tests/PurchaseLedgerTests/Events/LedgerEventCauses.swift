import Foundation
import StoreModel

@testable import PurchaseLedger

/// The causes that ``LedgerEventTests`` plays (Documentation/ledger-events.md, "The kinds").
extension LedgerEventTests {
  /// A cause, and the events of its commits, as `kind cause {details}`.
  struct Cause: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var policy = LedgerSettings.RefundPolicy.debt
    let before: @Sendable (Scene) async throws -> Void
    let run: @Sendable (Scene) async throws -> Void
    let events: [String]

    init(
      _ text: String, policy: LedgerSettings.RefundPolicy = .debt,
      after before: @escaping @Sendable (Scene) async throws -> Void = { _ in },
      _ run: @escaping @Sendable (Scene) async throws -> Void, _ events: [String]
    ) {
      (testDescription, self.policy, self.before, self.run, self.events) = (text, policy, before, run, events)
    }
  }

  static let coins = TestLedger.purchase(TestLedger.coins, 1)
  static let refundedCoins = TestLedger.purchase(TestLedger.coins, 1, refunded: 100_000)
  private static let gold = ProductID("com.example.reader.gold")
  static let book = TestLedger.purchase(TestLedger.book, 2)
  private static let refundedBook = TestLedger.purchase(TestLedger.book, 2, refunded: 40_000)

  static let causes: [Cause] = [
    Cause(
      "a consumable", { try await $0.redeem([coins]) },
      [
        "purchase.claimed redemption ADA claim=1 transaction=1 com.example.reader.coins credits={amount=5,unit=coins} quantity=1 type=Consumable"
      ]),
    Cause(
      "a consumable once more", after: { try await $0.redeem([coins]) }, { try await $0.redeem([coins], stated: 9) }, []
    ),
    Cause(
      "a product with files", { try await $0.redeem([book]) },
      [
        "purchase.claimed redemption ADA claim=2 transaction=2 com.example.reader.book quantity=1 type=Non-Consumable",
        "entitlement.begun redemption ADA com.example.reader.book source=2 origin=purchased",
        "delivery.begun ADA com.example.reader.book source=2",
      ]),
    Cause(
      "a spend", after: { try await $0.redeem([coins]) }, { try await $0.spend(2) },
      ["credits.moved ADA coins 2 amount=-2 balance=3 cause=spend key=level 3"]),
    Cause(
      "a spend once more",
      after: {
        try await $0.redeem([coins])
        try await $0.spend(2)
      }, { try await $0.spend(2) }, []),
    Cause(
      "a refund before anybody has claimed the purchase, by a notification",
      { try await $0.receive(refundedCoins, stated: 9) },
      ["purchase.refunded notification claim=1 transaction=1 percentage=100000 previousPercentage=0"]),
    Cause(
      "a refund of spent credits, which blocks", policy: .block,
      after: {
        try await $0.redeem([coins])
        try await $0.spend(2)
      }, { try await $0.record([refundedCoins], stated: 9) },
      [
        "purchase.refunded reverification ADA claim=1 transaction=1 com.example.reader.coins percentage=100000 previousPercentage=0",
        "credits.moved ADA coins 3 amount=-5 balance=-2 cause=refund key=production/1@1800000009000",
        "credits.moved ADA coins 4 amount=2 balance=0 cause=shortfall key=production/1@1800000009000",
        "credits.blocked reverification ADA coins",
      ]),
    Cause(
      "its reversal, read from the history", policy: .block,
      after: {
        try await $0.redeem([coins])
        try await $0.spend(2)
        try await $0.record([refundedCoins], stated: 9)
      }, { try await $0.receive(coins, stated: 20, from: .history) },
      [
        "purchase.refundReversed history ADA claim=1 transaction=1 com.example.reader.coins previousPercentage=100000",
        "credits.moved ADA coins 5 amount=5 balance=5 cause=refundReversed key=production/1@1800000020000",
        "credits.moved ADA coins 6 amount=-2 balance=3 cause=shortfallReversed key=production/1@1800000020000",
        "credits.unblocked history ADA coins",
      ]),
    Cause(
      "another percentage of a refund of a product", after: { try await $0.redeem([book]) },
      {
        try await $0.record([refundedBook], stated: 9)
        try await $0.record([TestLedger.purchase(TestLedger.book, 2, refunded: 70_000)], stated: 10)
        try await $0.record([TestLedger.purchase(TestLedger.book, 2, refunded: 70_000)], stated: 11)
      },
      [
        "purchase.refunded reverification ADA claim=2 transaction=2 com.example.reader.book percentage=40000 previousPercentage=0",
        "entitlement.ended reverification ADA com.example.reader.book source=2 endReason=refunded origin=purchased",
        "delivery.ended ADA com.example.reader.book source=2",
        "purchase.refunded reverification ADA claim=2 transaction=2 com.example.reader.book percentage=70000 previousPercentage=40000",
      ]),
    Cause(
      "the reversal of that",
      after: {
        try await $0.redeem([book])
        try await $0.record([refundedBook], stated: 9)
      }, { try await $0.record([book], stated: 10) },
      [
        "purchase.refundReversed reverification ADA claim=2 transaction=2 com.example.reader.book previousPercentage=40000",
        "entitlement.resumed reverification ADA com.example.reader.book source=2 origin=purchased",
        "delivery.begun ADA com.example.reader.book source=2",
      ]),
    Cause(
      "a subscription", { try await $0.redeem([$0.period(3, until: 1_000)], renewals: [$0.renewal(after: 3)]) },
      [
        "period.recorded redemption claim=3 transaction=3 com.example.reader.club expires=+1000 newest=1",
        "renewal.changed redemption claim=3 transaction=3 com.example.reader.club autoRenew=1 billingRetry=0 product=com.example.reader.club",
        "purchase.claimed redemption ADA claim=3 transaction=3 com.example.reader.club quantity=1 type=Auto-Renewable Subscription",
        "entitlement.begun redemption ADA com.example.reader.club source=3 accessUntil=+1000 origin=purchased",
      ]),
    Cause(
      "another plan, by a notification",
      after: {
        try await $0.fixture.ledger.publish(
          LedgerProduct(id: gold, type: .autoRenewableSubscription), app: app, by: "olga")
        try await $0.redeem([$0.period(3, until: 1_000)])
      }, { try await $0.receive($0.period(4, until: 2_000, gold), stated: 9) },
      [
        "period.recorded notification ADA claim=3 transaction=4 com.example.reader.gold expires=+2000 newest=1",
        "entitlement.ended notification ADA com.example.reader.club source=3 accessUntil=+1000 endReason=replaced origin=purchased previousAccessUntil=+1000",
        "purchase.productChanged notification ADA claim=3 com.example.reader.gold previousProduct=com.example.reader.club",
        "entitlement.begun notification ADA com.example.reader.gold source=3 accessUntil=+2000 origin=purchased",
      ]),
    Cause(
      "a renewal, an extension of it, and a refund of it", after: { try await $0.redeem([$0.period(3, until: 1_000)]) },
      {
        try await $0.receive($0.period(4, until: 2_000), stated: 9)
        try await $0.receive($0.period(4, until: 3_000), stated: 10)
        try await $0.receive($0.period(4, until: 3_000, refunded: 100_000), stated: 11)
      },
      [
        "period.recorded notification ADA claim=3 transaction=4 com.example.reader.club expires=+2000 newest=1",
        "entitlement.changed notification ADA com.example.reader.club source=3 accessUntil=+2000 origin=purchased previousAccessUntil=+1000",
        "period.changed notification ADA claim=3 transaction=4 com.example.reader.club expires=+3000 previousExpires=+2000 previousProduct=com.example.reader.club",
        "entitlement.changed notification ADA com.example.reader.club source=3 accessUntil=+3000 origin=purchased previousAccessUntil=+2000",
        "purchase.refunded notification ADA claim=3 transaction=4 com.example.reader.club percentage=100000 previousPercentage=0",
        "entitlement.changed notification ADA com.example.reader.club source=3 accessUntil=+1000 origin=purchased previousAccessUntil=+3000",
      ]),
    Cause(
      "a failed renewal with a grace period, and renewal that is turned off",
      after: { try await $0.redeem([$0.period(3, until: 1_000)], renewals: [$0.renewal(after: 3)]) },
      {
        try await $0.receive($0.period(3, until: 1_000), stated: 9, renewal: $0.renewal(after: 3, grace: 1_500))
        try await $0.receive($0.period(3, until: 1_000), stated: 10, renewal: $0.renewal(after: 3, grace: 1_500))
        try await $0.receive($0.period(3, until: 1_000), stated: 11, renewal: $0.renewal(after: 3, isOn: false))
      },
      [
        "renewal.changed notification ADA claim=3 transaction=3 com.example.reader.club autoRenew=1 billingRetry=1 graceUntil=+1500 previous={autoRenew=1,billingRetry=0,period=3,product=com.example.reader.club} product=com.example.reader.club",
        "entitlement.changed notification ADA com.example.reader.club source=3 accessUntil=+1500 origin=purchased previousAccessUntil=+1000",
        "renewal.changed notification ADA claim=3 transaction=3 com.example.reader.club autoRenew=0 billingRetry=0 previous={autoRenew=1,billingRetry=1,graceUntil=+1500,period=3,product=com.example.reader.club} product=com.example.reader.club",
        "entitlement.changed notification ADA com.example.reader.club source=3 accessUntil=+1000 origin=purchased previousAccessUntil=+1500",
      ]),
    Cause(
      "a price increase that the customer agrees to, and that takes effect",
      after: { try await $0.redeem([$0.period(3, until: 1_000)], renewals: [$0.renewal(after: 3)]) },
      {
        for (stated, status) in [(9, 0), (10, 0), (11, 1), (12, nil)] as [(Int64, Int64?)] {
          try await $0.receive(
            $0.period(3, until: 1_000), stated: stated, renewal: $0.renewal(after: 3, priceIncrease: status))
        }
      },
      [
        "renewal.priceIncrease notification ADA claim=3 transaction=3 com.example.reader.club status=0",
        "renewal.priceIncrease notification ADA claim=3 transaction=3 com.example.reader.club previousStatus=0 status=1",
        "renewal.priceIncrease notification ADA claim=3 transaction=3 com.example.reader.club previousStatus=1",
      ]),
    Cause(
      "statements without a price increase that are older than the stored one, or as old",
      after: {
        try await $0.redeem(
          [$0.period(3, until: 1_000)], renewals: [$0.renewal(after: 3, priceIncrease: 0)])
      },
      {
        try await $0.receive(
          $0.period(3, until: 1_000), stated: 10, renewal: $0.renewal(after: 3, priceIncrease: 1))
        for stated in [Int64(9), 10] {
          try await $0.receive($0.period(3, until: 1_000), stated: stated, renewal: $0.renewal(after: 3))
        }
      },
      [
        "renewal.priceIncrease notification ADA claim=3 transaction=3 com.example.reader.club previousStatus=0 status=1"
      ]),
    Cause(
      "an earlier period that is learnt of later", after: { try await $0.redeem([$0.period(4, until: 2_000)]) },
      { try await $0.record([$0.period(3, until: 1_000)], stated: 9) },
      [
        "period.recorded reverification ADA claim=3 transaction=3 com.example.reader.club expires=+1000 newest=0"
      ]),
    Cause(
      "a purchase that is family shared after all", after: { try await $0.redeem([book]) },
      {
        var shared = book
        shared.ownership = .familyShared
        try await $0.record([shared], stated: 9)
      },
      [
        "purchase.ownershipChanged reverification ADA claim=2 com.example.reader.book ownership=FAMILY_SHARED previousOwnership=PURCHASED",
        "entitlement.changed reverification ADA com.example.reader.book source=2 origin=familyShared",
      ]),
    Cause(
      "a grant of credits and of a product, and its revocation",
      {
        let ledger = $0.fixture.ledger
        for grant in [OperatorGrant.credits(TestLedger.coin, 3), .product(TestLedger.magazine, accessUntil: nil)] {
          try await ledger.grant(grant, to: $0.ada.customer, app: app, key: "k", reason: "r", by: "olga")
        }
        try await ledger.revoke(
          TestLedger.magazine, source: "grant:k", from: $0.ada.customer, app: app, reason: "r", by: "olga")
      },
      [
        "credits.moved ADA coins 1 amount=3 balance=3 cause=grant key=k",
        "entitlement.begun operator ADA com.example.reader.magazine source=grant:k origin=granted",
        "entitlement.ended operator ADA com.example.reader.magazine source=grant:k endReason=revoked origin=granted",
      ]),
    Cause(
      "a block that an operator lifts", policy: .block,
      after: {
        try await $0.redeem([coins])
        try await $0.spend(2)
        try await $0.record([refundedCoins], stated: 9)
      },
      {
        try await $0.fixture.ledger.liftBlock(
          of: TestLedger.coin, customer: $0.ada.customer, app: app, reason: "r", by: "olga")
      }, ["credits.unblocked operator ADA coins"]),
    Cause(
      "a move by an operator", after: { try await $0.redeem([book]) },
      {
        try await $0.fixture.ledger.move(
          TransactionID(2), in: .production, app: app, to: $0.ben.customer, reason: "r", by: "olga")
      },
      [
        "entitlement.ended operator ADA com.example.reader.book source=2 endReason=transferred origin=purchased",
        "delivery.ended ADA com.example.reader.book source=2",
        "purchase.moved operator BEN claim=2 com.example.reader.book from=ADA",
        "entitlement.begun operator BEN com.example.reader.book source=2 origin=purchased",
        "delivery.begun BEN com.example.reader.book source=2",
      ]),
    Cause(
      "an erasure", after: { try await $0.redeem([book]) }, { try await $0.fixture.ledger.erase($0.ada.customer) },
      [
        "customer.erased customer ADA",
        "entitlement.ended customer ADA com.example.reader.book source=2 endReason=erased origin=purchased",
        "delivery.ended ADA com.example.reader.book source=2",
      ]),
  ]
}
