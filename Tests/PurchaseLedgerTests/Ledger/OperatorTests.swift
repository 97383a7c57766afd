import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct OperatorTests {
  @Test(
    "An operator's key is valid until it is revoked, and both are in the audit log", arguments: LedgerEngine.allCases)
  func keys(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let key = try await fixture.ledger.createOperatorKey(
      name: "olga", role: .support, by: .commandLine, reason: "she helps customers")

    #expect(try await fixture.ledger.authenticateOperator(key.token) == key.identity)
    #expect(key.identity.role == .support)
    fixture.clock.advance(seconds: 1)
    try await fixture.ledger.revokeOperatorKey(id: key.identity.id, by: "otto", reason: "she left")
    try await fixture.ledger.revokeOperatorKey(id: key.identity.id, by: "otto")

    await #expect(throws: LedgerError.unknownOperatorKey) {
      try await fixture.ledger.authenticateOperator(key.token)
    }
    let log = try await fixture.ledger.auditLog().filter { $0.subject == key.identity.id }
    #expect(log.map(\.action) == ["revokeOperatorKey", "createOperatorKey"])
    #expect(log.map(\.operatorName) == ["otto", "command line"])
    #expect(log.map(\.detail) == ["she left", "support for olga: she helps customers"])
    #expect(try await fixture.ledger.operatorKeys().map { $0.revoked != nil } == [true])
    #expect(try await fixture.ledger.operatorKeys().map(\.role) == [.support])
  }

  @Test("A key never gives a role above its own", arguments: OperatorRole.allCases)
  func creators(_ own: OperatorRole) async throws {
    let fixture = try await TestLedger.open(.sqlite)
    let creator = try await fixture.ledger.createOperatorKey(name: "olga", role: own, by: .commandLine).identity
    for role in OperatorRole.allCases {
      if role > own {
        await #expect(throws: LedgerError.roleRequired(role)) {
          try await fixture.ledger.createOperatorKey(name: "otto", role: role, by: creator)
        }
      } else {
        #expect(
          try await fixture.ledger.createOperatorKey(name: "otto", role: role, by: creator).identity.role == role)
      }
    }
    #expect(try await fixture.ledger.operatorKeys().filter { $0.name == "otto" }.allSatisfy { $0.role <= own })
  }

  @Test(
    "The last key with the role admin stays, also if its holders revoke each other's at the same time",
    arguments: LedgerEngine.allCases)
  func lastAdmin(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    _ = try await ledger.createOperatorKey(name: "reader", role: .read, by: .commandLine)
    let admins = [
      try await ledger.createOperatorKey(name: "olga", role: .admin, by: .commandLine),
      try await ledger.createOperatorKey(name: "otto", role: .admin, by: .commandLine),
    ]
    let outcomes = await withTaskGroup(of: LedgerError?.self, returning: [LedgerError?].self) { group in
      for (key, other) in zip(admins, admins.reversed()) {
        group.addTask {
          do {
            try await ledger.revokeOperatorKey(id: other.identity.id, by: key.identity.name)
            return nil
          } catch {
            return error as? LedgerError
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.filter { $0 == nil }.count == 1 && outcomes.contains(.lastAdminKey))
    #expect(try await ledger.operatorKeys().filter { $0.role == .admin && $0.revoked == nil }.count == 1)
  }

  @Test(
    "A session is valid as its key is, and ends with it, at its end, and at its date", arguments: LedgerEngine.allCases)
  func sessions(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    let key = try await ledger.createOperatorKey(name: "olga", role: .support, by: .commandLine)
    let (first, second) = (
      try await ledger.beginOperatorSession(key.token), try await ledger.beginOperatorSession(key.token)
    )
    #expect(first != second && first.isOperators && first.text.hasPrefix("session_"))
    #expect(try await ledger.authenticateOperator(first) == key.identity)
    func isRefused(_ token: BearerToken) async -> Bool {
      do {
        _ = try await ledger.authenticateOperator(token)
        return false
      } catch {
        return error as? LedgerError == .unknownOperatorKey
      }
    }
    // A session is no key, and begins no other session.
    await #expect(throws: LedgerError.unknownOperatorKey) { try await ledger.beginOperatorSession(first) }
    try await ledger.endOperatorSession(first)
    try await ledger.endOperatorSession(first)
    #expect(await isRefused(first))
    fixture.clock.advance(seconds: 12 * 3_600 - 1)
    #expect(try await ledger.authenticateOperator(second) == key.identity)
    fixture.clock.advance(seconds: 1)
    #expect(await isRefused(second))
    let third = try await ledger.beginOperatorSession(key.token)
    try await ledger.revokeOperatorKey(id: key.identity.id, by: "otto")
    #expect(await isRefused(third))
    await #expect(throws: LedgerError.unknownOperatorKey) { try await ledger.beginOperatorSession(key.token) }
  }

  @Test("A key has a bounded number of sessions: the oldest ends", arguments: LedgerEngine.allCases)
  func manySessions(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let key = try await fixture.ledger.createOperatorKey(name: "olga", role: .read, by: .commandLine)
    var sessions: [BearerToken] = []
    for _ in 0...Ledger.sessionsOfKey {
      fixture.clock.advance(seconds: 1)
      sessions.append(try await fixture.ledger.beginOperatorSession(key.token))
    }
    await #expect(throws: LedgerError.unknownOperatorKey) {
      try await fixture.ledger.authenticateOperator(sessions[0])
    }
    for session in sessions.dropFirst() {
      #expect(try await fixture.ledger.authenticateOperator(session) == key.identity)
    }
  }

  @Test(
    "An operator's name is one line of visible text",
    arguments: [
      "", " ", " olga", "\u{301}", "\u{2800}", "olga\notto", "olga\u{202E}", "olga\u{2028}", "\u{200B}", "ol\0ga",
      String(repeating: "o", count: 101),
    ])
  func names(_ name: String) async throws {
    let fixture = try await TestLedger.open(.sqlite)
    await #expect(throws: LedgerError.self) {
      try await fixture.ledger.createOperatorKey(name: name, role: .admin, by: .commandLine)
    }
    #expect(try await fixture.ledger.operatorKeys() == [])
    _ = try await fixture.ledger.createOperatorKey(name: "Ольга Ω 花子", role: .admin, by: .commandLine)
  }

  @Test("The audit log comes in pages, also if entries have the same date", arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    for number in 1...5 {
      _ = try await fixture.ledger.createOperatorKey(name: "\(number)", role: .admin, by: .commandLine)
    }

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
        EXPLAIN QUERY PLAN SELECT id, name, role, created, revoked FROM operator_key
        WHERE (created, id) > ($1, $2) ORDER BY created, id LIMIT $3
        """, 0, "", 1
      ).map { try $0.text("detail") }
    }
    #expect(!plan.isEmpty && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }
}
