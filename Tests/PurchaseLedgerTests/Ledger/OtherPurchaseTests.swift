import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/purchase-ledger.md, "One id, two purchases".
@Suite("Another purchase under a known transaction id", .timeLimit(.minutes(30)))
struct OtherPurchaseTests {
  private static let pass = ProductID("com.example.reader.pass")
  private static let year = ProductID("com.example.reader.year")

  /// A claimed purchase, and another one with the same transaction id.
  struct Pair: Sendable, CustomTestStringConvertible {
    let known: ProvenPurchase
    let other: ProvenPurchase
    let testDescription: String

    init(_ text: String, _ known: ProvenPurchase, _ other: ProvenPurchase) {
      (testDescription, self.known, self.other) = (text, known, other)
    }
  }

  private static func period(
    _ id: UInt64, _ product: ProductID = TestLedger.club, original: UInt64 = 1, later seconds: Int64 = 0
  ) -> ProvenPurchase {
    var purchase = TestLedger.purchase(product, id, original: original).later(seconds)
    purchase.expiresDate = purchase.purchaseDate.adding(seconds: 1000)
    return purchase
  }

  private static let pairs: [Pair] = {
    let (coins, book) = (TestLedger.purchase(TestLedger.coins, 1), TestLedger.purchase(TestLedger.book, 1))
    let passes = { TestLedger.purchase(pass, 1, quantity: $0) }
    return [
      Pair("coins, book", coins, book), Pair("book, coins", book, coins),
      Pair("book, magazine", book, TestLedger.purchase(TestLedger.magazine, 1)),
      Pair("coins, subscription", coins, period(1)), Pair("subscription, coins", period(1), coins),
      Pair("a renewal, coins", period(2), TestLedger.purchase(TestLedger.coins, 2)),
      Pair("coins, a renewal", TestLedger.purchase(TestLedger.coins, 2), period(2)),
      Pair("book, a renewal of a subscription with its id", book, period(2)),
      Pair("two passes, five", passes(2), passes(5)), Pair("pass, subscription", passes(1), period(1)),
      Pair("coins, five times", coins, TestLedger.purchase(TestLedger.coins, 1, quantity: 5)),
      Pair("coins, two seconds later", coins, coins.later(2)), Pair("book, a day earlier", book, book.later(-86_400)),
      Pair("book, restored from a later one", book, TestLedger.purchase(TestLedger.book, 9, original: 1).later(60)),
      Pair("subscription, an hour later", period(1), period(1, later: 3600)),
      Pair("subscription, another plan", period(1), period(1, year)),
      Pair("renewal, of another subscription", period(2), period(2, original: 7)),
    ]
  }()

  private static func open(_ engine: LedgerEngine) async throws -> TestLedger {
    let fixture = try await TestLedger.open(engine)
    let products = [
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30),
      LedgerProduct(id: year, type: .autoRenewableSubscription),
    ]
    for product in products { try await fixture.ledger.publish(product, app: TestLedger.app, by: "olga") }
    return fixture
  }

  /// The rows of purchases and their goods, as far as a proof can change them.
  private static func stored(in fixture: TestLedger) async throws -> [String] {
    let columns = [
      "claim": "id || product || customer || taken || COALESCE(access_until, 0)",
      "claim_period": "id || claim || product || purchased || access_until",
      "statement": "id || revoked || stated", "entitlement": "customer || source || product || COALESCE(ended, 0)",
      "delivery": "id || source || COALESCE(ended, 0)", "credit_account": "customer || balance || movements",
    ]
    return try await fixture.database.read { transaction in
      try columns.sorted { $0.key < $1.key }.flatMap { table, text in
        try transaction.rows("SELECT \(text) AS text FROM \(table) ORDER BY 1").map {
          "\(table) \(try $0.text("text"))"
        }
      }
    }
  }

  @Test(
    "G6 another purchase with the transaction id of a claimed one is refused, for everybody, and changes nothing; nor does its refund",
    arguments: LedgerEngine.allCases, pairs)
  func refused(_ engine: LedgerEngine, _ pair: Pair) async throws {
    let fixture = try await Self.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let first = try await fixture.redeem(pair.known, for: ada)
    #expect(first.given != nil)
    let before = try await Self.stored(in: fixture)
    var refunded = pair.other
    refunded.revocation = ProvenPurchase.Revocation(date: TestLedger.start.adding(seconds: 20))
    let bought = TestLedger.purchase(TestLedger.coins, 500)

    for claimant in [ada, ben] {
      for purchase in [pair.other, refunded] {
        let proof = TestLedger.proof([purchase], stated: 30)
        let named = try await fixture.ledger.redeem(
          proof, .purchases([.init(transactionID: purchase.transactionID)]), for: claimant)
        #expect(named.purchases.map(\.outcome.refusal) == [.otherPurchase])
        #expect(named.otherPurchases.count == 1)
        let restored = try await fixture.ledger.redeem(proof, .everythingOwned, for: claimant)
        #expect(restored.purchases.allSatisfy { $0.outcome.refusal == .otherPurchase })
      }
    }
    let recorded = try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 40))
    #expect((recorded.claims, recorded.changed, recorded.otherPurchases.count) == (0, 0, 1))
    #expect(try await Self.stored(in: fixture) == before)

    // A refund that is only contained in the proof of another purchase.
    let mixed = try await fixture.ledger.redeem(
      TestLedger.proof([bought, refunded], stated: 50), .purchases([.init(transactionID: bought.transactionID)]),
      for: ben)
    #expect(mixed.purchases.first?.outcome.given?.isNew == true)
    #expect(mixed.otherPurchases.count == 1)
    #expect(try await fixture.redeem(pair.known, stated: 60, for: ada) == first)
    try await fixture.checkBalances()
  }

  @Test(
    "G6 a device's proof of another purchase does not join its installation to the owner",
    arguments: LedgerEngine.allCases)
  func notJoined(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (device, book) = (UUID(), TestLedger.purchase(TestLedger.book, 1))
    let owner = try await fixture.installation(on: device)
    _ = try await fixture.redeem(book, stated: 1, issuedFor: device, for: owner)
    fixture.clock.advance(seconds: 60)
    let newcomer = try await fixture.installation(on: device)
    func restore(_ purchase: ProvenPurchase, besides others: [ProvenPurchase] = []) async throws -> CustomerID {
      try await fixture.ledger.redeem(
        TestLedger.proof([purchase] + others, stated: 90, issuedFor: device), .everythingOwned, for: newcomer
      ).customer
    }

    #expect(try await restore(book.later(60)) == newcomer.customer)
    // A proof that is redeemed in several transactions.
    let many = (1000...1200 as ClosedRange<UInt64>).map { TestLedger.purchase("com.example.reader.unheard", $0) }
    #expect(try await restore(book.later(60), besides: many) == newcomer.customer)
    #expect(try await restore(book) == owner.customer)
  }

  /// Proofs of one purchase that differ.
  private static let proofsOfOne: [Pair] = {
    let book = TestLedger.purchase(TestLedger.book, 1)
    var (exact, shared, unstated) = (book, book.later(3600), TestLedger.purchase(pass, 1))
    exact.originalPurchaseDate = exact.originalPurchaseDate.adding(milliseconds: 999)
    shared.ownership = .familyShared
    unstated.statesQuantity = false
    var (renewal, upgraded) = (period(2), period(1))
    renewal.originalPurchaseDate = renewal.originalPurchaseDate.adding(seconds: 600)
    upgraded.expiresDate = upgraded.purchaseDate.adding(seconds: 5)
    return [
      Pair("milliseconds", exact, book), Pair("whole seconds", book, exact),
      Pair("a share of a relative", book, shared),
      Pair("restored", TestLedger.purchase(TestLedger.book, 9, original: 1), book),
      Pair("no quantity", TestLedger.purchase(pass, 1, quantity: 3), unstated),
      Pair("another original date of a renewal", period(1), renewal),
      Pair("replaced by another plan", period(1), upgraded),
      Pair("the period of another plan", period(1), period(3, year)),
    ]
  }()

  @Test(
    "B9 different proofs of one purchase do not contradict one another", arguments: LedgerEngine.allCases, proofsOfOne)
  func same(_ engine: LedgerEngine, _ pair: Pair) async throws {
    let fixture = try await Self.open(engine)
    let ada = try await fixture.identified("ada")
    let first = try #require(try await fixture.redeem(pair.known, for: ada).given)
    let again = try #require(try await fixture.redeem(pair.other, stated: 5, for: ada).given)
    #expect((again.claim, again.isNew) == (first.claim, false))
    let recorded = try await fixture.ledger.recordStatuses(from: TestLedger.proof([pair.other], stated: 9))
    #expect((recorded.claims, recorded.otherPurchases) == (1, []))
  }
}

extension ProvenPurchase {
  /// The purchase at a later date.
  fileprivate func later(_ seconds: Int64) -> ProvenPurchase {
    var purchase = self
    purchase.purchaseDate = purchaseDate.adding(seconds: seconds)
    purchase.originalPurchaseDate = originalPurchaseDate.adding(seconds: seconds)
    return purchase
  }
}
