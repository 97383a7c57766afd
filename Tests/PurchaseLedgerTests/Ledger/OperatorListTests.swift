import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Lists that operators read", .timeLimit(.minutes(30)))
struct OperatorListTests {
  @Test(
    "A summary has the newest purchases, devices and operators' changes of a customer who has more than its rows, in their order",
    arguments: LedgerEngine.allCases)
  func newest(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let customer = try await fixture.installation().customer
    let rows = CustomerSummary.rows
    try await fixture.database.write(locking: []) { transaction in
      // The ids and the apps are in another order than the dates.
      for number in 1...rows + 10 {
        try transaction.execute(
          """
          INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
          VALUES ($1, 'Sandbox', $2, $3, 'coins', 'Consumable', 1, 'PURCHASED', 0, $4)
          """, number % 2 == 0 ? "a" : "z", "\(100_000 - number)", customer, number)
        try transaction.execute(
          "INSERT INTO bearer_token (hash, customer, app, issued) VALUES ($1, $2, 'a', $3)", "h\(1_000 - number)",
          customer, number)
        try transaction.execute(
          """
          INSERT INTO audit_entry (date, id, operator, action, subject, detail) VALUES ($1, $2, 'olga', 'grant', $3, 'x')
          """, number, "\(1_000 - number)", customer)
      }
      for (product, begun) in [("x", 3), ("y", 9), ("z", 5)] {
        try transaction.execute(
          """
          INSERT INTO entitlement (customer, app, product, source, origin, begun) VALUES ($1, 'a', $2, 's', 'granted', $3)
          """, customer, product, begun)
      }
    }
    let summary = try await fixture.ledger.summary(of: customer, .newest)
    let expected = (11...rows + 10).reversed().map { StoreDate(millisecondsSince1970: Int64($0)) }
    #expect(summary.purchases.map(\.claimed) == expected)
    // The installation itself has registered later than the others.
    #expect(summary.installations.map(\.issued) == [TestLedger.start] + expected.dropLast())
    #expect(summary.operatorActions.map(\.date) == expected)
    #expect(summary.entitlements.map(\.entitlement.product.rawValue) == ["y", "z", "x"])
    #expect(Set(summary.cut) == ["purchases", "installations", "operatorActions"])
    let oldest = try await fixture.ledger.summary(of: customer)
    #expect(oldest.operatorActions.first?.date == StoreDate(millisecondsSince1970: 1))
    #expect(Set(oldest.cut) == Set(summary.cut))
  }

  @Test(
    "A summary has the newest periods of a subscription after many consumables, and not those of another owner",
    arguments: LedgerEngine.allCases)
  func periods(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (customer, other) = (try await fixture.installation().customer, try await fixture.installation().customer)
    let rows = CustomerSummary.rows
    try await fixture.database.write(locking: []) { transaction in
      for (owner, claim) in [(customer, "1"), (other, "2")] {
        try transaction.execute(
          """
          INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
          VALUES ('a', 'Sandbox', $2, $1, 'club', 'Auto-Renewable Subscription', 1, 'PURCHASED', 0, 0)
          """, owner, claim)
        // The first owner of the second subscription keeps its ended entitlement.
        try transaction.execute(
          """
          INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until)
          VALUES ($1, 'a', 'club', $2, 'purchased', 0, 1)
          """, customer, claim)
        // The ids have two to four digits.
        for number in 1...rows + 5 {
          try transaction.execute(
            """
            INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated)
            VALUES ('a', 'Sandbox', $1, $2, 'club', $3, 0, 0)
            """, "\(claim)\(number)", claim, number)
        }
      }
      for number in 1...2_000 {
        try transaction.execute(
          """
          INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
          VALUES ('a', 'Sandbox', $2, $1, 'coins', 'Consumable', 1, 'PURCHASED', 0, $3)
          """, customer, "\(9_000_000 + number)", number)
      }
    }
    let summary = try await fixture.ledger.summary(of: customer, .newest)
    #expect(summary.periods.map(\.purchased.millisecondsSince1970) == (6...rows + 5).reversed().map(Int64.init))
    #expect(summary.periods.allSatisfy { $0.claim.rawValue == "1" })
    #expect(summary.cut.contains("periods"))
  }

  @Test(
    "Keys are listed newest first or oldest first, in pages, also of one millisecond", arguments: LedgerEngine.allCases)
  func keys(_ engine: LedgerEngine) async throws {
    let ledger = try await TestLedger.open(engine).ledger
    for number in 0..<5 {
      _ = try await ledger.createOperatorKey(name: "key \(number)", role: .read, by: .commandLine)
    }
    let oldest = try await ledger.operatorKeys().map(\.id)
    let newest = try await LedgerPage.all { try await ledger.operatorKeys(.newest, after: $0, limit: 2) }.map(\.id)
    #expect(oldest.count == 5 && newest == oldest.reversed())
  }

  @Test("All products of an app are listed in pages, also those that apps do not see", arguments: LedgerEngine.allCases)
  func products(_ engine: LedgerEngine) async throws {
    let ledger = try await TestLedger.open(engine).ledger
    try await ledger.publish(
      LedgerProduct(id: "com.example.reader.draft", type: .nonConsumable, isListed: false), app: TestLedger.app,
      by: "olga")
    let products = try await LedgerPage.all { try await ledger.products(of: TestLedger.app, after: $0, limit: 2) }
    let expected = [
      TestLedger.book, TestLedger.club, TestLedger.coins, "com.example.reader.draft", TestLedger.magazine,
    ]
    #expect(products.map(\.product.id) == expected)
    #expect(products.map(\.contentVersion) == [1, 0, 0, 0, 0])
    let book = try await ledger.product(TestLedger.book, of: TestLedger.app)
    #expect(book.product == products[0] && book.content?.files.map(\.name) == ["book.txt"])
    await #expect(throws: LedgerError.unknownProduct("none")) { try await ledger.product("none", of: TestLedger.app) }
    await #expect(throws: LedgerError.self) {
      try await ledger.products(of: TestLedger.app, after: ["a", "b"], limit: 2)
    }
  }

  @Test(
    "Histories are known with their lease until it is over, and notifications that are set aside are counted to a bound",
    arguments: LedgerEngine.allCases)
  func store(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    #expect(try await ledger.storeCursors(.notificationHistory).isEmpty)
    guard
      case .taken(let cursor) = try await ledger.takeCursor(
        .notificationHistory, of: TestLedger.app, in: .sandbox)
    else {
      Issue.record("the cursor is held")
      return
    }
    let until = TestLedger.start.adding(seconds: StoreCursor.leaseSeconds)
    #expect(
      try await ledger.storeCursors(.notificationHistory) == [
        StoreCursorState(
          app: TestLedger.app, environment: .sandbox, position: TestLedger.start, leasedUntil: until)
      ])
    _ = try await ledger.advance(cursor, to: TestLedger.start.adding(seconds: 5))
    let state = try #require(try await ledger.storeCursors(.notificationHistory).first)
    #expect(state.leasedUntil == nil && state.position == TestLedger.start.adding(seconds: 5))

    #expect(try await ledger.notificationsSetAside() == [:])
    try await fixture.database.write(locking: []) { transaction in
      for number in 1...5 {
        try transaction.execute(
          """
          INSERT INTO notification (app, uuid, type, signed, received, source, state)
          VALUES ($1, $2, 'TEST', 0, $3, 'sent', $4)
          """, TestLedger.app, "\(number)", 10 * number, number == 1 ? "recorded" : "setAside")
      }
    }
    let oldest = StoreDate(millisecondsSince1970: 20)
    #expect(
      try await ledger.notificationsSetAside() == [TestLedger.app: SetAsideNotifications(count: 4, oldest: oldest)])
    #expect(
      try await ledger.notificationsSetAside(most: 3) == [
        TestLedger.app: SetAsideNotifications(count: 3, oldest: oldest)
      ])
  }
}
