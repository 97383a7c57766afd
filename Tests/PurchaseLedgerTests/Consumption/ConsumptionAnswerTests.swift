import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// How requests for information about consumption are answered: the values, operators, retries and leases
/// (Documentation/app-store-updates.md).
@Suite("Answers to consumption requests", .timeLimit(.minutes(30)))
struct ConsumptionAnswerTests {
  @Test(
    "An operator's answer is sent with what the operator left out computed; a second answer is refused",
    arguments: LedgerEngine.allCases)
  func asked(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, .ask)
    let ledger = setting.ledger
    try await setting.notify("a")
    #expect(try await setting.states() == ["a": .waiting])
    #expect(try await setting.work() == nil)
    func answer(_ values: ConsumptionValues) async throws {
      _ = try await ledger.answerConsumptionRequest(
        "a", app: TestLedger.app, with: values, by: "otto", reason: "regular")
    }
    for values in [
      ConsumptionValues(consumptionPercentage: 100_001),
      ConsumptionValues(deliveryStatus: .serverOutage, consumptionPercentage: 1),
      ConsumptionValues(refundPreference: .prorated, consumptionPercentage: 100_000),
    ] {
      let error = await #expect(throws: LedgerError.self) { try await answer(values) }
      guard case .invalid? = error else { return #expect(Bool(false), "\(values)") }
    }
    await #expect(throws: LedgerError.unknownConsumptionRequest("b")) {
      _ = try await ledger.answerConsumptionRequest("b", app: TestLedger.app, with: .init(), by: "otto", reason: "r")
    }
    let count = ledger.consumptionChanges.count
    try await answer(ConsumptionValues(refundPreference: .decline))
    #expect(ledger.consumptionChanges.count == count + 1)
    await #expect(throws: LedgerError.consumptionRequestNotWaiting(.open)) { try await answer(.init()) }
    guard case .send(let values, _)? = try await setting.work() else { return #expect(Bool(false)) }
    #expect(
      values
        == ConsumptionValues(
          refundPreference: .decline, deliveryStatus: .delivered, consumptionPercentage: 40_000,
          sampleContentProvided: false))
    let entry = try #require(try await ledger.auditLog().first { $0.operatorName == "otto" })
    #expect((entry.action, entry.operatorName, entry.subject) == ("answerConsumptionRequest", "otto", "a"))
    #expect(entry.detail.hasSuffix("regular"))
  }

  @Test("Nobody answers until the deadline: expired; an operator cannot answer then", arguments: LedgerEngine.allCases)
  func expired(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, .ask)
    try await setting.notify("a", signed: 0)
    let due = try await setting.ledger.nextConsumptionDue()
    #expect(due == TestLedger.start.adding(seconds: 43_200))
    setting.fixture.clock.advance(seconds: 43_200)
    await #expect(throws: LedgerError.consumptionRequestNotWaiting(.expired)) {
      _ = try await setting.ledger.answerConsumptionRequest(
        "a", app: TestLedger.app, with: .init(), by: "otto", reason: "r")
    }
    #expect(try await setting.work() == .end)
    #expect(try await setting.states() == ["a": .expired])
  }

  @Test(
    "Failed attempts are repeated with growing pauses, never before the store's pause is over, until the deadline",
    arguments: LedgerEngine.allCases)
  func retries(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    try await setting.notify("a", signed: 0)
    var pauses: [Int64] = []
    while true {
      let now = setting.fixture.clock.now
      let seconds: Int64 = pauses.count == 3 ? 1_000 : 0
      try await setting.work { _ in .failed(problem: "down", retryAfterSeconds: seconds) }
      guard let due = try await setting.ledger.nextConsumptionDue() else { break }
      pauses.append((due.millisecondsSince1970 - now.millisecondsSince1970) / 1_000)
      setting.fixture.clock.set(due)
    }
    #expect(pauses.prefix(8) == [60, 120, 240, 1_000, 960, 1_920, 3_600, 3_600])
    #expect(pauses.reduce(0, +) == 43_200)
    let request = try await setting.request("a")
    #expect((request.state, request.problem) == (.expired, "down"))
    #expect(request.attempts == Int64(pauses.count) + 1)
  }

  @Test("An answer that the store refuses is final", arguments: LedgerEngine.allCases)
  func refused(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    try await setting.notify("a")
    try await setting.work { _ in .refused(problem: "4000036") }
    let request = try await setting.request("a")
    #expect((request.state, request.problem, request.consented) == (.refused, "4000036", nil))
    #expect(try await setting.ledger.nextConsumptionDue() == nil)
  }

  @Test("If the policy is off now, pending requests are closed, and do not expire", arguments: LedgerEngine.allCases)
  func switchedOff(_ engine: LedgerEngine) async throws {
    for policy in [ConsumptionSettings.Policy.automatic, .ask] {
      let setting = try await ConsumptionFixture(engine, policy)
      try await setting.notify("a", signed: 0)
      let off = try await TestLedger.open(on: setting.fixture.database)
      off.clock.advance(seconds: policy == .ask ? 43_200 : 0)
      let lease = try #require(try await off.ledger.takeConsumptionRequest())
      let step = try await off.ledger.step(for: lease)
      #expect(step == (policy == .ask ? .end : .leave))
      #expect(try await off.ledger.settle(lease, step == .end ? .ended : .left) == .closed)
      let request = try await off.ledger.consumptionRequest("a", app: TestLedger.app).request
      #expect((request.state, request.settled) == (.closed, off.clock.now))
      #expect(try await off.ledger.nextConsumptionDue() == nil)
    }
  }

  @Test("A server looks for a missing consent at least every fifteen minutes", arguments: LedgerEngine.allCases)
  func held(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine, consents: false)
    try await setting.notify("a", signed: 0)
    var pauses: [Int64] = []
    for _ in 0..<7 {
      let now = setting.fixture.clock.now
      #expect(try await setting.work() == .hold(.noConsent))
      let due = try #require(try await setting.ledger.nextConsumptionDue())
      pauses.append((due.millisecondsSince1970 - now.millisecondsSince1970) / 1_000)
      setting.fixture.clock.set(due)
    }
    #expect(pauses == [60, 120, 240, 480, 900, 900, 900])
  }

  @Test(
    "One server at a time works on a request; when a server is killed, another one takes it after the lease",
    arguments: LedgerEngine.allCases)
  func lease(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    let ledger = setting.ledger
    for number in 0..<4 {
      try await setting.notify("\(number)", about: TestLedger.purchase(TestLedger.coins, UInt64(10 + number)))
    }
    let leases = try await withThrowingTaskGroup(of: ConsumptionLease?.self) { group in
      for _ in 0..<8 { group.addTask { try await ledger.takeConsumptionRequest() } }
      return try await group.reduce(into: [ConsumptionLease?]()) { $0.append($1) }
    }
    #expect(leases.compactMap(\.?.uuid).sorted() == ["0", "1", "2", "3"])
    setting.fixture.clock.advance(seconds: ConsumptionLease.seconds - 1)
    #expect(try await ledger.takeConsumptionRequest() == nil)
    setting.fixture.clock.advance(seconds: 1)
    let later = try #require(try await ledger.takeConsumptionRequest())
    // The late result of the first server changes nothing.
    let first = try #require(leases.compactMap(\.self).first { $0.uuid == later.uuid })
    #expect(try await ledger.settle(first, .refused(problem: "late")) == nil)
    #expect(try await ledger.settle(later, .held(.unclaimed)) == .unclaimed)
  }

  @Test("A percentage is sent only where the store takes one; prorated becomes what has the same effect")
  func values() {
    let credits = { CreditLots.Purchase(given: 5, returned: 0, left: $0) }
    let settings = ConsumptionSettings(policy: .automatic, refundPreference: .prorated, sampleContentProvided: true)
    typealias Expected = (
      ConsumptionShare, ProductType, ConsumptionValues.Preference?, Int64?, ConsumptionValues.Delivery
    )
    for (share, type, preference, percentage, delivery) in [
      (ConsumptionShare(credits: credits(3)), .consumable, .prorated, 40_000, .delivered),
      (ConsumptionShare(credits: credits(5)), .consumable, .grant, 0, .delivered),
      (ConsumptionShare(credits: credits(0)), .consumable, .decline, 100_000, .delivered),
      (ConsumptionShare(credits: nil), .consumable, .grant, 0, .other),
      (ConsumptionShare(wasDelivered: true, percentage: nil), .nonConsumable, nil, nil, .delivered),
      (ConsumptionShare(wasDelivered: false, percentage: 0), .nonConsumable, .grant, 0, .other),
      (ConsumptionShare(wasDelivered: true, percentage: nil), .autoRenewableSubscription, .prorated, nil, .delivered),
      (ConsumptionShare(wasDelivered: false, percentage: 0), .autoRenewableSubscription, .grant, nil, .other),
    ] as [Expected] {
      let answer = share.answer(ConsumptionValues(), type, settings)
      #expect(
        answer
          == ConsumptionValues(
            refundPreference: preference, deliveryStatus: delivery, consumptionPercentage: percentage,
            sampleContentProvided: true), "\(type) \(share)")
      #expect(throws: Never.self) { try answer.request.check() }
    }
  }

  @Test(
    "A pass was used as far as its period has elapsed, also if the period begins after that of another pass",
    arguments: LedgerEngine.allCases)
  func passes(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    let (ledger, ada) = (setting.ledger, setting.ada)
    let pass = ProductID("com.example.reader.pass")
    try await ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 10), app: TestLedger.app, by: "olga")
    for id in [UInt64(21), 22] { _ = try await setting.fixture.redeem(TestLedger.purchase(pass, id), for: ada) }
    func percentage(_ id: UInt64) async throws -> Int64? {
      let key = PurchaseKey(app: TestLedger.app, environment: .production, id: TransactionID(id))
      return try await ledger.share(of: try #require(try await setting.fixture.database.read { try $0.claim(key) }))
        .percentage
    }
    // The first begins with its purchase, 21 seconds after the start.
    setting.fixture.clock.set(TestLedger.start.adding(seconds: 21 + 86_400))
    #expect(try await [percentage(21), percentage(22)] == [10_000, 0])
    setting.fixture.clock.set(TestLedger.start.adding(seconds: 21 + 15 * 86_400))
    #expect(try await [percentage(21), percentage(22)] == [100_000, 50_000])
  }

  @Test(
    "A book was delivered unless it was never given; what is used of it is not known", arguments: LedgerEngine.allCases)
  func books(_ engine: LedgerEngine) async throws {
    let setting = try await ConsumptionFixture(engine)
    var book = TestLedger.purchase(TestLedger.book, 2)
    book.type = .nonConsumable
    try await setting.notify("a", about: book)
    guard case .send(let values, _)? = try await setting.work() else { return #expect(Bool(false)) }
    #expect((values.deliveryStatus, values.consumptionPercentage) == (.delivered, nil))
  }
}
