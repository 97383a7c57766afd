import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct OperatorTests {
  @Test(
    "An operator's key is valid until it is revoked, and both are in the audit log", arguments: LedgerEngine.allCases)
  func keys(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let key = try await fixture.ledger.createOperatorKey(name: "olga", by: "setup")

    #expect(try await fixture.ledger.authenticateOperator(key.token) == key.identity)
    fixture.clock.advance(seconds: 1)
    try await fixture.ledger.revokeOperatorKey(id: key.identity.id, by: "otto")
    try await fixture.ledger.revokeOperatorKey(id: key.identity.id, by: "otto")

    await #expect(throws: LedgerError.unknownOperatorKey) {
      try await fixture.ledger.authenticateOperator(key.token)
    }
    let log = try await fixture.ledger.auditLog().filter { $0.subject == key.identity.id }
    #expect(log.map(\.action) == ["revokeOperatorKey", "createOperatorKey"])
    #expect(log.map(\.operatorName) == ["otto", "setup"])
    #expect(try await fixture.ledger.operatorKeys().map { $0.revoked != nil } == [true])
  }

  @Test(
    "An operator's name is one line of visible text",
    arguments: [
      "", " ", " olga", "\u{301}", "\u{2800}", "olga\notto", "olga\u{202E}", "olga\u{2028}", "\u{200B}", "ol\0ga",
      String(repeating: "o", count: 101),
    ])
  func names(_ name: String) async throws {
    let fixture = try await TestLedger.open(.sqlite)
    await #expect(throws: LedgerError.self) { try await fixture.ledger.createOperatorKey(name: name, by: "setup") }
    #expect(try await fixture.ledger.operatorKeys() == [])
    _ = try await fixture.ledger.createOperatorKey(name: "Ольга Ω 花子", by: "setup")
  }

  @Test("The audit log comes in pages, also if entries have the same date", arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    for number in 1...5 { _ = try await fixture.ledger.createOperatorKey(name: "\(number)", by: "setup") }

    var seen: [String] = []
    var last: AuditEntry?
    while true {
      let page = try await fixture.ledger.auditLog(before: last?.date, beforeID: last?.id, limit: 2)
      guard let end = page.last else { break }
      seen += page.filter { $0.action == "createOperatorKey" }.map(\.detail)
      last = end
    }

    #expect(seen.count == 5 && Set(seen).count == 5)
  }

  @Test(
    "A grant is given once for each key, and the audit log has the operator and the reason",
    arguments: LedgerEngine.allCases)
  func grants(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada").customer
    func grant(_ grant: OperatorGrant, _ key: String) async throws {
      try await fixture.ledger.grant(
        grant, to: ada, app: TestLedger.app, key: key, reason: "a complaint", by: "olga")
    }

    for _ in 1...2 {
      try await grant(.credits(TestLedger.coin, 7), "a")
      try await grant(.product(TestLedger.book, accessUntil: nil), "b")
    }
    try await grant(.credits(TestLedger.coin, -2), "c")

    #expect(try await fixture.balance(of: ada) == 5)
    #expect(try await fixture.owned(by: ada) == [TestLedger.book])
    #expect(try await fixture.ledger.deliveries(of: ada, app: TestLedger.app).count == 1)
    #expect(try await fixture.ledger.auditLog().filter { $0.action == "grant" }.count == 3)
    await #expect(throws: LedgerError.keyReused("a")) { try await grant(.credits(TestLedger.coin, 8), "a") }
    await #expect(throws: LedgerError.keyReused("b")) {
      try await grant(.product(TestLedger.book, accessUntil: TestLedger.start.adding(seconds: 9)), "b")
    }
    await #expect(throws: LedgerError.keyReused("b")) {
      try await grant(.product(TestLedger.magazine, accessUntil: nil), "b")
    }
    await #expect(throws: LedgerError.insufficientCredits(balance: 5, requested: 6)) {
      try await grant(.credits(TestLedger.coin, -6), "d")
    }
    await #expect(throws: LedgerError.self) { try await grant(.product(TestLedger.coins, accessUntil: nil), "e") }
    try await fixture.checkBalances()
  }

  @Test(
    "A purchase that an operator revoked stays revoked, also when it is redeemed again",
    arguments: LedgerEngine.allCases)
  func revoke(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let book = TestLedger.purchase(TestLedger.book, 1)
    let goods = try #require(try await fixture.redeem(book, for: ada).given)

    let wasThere = try await fixture.ledger.revoke(
      TestLedger.book, source: "1", from: ada.customer, app: TestLedger.app, reason: "fraud", by: "olga")

    #expect(wasThere)
    #expect(try await fixture.owned(by: ada.customer) == [])
    await #expect(throws: LedgerError.deliveryEnded) {
      try await fixture.ledger.delivery(try #require(goods.delivery))
    }
    #expect(try await fixture.redeem(book, stated: 50, for: ada).refusal == .revoked)
    #expect(try await fixture.owned(by: ada.customer) == [])
  }

  @Test("a page of operators' keys is read in the order of an index: SQLite does not sort the keys")
  func keysInOrder() async throws {
    let plan = try await TestLedger.open(.sqlite).database.read { transaction in
      try transaction.rows(
        """
        EXPLAIN QUERY PLAN SELECT id, name, created, revoked FROM operator_key
        WHERE (created, id) > ($1, $2) ORDER BY created, id LIMIT $3
        """, 0, "", 1
      ).map { try $0.text("detail") }
    }
    #expect(!plan.isEmpty && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }
}
