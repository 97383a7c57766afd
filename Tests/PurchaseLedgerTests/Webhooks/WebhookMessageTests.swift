import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Each cause and the messages about it (Documentation/webhooks.md, "What causes each type").
@Suite("Messages of webhooks", .timeLimit(.minutes(30)))
struct WebhookMessageTests {
  typealias Scene = LedgerEventTests.Scene

  struct Cause: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: @Sendable (Scene) async throws -> Void
    let run: @Sendable (Scene) async throws -> Void
    /// The messages, as `TYPE member=value`.
    let messages: [String]

    init(
      _ text: String, after before: @escaping @Sendable (Scene) async throws -> Void = { _ in },
      _ run: @escaping @Sendable (Scene) async throws -> Void, _ messages: [String]
    ) {
      (testDescription, self.before, self.run, self.messages) = (text, before, run, messages)
    }
  }

  private static let gold = ProductID("com.example.reader.gold")
  private static let coins = priced(TestLedger.purchase(TestLedger.coins, 1), 990)
  private static let refundedCoins = TestLedger.purchase(TestLedger.coins, 1, refunded: 40_000)
  private static let book = TestLedger.purchase(TestLedger.book, 2)

  private static func priced(
    _ purchase: ProvenPurchase, _ milliunits: Int64, _ type: PurchasePeriodType? = nil
  ) -> ProvenPurchase {
    var purchase = purchase
    purchase.price = PurchasePrice(milliunits: milliunits, currency: "EUR")
    purchase.periodType = type
    return purchase
  }

  private static func subscribe(_ scene: Scene) async throws {
    try await scene.redeem([scene.period(3, until: 1_000)], renewals: [scene.renewal(after: 3)])
  }

  private static func state(_ scene: Scene, _ stated: Int64, _ change: (inout ProvenRenewal) -> Void) async throws {
    var renewal = scene.renewal(after: 3)
    change(&renewal)
    try await scene.receive(scene.period(3, until: 1_000), stated: stated, renewal: renewal)
  }

  static let causes: [Cause] = [
    Cause(
      "a subscription", { try await $0.redeem([priced($0.period(3, until: 1_000), 0, .trial)]) },
      [
        "INITIAL_PURCHASE ADA Production com.example.reader.club 3/3 TRIAL 0EUR expirationDate=+1000 quantity=1"
      ]),
    Cause(
      "a subscription with earlier periods: the newest one, without renewals",
      {
        let trial = priced($0.period(3, until: 1_000), 0, .trial)
        try await $0.redeem([trial, priced($0.period(4, until: 2_000), 4_990)])
      },
      ["INITIAL_PURCHASE ADA Production com.example.reader.club 4/3 4990EUR expirationDate=+2000 quantity=1"]),
    Cause(
      "a renewal", after: subscribe,
      { try await $0.receive(priced($0.period(4, until: 2_000), 4_990, .normal), stated: 9) },
      ["RENEWAL ADA Production com.example.reader.club 4/3 NORMAL 4990EUR expirationDate=+2000"]),
    Cause(
      "a renewal before anybody has claimed the subscription",
      { try await $0.receive($0.period(4, until: 2_000), stated: 9) }, []),
    Cause(
      "three renewals that are learnt of together, and an older period after them", after: subscribe,
      {
        try await $0.record([$0.period(5, until: 3_000), $0.period(6, until: 4_000)], stated: 9)
        try await $0.record([$0.period(4, until: 2_000)], stated: 10)
      },
      [
        "RENEWAL ADA Production com.example.reader.club 5/3 expirationDate=+3000",
        "RENEWAL ADA Production com.example.reader.club 6/3 expirationDate=+4000",
      ]),
    Cause(
      "an extension", after: subscribe, { try await $0.receive($0.period(3, until: 1_500), stated: 9) },
      [
        "SUBSCRIPTION_EXTENDED ADA Production com.example.reader.club 3/3 expirationDate=+1500 previousExpirationDate=+1000"
      ]),
    Cause(
      "an end that only has other milliseconds, and an earlier one", after: subscribe,
      {
        try await $0.receive($0.period(3, until: 1_001), stated: 9)
        try await $0.receive($0.period(3, until: 900), stated: 10)
      }, []),
    Cause(
      "renewal is turned off and on", after: subscribe,
      {
        try await state($0, 9) { $0.isAutoRenewOn = false }
        try await state($0, 10) { $0.isAutoRenewOn = false }
        try await state($0, 11) { _ in }
      },
      [
        "CANCELLATION ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={autoRenew=0,billingRetry=0,productId=com.example.reader.club}",
        "UNCANCELLATION ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={autoRenew=1,billingRetry=0,productId=com.example.reader.club}",
      ]),
    Cause(
      "renewal that is off as soon as it is stated", after: { try await $0.redeem([$0.period(3, until: 1_000)]) },
      { try await state($0, 9) { $0.isAutoRenewOn = false } },
      [
        "CANCELLATION ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={autoRenew=0,billingRetry=0,productId=com.example.reader.club}"
      ]),
    Cause(
      "a failed renewal with a grace period, and the end of the subscription", after: subscribe,
      {
        try await state($0, 9) {
          ($0.isInBillingRetry, $0.gracePeriodEnd) = (true, TestLedger.start.adding(seconds: 1_500))
        }
        try await state($0, 10) { ($0.isInBillingRetry, $0.expirationIntent) = (true, 2) }
        try await state($0, 11) { ($0.isAutoRenewOn, $0.expirationIntent) = (false, 2) }
        try await state($0, 12) { ($0.isAutoRenewOn, $0.expirationIntent) = (false, 2) }
      },
      [
        "BILLING_ISSUE ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={autoRenew=1,billingRetry=1,gracePeriodExpirationDate=+1500,productId=com.example.reader.club}",
        "EXPIRATION ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={autoRenew=0,billingRetry=0,expirationIntent=2,productId=com.example.reader.club}",
      ]),
    Cause(
      "another plan from the next period on", after: subscribe, { try await state($0, 9) { $0.productID = gold } },
      [
        "PRODUCT_CHANGE ADA Production com.example.reader.club 3/3 expirationDate=+1000 newProductId=com.example.reader.gold renewal={autoRenew=1,billingRetry=0,productId=com.example.reader.gold}"
      ]),
    Cause(
      "another plan now", after: subscribe, { try await $0.receive($0.period(4, until: 2_000, gold), stated: 9) },
      [
        "RENEWAL ADA Production com.example.reader.gold 4/3 expirationDate=+2000",
        "PRODUCT_CHANGE ADA Production com.example.reader.gold -/3 previousProductId=com.example.reader.club",
      ]),
    Cause(
      "a price increase", after: subscribe,
      { scene in
        for (stated, status) in [(9, 0), (10, 1), (11, nil)] as [(Int64, Int64?)] {
          try await state(scene, stated) { $0.priceIncrease = status }
        }
      },
      [
        "PRICE_INCREASE_CONSENT_REQUIRED ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={priceIncreaseStatus=0}",
        "PRICE_INCREASE_CONSENT_APPROVED ADA Production com.example.reader.club 3/3 expirationDate=+1000 renewal={priceIncreaseStatus=1}",
      ]),
    Cause(
      "a consumable, a spend, a partial refund and its reversal",
      {
        try await $0.redeem([coins])
        try await $0.spend(1)
        try await $0.receive(refundedCoins, stated: 9)
        try await $0.receive(coins, stated: 10)
      },
      [
        "NON_RENEWING_PURCHASE ADA Production com.example.reader.coins 1/1 990EUR credits={amount=5,unit=coins} quantity=1",
        "VIRTUAL_CURRENCY_TRANSACTION ADA credits={amount=-1,balance=4,cause=spend,key=level 3,unit=coins}",
        "REFUND ADA Production com.example.reader.coins 1/1 990EUR refund={percentage=40000,previousPercentage=0}",
        "VIRTUAL_CURRENCY_TRANSACTION ADA credits={amount=-2,balance=2,cause=refund,key=production/1@1800000009000,unit=coins}",
        "REFUND_REVERSED ADA Production com.example.reader.coins 1/1 990EUR refund={percentage=0,previousPercentage=40000}",
        "VIRTUAL_CURRENCY_TRANSACTION ADA credits={amount=2,balance=4,cause=refundReversed,key=production/1@1800000010000,unit=coins}",
      ]),
    Cause(
      "a refund, stated again with another date of the same second",
      {
        try await $0.redeem([coins])
        try await $0.receive(refundedCoins, stated: 9)
        var again = refundedCoins
        again.revocation?.date = TestLedger.start.adding(milliseconds: 300)
        try await $0.receive(again, stated: 11)
      },
      [
        "NON_RENEWING_PURCHASE ADA Production com.example.reader.coins 1/1 990EUR credits={amount=5,unit=coins} quantity=1",
        "REFUND ADA Production com.example.reader.coins 1/1 990EUR refund={percentage=40000,previousPercentage=0}",
        "VIRTUAL_CURRENCY_TRANSACTION ADA credits={amount=-2,balance=3,cause=refund,key=production/1@1800000009000,unit=coins}",
      ]),
    Cause(
      "a refund before anybody has claimed the purchase",
      {
        try await $0.receive(TestLedger.purchase(TestLedger.book, 2, refunded: 100_000), stated: 9)
        try await $0.redeem([book])
      },
      [
        "REFUND Production 2/2 refund={percentage=100000,previousPercentage=0}",
        "NON_RENEWING_PURCHASE ADA Production com.example.reader.book 2/2 quantity=1",
      ]),
    Cause(
      "a move by an operator", after: { try await $0.redeem([book]) },
      {
        try await $0.fixture.ledger.move(
          TransactionID(2), in: .production, app: TestLedger.app, to: $0.ben.customer, reason: "r", by: "olga")
      }, ["TRANSFER BEN Production com.example.reader.book 2/2 transferredFrom=ADA"]),
    Cause(
      "a granted product, and its revocation",
      {
        let ledger = $0.fixture.ledger
        try await ledger.grant(
          .product(TestLedger.magazine, accessUntil: TestLedger.start.adding(seconds: 500)), to: $0.ada.customer,
          app: TestLedger.app, key: "k", reason: "r", by: "olga")
        try await ledger.revoke(
          TestLedger.magazine, source: "grant:k", from: $0.ada.customer, app: TestLedger.app, reason: "r", by: "olga")
      },
      [
        "NON_RENEWING_PURCHASE ADA com.example.reader.magazine PROMOTIONAL expirationDate=+500",
        "EXPIRATION ADA com.example.reader.magazine endReason=revoked expirationDate=+60",
      ]),
    Cause(
      "an erasure", after: { try await $0.redeem([book]) }, { try await $0.fixture.ledger.erase($0.ada.customer) },
      ["EXPIRATION ADA com.example.reader.book endReason=erased expirationDate=+60"]),
    Cause(
      "another ownership, and the change of its entitlement, make none",
      after: { try await $0.redeem([book]) },
      {
        var shared = book
        shared.ownership = .familyShared
        try await $0.record([shared], stated: 9)
      }, []),
  ]

  @Test("each cause makes these messages", arguments: LedgerEngine.allCases, causes)
  func made(_ engine: LedgerEngine, _ cause: Cause) async throws {
    let fixture = try await TestLedger.open(engine)
    try await fixture.ledger.publish(
      LedgerProduct(id: Self.gold, type: .autoRenewableSubscription), app: TestLedger.app, by: "olga")
    let scene = Scene(
      fixture: fixture, ada: try await fixture.identified("ada"), ben: try await fixture.identified("ben"))
    try await cause.before(scene)
    let earlier = try await fixture.messages()
    fixture.clock.advance(seconds: 60)
    try await cause.run(scene)
    let all = try await fixture.messages()
    let messages = all.dropFirst(earlier.count)
    #expect(try messages.map { try Self.text(of: $0, scene) } == cause.messages)
    #expect(messages.allSatisfy { $0.timestamp == fixture.clock.now })
    // Each page size gives the same messages, with the same ids.
    #expect(try await fixture.messages(limit: 1) == all)
    #expect(all.prefix(earlier.count).map(\.data.id) == earlier.map(\.data.id))
    #expect(Set(all.map(\.data.id)).count == all.count)
    try await fixture.database.close()
  }

  @Test("each type but the test has a cause here or is a consumption request")
  func complete() {
    let made = Set(Self.causes.flatMap(\.messages).compactMap { $0.split(separator: " ").first.map(String.init) })
    let others: Set<WebhookMessageType> = [.test, .consumptionRequest]
    #expect(Set(WebhookMessageType.allCases).subtracting(others).map(\.rawValue).sorted() == made.sorted())
  }

  @Test("a consumption request has what the backend needs to answer it", arguments: LedgerEngine.allCases)
  func consumptionRequest(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, .ask)
    try await setting.notify("a", signed: 0)
    let message = try #require(try await setting.fixture.messages().last)
    let (type, data, _) = try WebhookFixture.contents(of: message.body)
    let request = try #require(data["consumptionRequest"] as? [String: Any])
    #expect(type == "CONSUMPTION_REQUEST")
    #expect(request["uuid"] as? String == "a" && request["reason"] as? String == "LEGAL")
    #expect(request["state"] as? String == "waiting" && request["deadline"] is NSNumber)
    #expect(data["customer"] as? String == "\(setting.ada.customer)")
    try await setting.fixture.database.close()
  }

  @Test("the JSON has its documented form: members that are not known are null", arguments: LedgerEngine.allCases)
  func json(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("https://id.example ada")
    _ = try await fixture.redeem(Self.book, for: ada)
    let message = try #require(try await fixture.messages().first)
    let (type, data, all) = try WebhookFixture.contents(of: message.body)
    #expect(type == "NON_RENEWING_PURCHASE" && all["version"] as? Int == 1)
    #expect(all["timestamp"] as? String == TestLedger.start.description)
    for name in [
      "id", "cursor", "app", "environment", "customer", "subject", "productId", "transactionId",
      "originalTransactionId", "periodType", "amount",
    ] {
      #expect(data[name] != nil, "\(name)")
    }
    #expect(data["amount"] is NSNull && data["periodType"] is NSNull)
    #expect(data["subject"] as? String == "https://id.example ada")
    #expect((data["id"] as? String)?.wholeMatch(of: /msg_[0-9a-f]{32}/) != nil)
    // The cursor is the place after the event.
    let text = try #require(data["cursor"] as? String)
    #expect(text == message.data.cursor?.text)
    #expect(try await fixture.ledger.messages(after: message.data.cursor, limit: 10).messages.isEmpty)
    // The same message has the same bytes.
    #expect(try await fixture.messages().first?.body == message.body)
    try await fixture.database.close()
  }

  @Test("after an erasure, messages have no subject and no keys that may be personal", arguments: LedgerEngine.allCases)
  func erased(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let ada = try await setting.fixture.identified("ada@example.com")
    try await setting.grant(5, to: ada.customer, key: "for ada@example.com")
    try await setting.take()
    try await setting.ledger.erase(ada.customer)
    let lease = try #require(try await setting.ledger.takeWebhookDelivery())
    let body = String(decoding: lease.body, as: UTF8.self)
    #expect(body.contains("\(ada.customer)") && body.contains("\"amount\":5"))
    #expect(!body.contains("example.com"), "\(body)")
    for message in try await setting.fixture.messages() {
      #expect(try !String(decoding: message.body, as: UTF8.self).contains("example.com"))
    }
    try await setting.fixture.database.close()
  }

  @Test(
    "added up from the messages of random histories, credits are those of the ledger", arguments: LedgerEngine.allCases)
  func balances(_ engine: LedgerEngine) async throws {
    for seed in [UInt64(11), 12] {
      var history = try await RandomLedger(seed: seed, engine)
      for _ in 0..<150 { try await history.step() }
      let messages = try await history.fixture.messages()
      #expect(Set(messages.map(\.data.id)).count == messages.count)
      var balances: [String: Int64] = [:]
      for message in messages {
        guard let credits = message.data.credits, let customer = message.data.customer else { continue }
        balances["\(customer) \(credits.unit)", default: 0] += credits.amount
        // A movement says the balance after it.
        if let balance = credits.balance { #expect(balances["\(customer) \(credits.unit)"] == balance) }
      }
      let stored = try await history.fixture.database.read { transaction in
        try transaction.rows("SELECT customer || ' ' || unit AS key, balance FROM credit_account").map {
          (try $0.text("key"), try $0.integer("balance"))
        }
      }
      #expect(stored.count > 1 && balances == Dictionary(uniqueKeysWithValues: stored), "seed \(seed)")
      try await history.fixture.database.close()
    }
  }

  @Test("events that an upgrade has filled in make no messages", arguments: LedgerEngine.allCases)
  func filledIn(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    _ = try await fixture.redeem(Self.book, for: fixture.identified("ada"))
    #expect(try await fixture.messages().count == 1)
    _ = try await fixture.database.write(locking: []) { try $0.execute("UPDATE ledger_event SET filled_in = 1") }
    #expect(try await fixture.messages().isEmpty)
    try await fixture.database.close()
  }

  @Test("messages of one app are those of all apps without the others", arguments: LedgerEngine.allCases)
  func app(_ engine: LedgerEngine) async throws {
    let database = try await engine.makeDatabase()
    let other = BundleID("com.example.other")
    let fixture = try await TestLedger.open(on: database)
    let ledger = try await Ledger(
      database: database, anchors: .apple, apps: [TestLedger.app: LedgerSettings(), other: LedgerSettings()],
      clock: fixture.clock)
    let ada = try await fixture.identified("ada").customer
    for number in 0..<6 {
      try await ledger.grant(
        .credits(TestLedger.coin, 1), to: ada, app: number % 3 == 0 ? other : TestLedger.app, key: "\(number)",
        reason: "r", by: "olga")
    }
    let all = try await fixture.messages()
    let own = try await ledger.messages(limit: 10, app: other).messages
    #expect(own.count == 2 && own == all.filter { $0.data.app == other })
    await #expect(throws: LedgerError.unknownApp("none")) { try await ledger.messages(limit: 1, app: "none") }
    await #expect(throws: LedgerError.self) { try await ledger.messages(limit: 0) }
    try await database.close()
  }

  /// A message without its id, dates of the store being in seconds after the start.
  private static func text(of message: WebhookMessage, _ scene: Scene) throws -> String {
    let (type, data, _) = try WebhookFixture.contents(of: message.body)
    let names = ["\(scene.ada.customer)": "ADA", "\(scene.ben.customer)": "BEN"]
    func shown(_ value: Any) -> String {
      if let object = value as? [String: Any] { return "{\(members(object, by: ","))}" }
      if let number = value as? NSNumber {
        let since = number.int64Value - TestLedger.start.millisecondsSince1970
        return abs(since) < 1_000_000_000 ? "+\(since / 1000)" : "\(number.int64Value)"
      }
      return names["\(value)"] ?? "\(value)"
    }
    func members(_ object: [String: Any], by separator: String) -> String {
      object.sorted { $0.key < $1.key }.filter { $0.key != "date" }.map { "\($0.key)=\(shown($0.value))" }
        .joined(separator: separator)
    }
    func known(_ name: String) -> String? { (data[name] as? String).map { names[$0] ?? $0 } }
    var parts: [String?] = [type, known("customer"), known("environment"), known("productId")]
    if let original = known("originalTransactionId") { parts.append("\(known("transactionId") ?? "-")/\(original)") }
    parts.append(known("periodType"))
    if let amount = data["amount"] as? [String: Any], let milliunits = amount["milliunits"] as? NSNumber {
      parts.append("\(milliunits.int64Value)\(amount["currency"] as? String ?? "")")
    }
    let written: Set = [
      "id", "cursor", "app", "environment", "customer", "subject", "productId", "transactionId",
      "originalTransactionId", "periodType", "amount", "cause", "purchaseDate",
    ]
    parts.append(members(data.filter { !written.contains($0.key) }, by: " "))
    return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }
}
