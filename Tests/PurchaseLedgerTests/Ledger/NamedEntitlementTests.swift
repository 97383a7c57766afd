import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/offerings.md, "Names".
@Suite("Entitlements by name", .timeLimit(.minutes(RandomSeeds.isLong ? 240 : 30)))
struct NamedEntitlementTests {
  private static let app = TestLedger.app
  private static let club = EntitlementName(rawValue: "club")!
  private static let library = EntitlementName(rawValue: "library")!

  private func publish(
    _ product: ProductID, _ names: [EntitlementName], type: ProductType = .nonConsumable, in fixture: TestLedger
  ) async throws {
    try await fixture.ledger.publish(
      LedgerProduct(id: product, type: type, entitlements: names), app: Self.app, by: "olga")
  }

  private func named(_ customer: CustomerID, _ fixture: TestLedger) async throws -> [NamedEntitlement] {
    try await fixture.ledger.namedEntitlements(of: customer, app: Self.app)
  }

  @Test(
    "a product's names are stored with it, in no order and once each, and replaced with it; it begins without names",
    arguments: LedgerEngine.allCases)
  func names(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    #expect(try await ledger.catalog(of: Self.app).products.allSatisfy { $0.product.entitlements.isEmpty })

    try await publish(TestLedger.book, [Self.library, Self.club, Self.library], in: fixture)
    let revision = try await ledger.catalog(of: Self.app).revision
    try await publish(TestLedger.book, [Self.club, Self.library], in: fixture)
    let catalog = try await ledger.catalog(of: Self.app)
    #expect(catalog.revision == revision, "the same names in another order are the same product")
    let page = try await ledger.products(of: Self.app, limit: 2)
    let one = try await ledger.product(TestLedger.book, of: Self.app).product.product
    for product in [catalog.products[0].product, page.elements[0].product, one] {
      #expect(product.id == TestLedger.book)
      #expect(product.entitlements == [Self.club, Self.library])
    }
    // Its names make no further products of it, on no page.
    #expect(catalog.products.count == 4)
    #expect(page.elements.map(\.product.id) == [TestLedger.book, TestLedger.club])
    let rest = try await ledger.products(of: Self.app, after: page.next, limit: 2)
    #expect(rest.elements.map(\.product.id) == [TestLedger.coins, TestLedger.magazine] && rest.next == nil)

    try await publish(TestLedger.book, [Self.club], in: fixture)
    #expect(try await ledger.product(TestLedger.book, of: Self.app).product.product.entitlements == [Self.club])
    try await publish(TestLedger.book, [], in: fixture)
    #expect(try await ledger.product(TestLedger.book, of: Self.app).product.product.entitlements == [])
    #expect(try await ledger.catalog(of: Self.app).revision == revision + 2)
    // The files stay.
    #expect(try await ledger.product(TestLedger.book, of: Self.app).content?.files.count == 1)
    let details = try await ledger.auditLog(limit: 100).filter { $0.subject.hasSuffix(TestLedger.book.rawValue) }
    #expect(details.contains { $0.detail == "{} club library" })
  }

  @Test("20 names are the most, and a name has 1 to 64 plain characters")
  func invalid() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    let names = (1...21).compactMap { EntitlementName(rawValue: "name-\($0)") }
    try await publish(TestLedger.book, Array(names.prefix(20)), in: fixture)
    await #expect(throws: LedgerError.self) { try await publish(TestLedger.book, names, in: fixture) }
    #expect(try await fixture.ledger.product(TestLedger.book, of: Self.app).product.product.entitlements.count == 20)
    for text in ["", "a b", "a/b", "é", "a\0", "a\n", String(repeating: "a", count: 65)] {
      #expect(EntitlementName(rawValue: text) == nil && OfferingID(rawValue: text) == nil, "\(text.debugDescription)")
    }
    for text in [".", ".."] {
      #expect(EntitlementName(rawValue: text) != nil && OfferingID(rawValue: text) == nil, "\(text)")
    }
    #expect(OfferingID(rawValue: "...") != nil && OfferingID(rawValue: ".a") != nil)
    #expect(EntitlementName(rawValue: "A-z_0.9" + String(repeating: "a", count: 57)) != nil)
  }

  @Test(
    "access by name: the latest end of the active products; a refund ends it; a name counts for purchases of before",
    arguments: LedgerEngine.allCases)
  func access(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    let start = TestLedger.start
    func grant(_ product: ProductID, until end: Int64?, _ key: String) async throws {
      try await fixture.ledger.grant(
        .product(product, accessUntil: end.map { start.adding(seconds: $0) }), to: ada.customer, app: Self.app,
        key: key, reason: "test", by: "olga")
    }
    func element(
      _ isActive: Bool, until end: Int64?, _ products: ProductID...
    ) -> [NamedEntitlement] {
      [
        NamedEntitlement(
          name: Self.club, isActive: isActive, accessUntil: end.map { start.adding(seconds: $0) },
          products: products.sorted())
      ]
    }
    try await grant(TestLedger.magazine, until: 100, "a")
    #expect(try await named(ada.customer, fixture) == [], "no product has a name, and an id is none")
    // Nothing of the customer is written.
    let events = try await LedgerReplay.events(of: fixture.ledger).count
    try await publish(TestLedger.magazine, [Self.club], in: fixture)
    try await publish(TestLedger.book, [Self.club], in: fixture)
    #expect(try await LedgerReplay.events(of: fixture.ledger).count == events)
    #expect(try await named(ada.customer, fixture) == element(true, until: 100, TestLedger.magazine))

    try await grant(TestLedger.magazine, until: 300, "b")
    try await grant(TestLedger.book, until: 200, "c")
    #expect(
      try await named(ada.customer, fixture) == element(true, until: 300, TestLedger.book, TestLedger.magazine))
    #expect(try await named(ben.customer, fixture) == [])
    // A purchase for ever, and its refund.
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 7), for: ada)
    #expect(
      try await named(ada.customer, fixture) == element(true, until: nil, TestLedger.book, TestLedger.magazine))
    let refund = TestLedger.purchase(TestLedger.book, 7, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refund], stated: 5))
    #expect(
      try await named(ada.customer, fixture) == element(true, until: 300, TestLedger.book, TestLedger.magazine))

    fixture.clock.set(start.adding(seconds: 200))
    #expect(try await named(ada.customer, fixture) == element(true, until: 300, TestLedger.magazine))
    fixture.clock.set(start.adding(seconds: 300))
    #expect(
      try await named(ada.customer, fixture) == element(false, until: 300, TestLedger.book, TestLedger.magazine))
    // Without the name, the product counts no longer.
    try await publish(TestLedger.magazine, [], in: fixture)
    #expect(try await named(ada.customer, fixture) == element(false, until: 200, TestLedger.book))
    #expect(try await fixture.owned(by: ada.customer) == [])
  }

  @Test(
    "the entitlements of an erased customer and of a plan that was replaced have ended by name, too",
    arguments: LedgerEngine.allCases)
  func ended(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let yearly = ProductID("com.example.reader.club.yearly")
    try await publish(TestLedger.club, [Self.club], type: .autoRenewableSubscription, in: fixture)
    try await publish(yearly, [Self.club, Self.library], type: .autoRenewableSubscription, in: fixture)
    func period(_ id: UInt64, _ product: ProductID, until seconds: Int64) -> ProvenPurchase {
      var purchase = TestLedger.purchase(product, id, original: 1)
      purchase.type = .autoRenewableSubscription
      purchase.expiresDate = TestLedger.start.adding(seconds: seconds)
      return purchase
    }
    _ = try await fixture.redeem(period(1, TestLedger.club, until: 100), for: ada)
    _ = try await fixture.redeem(period(2, yearly, until: 1000), stated: 5, for: ada)
    let now = try await named(ada.customer, fixture)
    let end = TestLedger.start.adding(seconds: 1000)
    #expect(now.map(\.name) == [Self.club, Self.library])
    #expect(now.allSatisfy { $0.isActive && $0.accessUntil == end && $0.products == [yearly] })

    fixture.clock.advance(seconds: 10)
    try await fixture.ledger.erase(ada.customer)
    let erased = try await named(ada.customer, fixture)
    #expect(erased.allSatisfy { !$0.isActive && $0.accessUntil == fixture.clock.now })
    #expect(erased.map(\.products) == [[TestLedger.club, yearly], [yearly]])
  }

  @Test(
    "what the database computes is what the list of entitlements says, in random histories",
    arguments: LedgerEngine.allCases, RandomSeeds.first(4))
  func random(_ engine: LedgerEngine, _ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada").customer, try await fixture.identified("ben").customer)
    let products = [TestLedger.book, TestLedger.magazine, TestLedger.coins]
    var names: [ProductID: [EntitlementName]] = [:]
    for product in products {
      names[product] = [Self.club, Self.library].filter { _ in Bool.random(using: &generator) }
      let type: ProductType = product == TestLedger.coins ? .consumable : .nonConsumable
      try await publish(product, names[product] ?? [], type: type, in: fixture)
    }
    func date() -> SQLValue {
      Bool.random(using: &generator)
        ? .null : TestLedger.start.adding(seconds: Int64.random(in: -5...5, using: &generator)).sqlValue
    }
    var rows: [[SQLValue]] = []
    for number in 0..<Int.random(in: 0...12, using: &generator) {
      let owner = Int.random(in: 0..<4, using: &generator) == 0 ? ben : ada
      let product = products[Int.random(in: 0..<3, using: &generator)]
      rows.append([owner.sqlValue, product.sqlValue, .text("\(number)"), date(), date()])
    }
    let inserted = rows
    try await fixture.database.write(locking: []) { transaction in
      for row in inserted {
        try transaction.execute(
          """
          INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, ended)
          VALUES ($1, $2, $3, $4, 'granted', 0, $5, $6)
          """, row[0], Self.app, row[1], row[2], row[3], row[4])
      }
    }
    for customer in [ada, ben] {
      let all = try await fixture.ledger.entitlements(of: customer, app: Self.app)
      let expected = [Self.club, Self.library].compactMap { name in
        Self.expected(name, all.filter { names[$0.product]?.contains(name) == true }, at: fixture.clock.now)
      }
      #expect(try await named(customer, fixture) == expected)
      let summary = try await fixture.ledger.summary(of: customer)
      #expect(summary.named.map(\.entitlement) == expected && summary.named.allSatisfy { $0.app == Self.app })
    }
  }

  /// What a list of entitlements with one name says.
  private static func expected(
    _ name: EntitlementName, _ entitlements: [LedgerEntitlement], at date: StoreDate
  ) -> NamedEntitlement? {
    guard !entitlements.isEmpty else { return nil }
    let active = entitlements.filter { $0.isActive(at: date) }
    let products = Set((active.isEmpty ? entitlements : active).map(\.product)).sorted()
    let until: StoreDate?
    if active.isEmpty {
      until = entitlements.map { [$0.accessUntil, $0.ended].compactMap(\.self).min() ?? date }.max()
    } else {
      until = active.contains { $0.accessUntil == nil } ? nil : active.compactMap(\.accessUntil).max()
    }
    return NamedEntitlement(name: name, isActive: !active.isEmpty, accessUntil: until, products: products)
  }

  @Test(
    "only the first page of entitlements, and of the state, has the names, and they are about all pages",
    arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada").customer
    for (key, product) in [TestLedger.book, TestLedger.magazine].enumerated() {
      try await publish(product, [Self.club], in: fixture)
      try await fixture.ledger.grant(
        .product(product, accessUntil: nil), to: ada, app: Self.app, key: "\(key)", reason: "test", by: "olga")
    }
    let expected = try await named(ada, fixture)
    #expect(expected.map(\.products) == [[TestLedger.book, TestLedger.magazine]])
    let first = try await fixture.ledger.entitlementPage(of: ada, app: Self.app, limit: 1)
    #expect(first.named == expected && first.page.elements.map(\.product) == [TestLedger.book])
    #expect(first.date == fixture.clock.now)
    let second = try await fixture.ledger.entitlementPage(of: ada, app: Self.app, after: first.page.next, limit: 1)
    #expect(second.named == nil && second.page.elements.map(\.product) == [TestLedger.magazine])
    #expect(second.page.next == nil)
    let state = try await fixture.ledger.state(of: ada, app: Self.app, limit: 1)
    #expect(state.named == expected)
    #expect(try await fixture.ledger.state(of: ada, app: Self.app, after: state.next, limit: 1).named == nil)
  }
}
