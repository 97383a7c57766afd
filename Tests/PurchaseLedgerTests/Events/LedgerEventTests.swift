import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Each cause and the events that its commit records (Documentation/ledger-events.md, "The kinds").
@Suite("Events of the ledger", .timeLimit(.minutes(30)))
struct LedgerEventTests {
  static let app = TestLedger.app

  /// A ledger with a customer, and what happened before.
  struct Scene {
    let fixture: TestLedger
    let ada: Claimant
    let ben: Claimant
    let device = UUID()

    func period(
      _ id: UInt64, until seconds: Int64, _ product: ProductID = TestLedger.club, refunded: Int64? = nil
    ) -> ProvenPurchase {
      var purchase = TestLedger.purchase(product, id, original: 3, refunded: refunded)
      purchase.type = .autoRenewableSubscription
      purchase.purchaseDate = TestLedger.start.adding(seconds: Int64(id) * 100)
      purchase.expiresDate = TestLedger.start.adding(seconds: seconds)
      return purchase
    }

    func renewal(
      after id: UInt64, isOn: Bool = true, grace: Int64? = nil, priceIncrease: Int64? = nil
    ) -> ProvenRenewal {
      ProvenRenewal(
        originalTransactionID: TransactionID(3), lastPeriod: TransactionID(id), productID: TestLedger.club,
        isAutoRenewOn: isOn, isInBillingRetry: grace != nil,
        gracePeriodEnd: grace.map { TestLedger.start.adding(seconds: $0) }, priceIncrease: priceIncrease)
    }

    func redeem(
      _ purchases: [ProvenPurchase], stated: Int64 = 0, for claimant: Claimant? = nil, on device: UUID? = nil,
      renewals: [ProvenRenewal] = []
    ) async throws {
      let proof = TestLedger.proof(purchases, stated: stated, issuedFor: device, renewals: renewals)
      let items = purchases.map { RedemptionRequest.Item(transactionID: $0.transactionID) }
      _ = try await fixture.ledger.redeem(proof, .purchases(items), for: claimant ?? ada)
    }

    func record(_ purchases: [ProvenPurchase], stated: Int64, renewals: [ProvenRenewal] = []) async throws {
      _ = try await fixture.ledger.recordStatuses(from: TestLedger.proof(purchases, stated: stated, renewals: renewals))
    }

    func receive(
      _ purchase: ProvenPurchase, stated: Int64, from source: NotificationSource = .sent, renewal: ProvenRenewal? = nil
    ) async throws {
      let proof = TestLedger.proof([purchase], stated: stated, renewals: [renewal].compactMap(\.self))
      _ = try await fixture.ledger.receive(
        StoreNotification(
          app: app, environment: .production, uuid: UUID().uuidString, type: "REFUND", subtype: nil,
          originalTransactionID: purchase.originalTransactionID, signed: proof.statedDate, content: .purchase(proof),
          payload: "payload"), from: source)
    }

    func spend(_ amount: Int64) async throws {
      _ = try await fixture.ledger.spend(
        amount, of: TestLedger.coin, key: "level 3", customer: ada.customer, app: app)
    }
  }

  @Test("each cause records these events in its commit", arguments: LedgerEngine.allCases, causes)
  func recorded(_ engine: LedgerEngine, _ cause: Cause) async throws {
    var settings = LedgerSettings()
    settings.refundPolicy = cause.policy
    let fixture = try await TestLedger.open(engine, settings)
    let scene = Scene(
      fixture: fixture, ada: try await fixture.identified("ada"), ben: try await fixture.identified("ben"))
    try await cause.before(scene)
    let earlier = try await LedgerReplay.events(of: fixture.ledger)
    fixture.clock.advance(seconds: 60)
    try await cause.run(scene)
    let events = try await LedgerReplay.events(of: fixture.ledger).dropFirst(earlier.count)
    #expect(try events.map { try Self.text(of: $0, scene) } == cause.events)
    #expect(
      events.allSatisfy {
        $0.date == fixture.clock.now && $0.version == $0.kind?.newestVersion && !$0.isFilledIn
      })
    try await fixture.database.close()
  }

  /// An event without its date and cursor. Dates of the store are in seconds after the start.
  private static func text(of event: LedgerEvent, _ scene: Scene) throws -> String {
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
      object.filter { !["purchased", "stated", "begun", "ended", "refunded"].contains($0.key) }.sorted {
        $0.key < $1.key
      }
      .map { "\($0)=\(shown($1))" }.joined(separator: separator)
    }
    let details = try event.details.flatMap { try JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
    let parts: [String?] = [
      event.type, event.cause?.rawValue, event.customer.map { names["\($0)"] ?? "\($0)" },
      event.claim.map { "claim=\($0)" }, event.transactionID.map { "transaction=\($0)" }, event.product?.rawValue,
      event.unit?.rawValue, event.sequence.map { "\($0)" }, event.source.map { "source=\($0)" },
      details.isEmpty ? nil : members(details, by: " "),
    ]
    return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }

  @Test("a restored installation moves its purchases and joins the earlier one", arguments: LedgerEngine.allCases)
  func joining(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let device = UUID()
    let first = try await fixture.installation(on: device)
    _ = try await fixture.redeem(Self.book, issuedFor: device, for: first)
    fixture.clock.advance(seconds: 60)
    let second = try await fixture.installation(on: device)
    // The proof is older than the second installation.
    _ = try await fixture.redeem(Self.book, stated: 30, issuedFor: device, for: second)
    let moved = try #require(try await LedgerReplay.events(of: fixture.ledger).first { $0.kind == .purchaseMoved })
    #expect((moved.customer, moved.cause) == (second.customer, .redemption))
    _ = try await fixture.redeem(Self.book, stated: 90, issuedFor: device, for: second)
    let joined = try #require(try await LedgerReplay.events(of: fixture.ledger).first { $0.kind == .customerJoined })
    #expect((joined.customer, joined.app, joined.date) == (second.customer, nil, fixture.clock.now))
    #expect(String(decoding: joined.details ?? Data(), as: UTF8.self).contains("\(first.customer)"))
    let replay = try LedgerReplay(try await LedgerReplay.events(of: fixture.ledger))
    #expect(try await replay.differences(from: fixture.database) == [])
  }

  @Test("an import is the cause of what it gives; its preview records nothing", arguments: LedgerEngine.allCases)
  func imports(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let proof = TestLedger.proof([Self.book])
    _ = try await fixture.ledger.previewImport(of: proof, for: .subject("ada"))
    #expect(try await LedgerReplay.events(of: fixture.ledger).isEmpty)
    _ = try await fixture.ledger.importPurchases(of: proof, for: .subject("ada"))
    let claimed = try #require(try await LedgerReplay.events(of: fixture.ledger).first)
    #expect((claimed.kind, claimed.cause, claimed.subject) == (.purchaseClaimed, .import, "ada"))
  }

  @Test(
    "the record of an event is that of now; an erased customer has none, and no subject and key",
    arguments: LedgerEngine.allCases)
  func records(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let scene = Scene(
      fixture: fixture, ada: try await fixture.identified("ada@example.com"), ben: try await fixture.identified("ben"))
    try await scene.redeem([Self.coins, Self.book, scene.period(3, until: 1_000)], renewals: [scene.renewal(after: 3)])
    try await scene.spend(2)
    try await scene.record([Self.refundedCoins], stated: 9)
    let events = try await LedgerReplay.events(of: fixture.ledger)
    func text(_ data: Data?) -> String { String(decoding: data ?? Data(), as: UTF8.self) }
    #expect(events.allSatisfy { $0.record != nil }, "\(events.filter { $0.record == nil }.map(\.type))")
    let claimed = try #require(events.first { $0.kind == .purchaseClaimed && $0.claim?.rawValue == "1" })
    // It was refunded after the event.
    #expect(text(claimed.record).contains(#""taken":5"#) && text(claimed.record).contains("\(scene.ada.customer)"))
    #expect(!text(claimed.record).contains("receipt"))
    #expect(events.filter { $0.customer != nil }.allSatisfy { $0.subject == "ada@example.com" })

    try await fixture.ledger.erase(scene.ada.customer)
    let after = try await LedgerReplay.events(of: fixture.ledger)
    #expect(after.count > events.count)
    for event in after {
      #expect(event.record == nil && event.subject == nil, "\(event.type)")
      let all = text(event.details)
      #expect(!all.contains("ada@example.com") && !all.contains("level 3"), "\(event.type): \(all)")
    }
  }

  @Test("events of another version are exported as they are stored", arguments: LedgerEngine.allCases)
  func unknown(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    _ = try await fixture.redeem(Self.coins, for: fixture.identified("ada"))
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute("UPDATE ledger_event SET version = 2, cause = 'later', details = '{\"new\":[1]}'")
    }
    let event = try #require(try await LedgerReplay.events(of: fixture.ledger).first)
    #expect(event.kind == nil && event.type == "purchase.claimed" && event.record == nil)
    #expect(event.details == Data(#"{"new":[1]}"#.utf8))
    #expect(event.causeName == "later" && event.cause == nil)
  }
}
