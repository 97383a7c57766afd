import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests what the ledger does with notifications (Documentation/app-store-updates.md, "Notifications").
@Suite("Notifications in the ledger", .timeLimit(.minutes(30)))
struct NotificationLedgerTests {
  private static let app = TestLedger.app

  private func date(_ seconds: Int64) -> StoreDate { TestLedger.start.adding(seconds: seconds) }

  /// A notification about a purchase.
  private func notification(
    _ uuid: String, _ purchase: ProvenPurchase, type: String = "REFUND", signed seconds: Int64,
    renewal: ProvenRenewal? = nil
  ) -> StoreNotification {
    let proof = TestLedger.proof(
      [purchase], stated: seconds, as: .signedTransaction("jws"), renewals: [renewal].compactMap(\.self))
    return notification(uuid, .purchase(proof), type: type, signed: seconds, purchase.originalTransactionID)
  }

  private func notification(
    _ uuid: String, _ content: StoreNotification.Content, type: String = "TEST", signed seconds: Int64 = 0,
    _ original: TransactionID? = nil
  ) -> StoreNotification {
    StoreNotification(
      app: Self.app, environment: .production, uuid: uuid, type: type, subtype: nil, originalTransactionID: original,
      signed: date(seconds), content: content, payload: "payload of \(uuid)")
  }

  private var refundDate: StoreDate? { coins(refunded: 100_000).revocation?.date }

  private func coins(refunded percentage: Int64? = nil) -> ProvenPurchase {
    TestLedger.purchase(TestLedger.coins, 1, refunded: percentage)
  }

  private func period(_ id: UInt64, until seconds: Int64) -> ProvenPurchase {
    var purchase = TestLedger.purchase(TestLedger.club, id, original: 1)
    purchase.type = .autoRenewableSubscription
    purchase.expiresDate = date(seconds)
    return purchase
  }

  private func renewal(after id: UInt64, retries: Bool = false, grace: Int64? = nil) -> ProvenRenewal {
    ProvenRenewal(
      originalTransactionID: TransactionID(1), lastPeriod: TransactionID(id), productID: TestLedger.club,
      isAutoRenewOn: true, isInBillingRetry: retries, gracePeriodEnd: grace.map(date))
  }

  private func rows(_ fixture: TestLedger) async throws -> [ReceivedNotification] {
    try await fixture.ledger.notifications(of: Self.app, limit: 1_000).elements
  }

  @Test(
    "A refund before the redemption gives nothing, and is known to the claim that follows; its reversal gives the credits",
    arguments: LedgerEngine.allCases)
  func refundFirst(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")

    let outcome = try await fixture.ledger.receive(
      notification("a", coins(refunded: 100_000), signed: 10), from: .sent)
    #expect(outcome == .recorded)
    #expect(try await fixture.ledger.creditBalances(of: ada.customer, app: Self.app).credits == [])

    // The proof is older than the refund.
    #expect(try await fixture.redeem(coins(), stated: 5, for: ada).refusal == .refunded(refundDate))
    #expect(try await fixture.balance(of: ada.customer) == 0)

    let reversed = notification("b", coins(), type: "REFUND_REVERSED", signed: 20)
    #expect(try await fixture.ledger.receive(reversed, from: .history) == .recorded)
    #expect(try await fixture.balance(of: ada.customer) == 5)
    try await fixture.checkBalances()
  }

  @Test(
    "A grace period before the redemption extends the access of the claim that follows",
    arguments: LedgerEngine.allCases)
  func graceFirst(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let failed = notification(
      "a", period(1, until: 100), type: "DID_FAIL_TO_RENEW", signed: 110,
      renewal: renewal(after: 1, retries: true, grace: 150))
    _ = try await fixture.ledger.receive(failed, from: .sent)
    #expect(try await fixture.ledger.entitlements(of: ada.customer, app: Self.app) == [])

    _ = try await fixture.redeem(period(1, until: 100), stated: 50, for: ada)

    let held = try #require(try await fixture.ledger.entitlements(of: ada.customer, app: Self.app).first)
    #expect((held.expires, held.accessUntil) == (date(100), date(150)))
    #expect(held.renewal?.isInBillingRetry == true)
  }

  @Test("A notification that comes twice changes nothing, also eight times at once", arguments: LedgerEngine.allCases)
  func doubled(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(coins(), for: ada)
    let refund = notification("a", coins(refunded: 100_000), signed: 10)

    let outcomes = try await withThrowingTaskGroup(of: NotificationOutcome.self) { group in
      for number in 0..<8 {
        group.addTask { try await fixture.ledger.receive(refund, from: number % 2 == 0 ? .sent : .history) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(outcomes.filter { $0 == .recorded }.count == 1)
    #expect(outcomes.filter { $0 == .known }.count == 7)
    #expect(try await rows(fixture).map(\.uuid) == ["a"])
    let movements = try await fixture.ledger.creditMovements(of: ada.customer, app: Self.app, unit: TestLedger.coin)
    #expect(movements.map(\.amount) == [-5, 5])
  }

  @Test(
    "A notification that is known changes nothing in one transaction without locks, also about a claimed purchase",
    arguments: LedgerEngine.allCases)
  func knownClaimed(_ engine: LedgerEngine) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(coins(), for: ada)
    let refund = notification("a", coins(refunded: 100_000), signed: 10)
    let first = try await database.counting { _ = try await fixture.ledger.receive(refund, from: .sent) }
    // PostgreSQL finds the claim's owner, and begins again with the owner's lock.
    #expect(first.transactions == (engine == .sqlite ? 1 : 2))
    let again = try await database.counting { () async throws in
      #expect(try await fixture.ledger.receive(refund, from: .history) == .known)
    }
    #expect((again.transactions, again.changedRows) == (1, 0))
    try await database.close()
  }

  @Test(
    "Of two statements the one that was signed later is valid, in either order; renewal information has its own date",
    arguments: LedgerEngine.allCases, [false, true])
  func order(_ engine: LedgerEngine, isReversed: Bool) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(coins2(), for: ada)
    _ = try await fixture.redeem(period(4, until: 100), for: ada)
    var newer = renewal(after: 4, retries: true, grace: 170)
    // The renewal information of the older notification was signed last.
    newer.statedDate = date(200)
    let notifications = [
      notification("a", coins2(refunded: 100_000), signed: 10), notification("b", coins2(), signed: 20),
      notification("c", period(4, until: 120), type: "RENEWAL_EXTENDED", signed: 30, renewal: newer),
      notification("d", period(4, until: 140), type: "RENEWAL_EXTENDED", signed: 40, renewal: renewal(after: 4)),
    ]

    for notification in isReversed ? notifications.reversed() : notifications {
      #expect(try await fixture.ledger.receive(notification, from: .sent) == .recorded)
    }

    #expect(try await fixture.balance(of: ada.customer) == 5)
    let held = try #require(try await fixture.ledger.entitlements(of: ada.customer, app: Self.app).first)
    #expect((held.expires, held.accessUntil) == (date(140), date(170)))
  }

  @Test(
    "What the ledger refuses is set aside with its payload, blocks nothing, and is recorded by a replay",
    arguments: LedgerEngine.allCases)
  func setAside(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
    let ledger = fixture.ledger
    // Another product under the same transaction id.
    let other = notification("a", coins(refunded: 100_000), signed: 10)
    let unusable = notification(
      "b", .unusable(problem: "a quantity is out of range"), type: "ONE_TIME_CHARGE", signed: 11)

    for notification in [other, unusable] {
      guard case .setAside = try await ledger.receive(notification, from: .sent) else {
        Issue.record("\(notification.uuid) was recorded")
        continue
      }
      #expect(try await ledger.receive(notification, from: .history) == .known)
    }
    let refund = notification("c", TestLedger.purchase(TestLedger.book, 1, refunded: 100_000), signed: 12)
    #expect(try await ledger.receive(refund, from: .sent) == .recorded)
    #expect(try await fixture.owned(by: ada.customer) == [])
    #expect(try await ledger.signedPayload(ofNotification: "a", app: Self.app) == "payload of a")
    #expect(try await ledger.signedPayload(ofNotification: "c", app: Self.app) == nil)

    guard case .setAside = try await ledger.replay(other, by: "olga") else {
      Issue.record("nothing has changed, so it is refused again")
      return
    }
    // A later version can read the second one.
    let readable = notification("b", coins2(), type: "ONE_TIME_CHARGE", signed: 11)
    #expect(try await ledger.replay(readable, by: "olga") == .recorded)
    #expect(try await ledger.replay(readable, by: "olga") == .known)
    #expect(try await ledger.notification("b", app: Self.app).state == .recorded)
    #expect(try await ledger.notification("b", app: Self.app).problem == nil)
    #expect(try await ledger.signedPayload(ofNotification: "b", app: Self.app) == nil)
    await #expect(throws: LedgerError.unknownNotification("none")) {
      try await ledger.replay(notification("none", .nothing), by: "olga")
    }
    let replays = try await ledger.auditLog().filter { $0.action == "replayNotification" }
    #expect(replays.map(\.subject).sorted() == ["a", "b"] && replays.allSatisfy { $0.operatorName == "olga" })
  }

  private func coins2(refunded percentage: Int64? = nil) -> ProvenPurchase {
    TestLedger.purchase(TestLedger.coins, 2, refunded: percentage)
  }

  @Test(
    "Operators list notifications by state, type and date, in pages, the newest first",
    arguments: LedgerEngine.allCases)
  func list(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    for number in 0..<6 {
      let content = number == 4 ? StoreNotification.Content.unusable(problem: "no") : .nothing
      _ = try await fixture.ledger.receive(
        notification("\(number)", content, type: number % 2 == 0 ? "TEST" : "METADATA_UPDATE"), from: .sent)
      // Two are received at the same date.
      if number != 2 { fixture.clock.advance(seconds: 10) }
    }
    func found(_ filter: ReceivedNotificationFilter, _ limit: Int = 4) async throws -> [[String]] {
      var (pages, next): ([[String]], [String]?) = ([], nil)
      repeat {
        let page = try await fixture.ledger.notifications(of: Self.app, filter, after: next, limit: limit)
        pages.append(page.elements.map(\.uuid))
        next = page.next
      } while next != nil
      return pages
    }
    #expect(try await found(.init()) == [["5", "4", "3", "2"], ["1", "0"]])
    #expect(try await found(.init(), 1) == [["5"], ["4"], ["3"], ["2"], ["1"], ["0"]])
    #expect(try await found(.init(state: .setAside)) == [["4"]])
    #expect(try await found(.init(state: .recorded, type: "TEST")) == [["2", "0"]])
    #expect(try await found(.init(type: "TEST"), 2) == [["4", "2"], ["0"]])
    #expect(try await found(.init(from: date(10), until: date(30))) == [["3", "2", "1"]])
    await #expect(throws: LedgerError.self) {
      try await fixture.ledger.notifications(of: Self.app, after: ["x"], limit: 1)
    }
    await #expect(throws: LedgerError.unknownApp("none")) {
      try await fixture.ledger.notifications(of: "none", limit: 1)
    }
  }

  @Test("The pages of a list are read by an index")
  func queryPlan() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    for (condition, index) in [
      ("", "notification_received"), ("AND type = 'TEST'", "notification_type"),
      ("AND state = 'setAside'", "notification_set_aside"),
    ] {
      let plan = try await fixture.database.read { transaction in
        try transaction.rows(
          """
          EXPLAIN QUERY PLAN SELECT uuid FROM notification
          WHERE app = 'a' AND (received, uuid) < (1, '') AND received >= 0 AND received < 2 \(condition)
          ORDER BY received DESC, uuid DESC LIMIT 2
          """
        ).map { try $0.text("detail") }
      }
      #expect(plan.contains { $0.contains("INDEX \(index) ") } && !plan.contains { $0.contains("SORT") }, "\(plan)")
    }
  }

  @Test("Notifications are removed 180 days after they were received, and no earlier", arguments: LedgerEngine.allCases)
  func sweep(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    _ = try await fixture.ledger.receive(notification("a", .nothing), from: .sent)
    fixture.clock.advance(seconds: 1)
    _ = try await fixture.ledger.receive(notification("b", .nothing), from: .sent)
    fixture.clock.advance(seconds: 180 * 86_400 - 1)
    #expect(try await fixture.ledger.removeOldNotifications() == 0)
    fixture.clock.advance(seconds: 1)
    #expect(try await fixture.ledger.removeOldNotifications() == 1)
    #expect(try await rows(fixture).map(\.uuid) == ["b"])
    #expect(try await fixture.ledger.lastNotificationDates() == [Self.app: date(1)])
  }

  @Test(
    "One run at a time holds the cursor of a history; a lease that nobody extends ends, and its run changes nothing any more",
    arguments: LedgerEngine.allCases)
  func cursor(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ledger, clock) = (fixture.ledger, fixture.clock)
    func take() async throws -> StoreCursor? {
      guard case .taken(let cursor) = try await ledger.takeCursor(.notificationHistory, of: Self.app, in: .production)
      else { return nil }
      return cursor
    }
    let first = try #require(try await take())
    // The ledger was created at this date.
    #expect(first.position == TestLedger.start)
    clock.advance(seconds: StoreCursor.leaseSeconds - 1)
    #expect(try await ledger.takeCursor(.notificationHistory, of: Self.app, in: .production) == .held(seconds: 1))
    // Another environment has a cursor of its own.
    guard case .taken = try await ledger.takeCursor(.notificationHistory, of: Self.app, in: .sandbox) else {
      Issue.record("the sandbox's cursor is held")
      return
    }
    #expect(try await ledger.extend(first))
    clock.advance(seconds: StoreCursor.leaseSeconds)
    let second = try #require(try await take())
    #expect(try await !ledger.extend(first))
    #expect(try await !ledger.extend(first, readTo: date(6)))
    #expect(try await !ledger.advance(first, to: date(7)))
    // What is read so far is stored, and the lease goes on.
    #expect(try await ledger.extend(second, readTo: date(3)))
    #expect(try await take() == nil)
    clock.advance(seconds: StoreCursor.leaseSeconds)
    let next = try #require(try await take())
    #expect(next.position == date(3))
    #expect(try await ledger.advance(next, to: date(5)))
    let third = try #require(try await take())
    #expect(third.position == date(5))
    try await ledger.release(third)
    #expect(try await take()?.position == date(5))
  }
}
