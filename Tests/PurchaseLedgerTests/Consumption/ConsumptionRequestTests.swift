import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Which requests for information about consumption are recorded, in which state, and what changes it
/// (Documentation/app-store-updates.md).
@Suite("Consumption requests in the ledger", .timeLimit(.minutes(30)))
struct ConsumptionRequestTests {
  @Test(
    "A request is recorded in the commit of its notification, with its deadline, and answered with what was spent",
    arguments: LedgerEngine.allCases)
  func answered(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, .automatic, .prorated)
    #expect(try await setting.notify("a") == .recorded)
    #expect(try await setting.notify("a") == .known)
    let request = try await setting.request("a")
    #expect((request.state, request.customer, request.hasConsent) == (.open, setting.ada.customer, true))
    #expect(request.requested == TestLedger.start.adding(seconds: 10) && request.reason == "LEGAL")
    #expect(request.deadline == request.requested.adding(seconds: 43_200))
    let values = ConsumptionValues(
      refundPreference: .prorated, deliveryStatus: .delivered, consumptionPercentage: 40_000,
      sampleContentProvided: false)
    #expect(try await setting.ledger.consumptionRequest("a", app: TestLedger.app).computed == values)
    #expect(try await setting.work() == .send(values, consented: TestLedger.start))
    let answered = try await setting.request("a")
    #expect((answered.state, answered.values, answered.consented) == (.answered, values, TestLedger.start))
    #expect(answered.settled == TestLedger.start && answered.attempts == 1)
    #expect(try await setting.work() == nil)
    #expect(try await setting.ledger.nextConsumptionDue() == nil)
  }

  @Test(
    "A request is an event of its purchase, in the same commit; one that arrives closed is none",
    arguments: LedgerEngine.allCases)
  func events(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    try await setting.notify("b", signed: 20)
    try await setting.notify("a", signed: 10)
    var events: [LedgerEvent] = []
    // In PostgreSQL, an event can be read when all transactions that began before have ended.
    while events.isEmpty {
      events = try await setting.ledger.events(limit: 1_000).events.filter { $0.kind == .purchaseRefundRequested }
      await Task.yield()
    }
    #expect(events.count == 1)
    let event = try #require(events.first)
    #expect((event.customer, event.claim, event.product) == (setting.ada.customer, TransactionID(1), TestLedger.coins))
    let details = try JSONSerialization.jsonObject(with: event.details ?? Data()) as? [String: Any]
    #expect((details?["uuid"] as? String, details?["state"] as? String) == ("b", "open"))
    #expect(event.record != nil)
  }

  @Test("With the policy off, and with other types, nothing is recorded", arguments: LedgerEngine.allCases)
  func off(_ engine: LedgerEngine) async throws {
    let off = try await ConsumptionFixture(engine, .off)
    try await off.notify("a")
    #expect(try await off.states() == [:])
    let automatic = try await ConsumptionFixture(engine)
    try await automatic.notify("a", type: "REFUND_DECLINED")
    #expect(try await automatic.states() == [:])
  }

  @Test(
    "Without consent nothing is sent; a consent before the deadline opens the request, and a withdrawal holds it again",
    arguments: LedgerEngine.allCases)
  func consent(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, consents: false)
    try await setting.notify("a")
    #expect(try await setting.work() == .hold(.noConsent))
    #expect(try await setting.states() == ["a": .noConsent])
    #expect(try await setting.work() == nil)
    setting.fixture.clock.advance(seconds: 60)
    _ = try await setting.consent(true)
    _ = try await setting.consent(false)
    #expect(try await setting.work() == .hold(.noConsent))
    // The second pause is twice as long.
    setting.fixture.clock.advance(seconds: 119)
    #expect(try await setting.work() == nil)
    let given = try await setting.consent(true)
    #expect(given.changed == setting.fixture.clock.now)
    setting.fixture.clock.advance(seconds: 1)
    guard case .send(_, let date)? = try await setting.work() else { return #expect(Bool(false)) }
    #expect(date == given.changed)
    #expect(try await setting.states() == ["a": .answered])
    // The same consent again keeps its date.
    #expect(try await setting.consent(true) == given)
  }

  @Test(
    "Without consent until the deadline, the state stays and says why; nothing is due any more",
    arguments: LedgerEngine.allCases)
  func neverConsented(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, consents: false)
    try await setting.notify("a")
    try await setting.work()
    setting.fixture.clock.advance(seconds: 43_210)
    #expect(try await setting.work() == .end)
    let request = try await setting.request("a")
    #expect((request.state, request.settled) == (.noConsent, setting.fixture.clock.now))
    #expect(try await setting.ledger.nextConsumptionDue() == nil)
  }

  @Test("An unclaimed purchase is answered when it is claimed and its owner consents", arguments: LedgerEngine.allCases)
  func unclaimed(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    let purchase = TestLedger.purchase(TestLedger.coins, 7)
    try await setting.notify("a", about: purchase)
    #expect(try await setting.work() == .hold(.unclaimed))
    #expect(try await setting.request("a").customer == nil)
    _ = try await setting.fixture.redeem(purchase, stated: 20, for: setting.ada)
    setting.fixture.clock.advance(seconds: 60)
    guard case .send(let values, _)? = try await setting.work() else { return #expect(Bool(false)) }
    #expect(values.consumptionPercentage == 0)
  }

  @Test(
    "A second request about a transaction closes the first, also if it arrives first; a decision closes both",
    arguments: LedgerEngine.allCases, [false, true])
  func again(_ engine: LedgerEngine, isReversed: Bool) async throws {
    let setting = try await ConsumptionFixture(engine, .ask)
    let both: [(String, Int64)] = [("a", 10), ("b", 20)]
    for (uuid, seconds) in isReversed ? both.reversed() : both { try await setting.notify(uuid, signed: seconds) }
    try await setting.notify(
      "book",
      about: {
        var book = TestLedger.purchase(TestLedger.book, 2); book.type = .nonConsumable; return book
      }())
    #expect(try await setting.states() == ["a": .closed, "b": .waiting, "book": .waiting])
    // An old decision, before the customer asked again.
    try await setting.notify("old", type: "REFUND_DECLINED", signed: 15)
    #expect(try await setting.states()["b"] == .waiting)
    try await setting.notify("declined", type: "REFUND_DECLINED", signed: 30)
    #expect(try await setting.states() == ["a": .closed, "b": .closed, "book": .waiting])
  }

  @Test(
    "A request that arrives after the store's decision is closed, and no event; a new request after the decision is open",
    arguments: LedgerEngine.allCases, ["REFUND", "REFUND_DECLINED"])
  func decided(_ engine: LedgerEngine, by type: String) async throws {
    let setting = try await ConsumptionFixture(engine)
    var coins = TestLedger.purchase(TestLedger.coins, 1)
    if type == "REFUND" {
      coins.revocation = ProvenPurchase.Revocation(date: TestLedger.start.adding(seconds: 20), percentage: 100_000)
    }
    try await setting.notify("decision", type: type, about: coins, signed: 20)
    // An older decision that arrives later changes nothing.
    try await setting.notify("old", type: "REFUND_DECLINED", signed: 5)
    try await setting.notify("late", signed: 10)
    let late = try await setting.request("late")
    #expect((late.state, late.settled) == (.closed, setting.fixture.clock.now))
    #expect(try await setting.work() == nil)
    #expect(try await setting.ledger.nextConsumptionDue() == nil)
    // About another transaction.
    try await setting.notify("other", about: TestLedger.purchase(TestLedger.coins, 9))
    try await setting.notify("again", about: coins, signed: 30)
    #expect(try await setting.states() == ["late": .closed, "other": .open, "again": .open])
    let events = try await LedgerReplay.events(of: setting.ledger).filter { $0.kind == .purchaseRefundRequested }
    let uuids = try events.map { event in
      let details = try JSONSerialization.jsonObject(with: event.details ?? Data()) as? [String: Any]
      return details?["uuid"] as? String
    }
    #expect(uuids == ["other", "again"])
  }

  @Test(
    "A join carries no consent over: the earlier customer's stands, unless the newcomer has refused; erasure removes it",
    arguments: LedgerEngine.allCases, [true, false])
  func joined(_ engine: LedgerEngine, newcomerConsents: Bool) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ledger, device) = (fixture.ledger, UUID())
    let earlier = try await fixture.installation(on: device)
    let book = TestLedger.purchase(TestLedger.book, 2)
    _ = try await fixture.redeem(book, stated: 30, issuedFor: device, for: earlier)
    if !newcomerConsents {
      _ = try await ledger.setConsent(toConsumptionInformation: true, of: earlier.customer, app: TestLedger.app)
    }
    fixture.clock.advance(seconds: 60)
    let newcomer = try await fixture.installation(on: device)
    _ = try await ledger.setConsent(
      toConsumptionInformation: newcomerConsents, of: newcomer.customer, app: TestLedger.app)
    _ = try await fixture.redeem(book, stated: 120, issuedFor: device, for: newcomer)
    let joined = try await ledger.export(newcomer.customer).customer
    #expect(joined == earlier.customer)
    #expect(try await ledger.consent(of: earlier.customer, app: TestLedger.app).consumptionInformation == false)
    let export = try await ledger.exported(earlier.customer)
    #expect(export.consents.map(\.consent.consumptionInformation) == (newcomerConsents ? [] : [false]))
    _ = try await ledger.setConsent(toConsumptionInformation: true, of: earlier.customer, app: TestLedger.app)
    try await ledger.erase(earlier.customer)
    #expect(
      try await ledger.consent(of: earlier.customer, app: TestLedger.app)
        == CustomerConsent(consumptionInformation: false, changed: nil))
  }

  @Test(
    "Requests have pages and states to filter by, are in the export, and go after 180 days",
    arguments: LedgerEngine.allCases)
  func lists(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    for number in 1...5 {
      setting.fixture.clock.advance(seconds: 1)
      try await setting.notify("\(number)", signed: Int64(number))
    }
    try await setting.notify("decision", type: "REFUND_DECLINED", signed: 2)
    var (uuids, next): ([String], [String]?) = ([], nil)
    repeat {
      let page = try await setting.ledger.consumptionRequests(of: TestLedger.app, after: next, limit: 2)
      uuids += page.elements.map(\.uuid)
      next = page.next
    } while next != nil
    #expect(uuids == ["5", "4", "3", "2", "1"])
    let open = try await setting.ledger.consumptionRequests(of: TestLedger.app, in: .open, limit: 10)
    #expect(open.elements.map(\.uuid) == ["5"] && open.next == nil)
    let export = try await setting.ledger.exported(setting.ada.customer)
    #expect(export.consumptionRequests.map(\.uuid) == ["1", "2", "3", "4", "5"])
    #expect(export.consents.map(\.consent.consumptionInformation) == [true])
    // The request 3 was received 180 days ago. When the store asked, by its own clock, does not matter.
    setting.fixture.clock.advance(seconds: Ledger.notificationDays * 86_400 - 2)
    try await setting.ledger.removeOldNotifications()
    #expect(try await setting.states().keys.sorted() == ["3", "4", "5"])
    let decisions = { try await setting.fixture.database.read { try $0.rows("SELECT id FROM refund_decision").count } }
    #expect(try await decisions() == 1)
    setting.fixture.clock.advance(seconds: 3)
    try await setting.ledger.removeOldNotifications()
    #expect(try await setting.states().isEmpty)
    #expect(try await decisions() == 0)
  }

  @Test("A consent alone does not keep an installation that is unused", arguments: LedgerEngine.allCases)
  func unused(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let installation = try await fixture.installation()
    _ = try await fixture.ledger.setConsent(
      toConsumptionInformation: true, of: installation.customer, app: TestLedger.app)
    fixture.clock.advance(seconds: 2 * 86_400)
    #expect(try await fixture.ledger.removeUnusedInstallations(olderThanDays: 1) == 1)
  }
}
