import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct OperatorTests {
  @Test("An operator's key works until it is revoked, and both are in the audit log", arguments: LedgerEngine.allCases)
  func keys(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let key = try await desk.ledger.createOperatorKey(name: "olga", by: "setup")

    #expect(try await desk.ledger.authenticateOperator(key.token) == key.identity)
    desk.clock.advance(seconds: 1)
    try await desk.ledger.revokeOperatorKey(id: key.identity.id, by: "otto")
    try await desk.ledger.revokeOperatorKey(id: key.identity.id, by: "otto")

    await #expect(throws: LedgerError.unknownOperatorKey) {
      try await desk.ledger.authenticateOperator(key.token)
    }
    let log = try await desk.ledger.auditLog().filter { $0.subject == key.identity.id }
    #expect(log.map(\.action) == ["revokeOperatorKey", "createOperatorKey"])
    #expect(log.map(\.operatorName) == ["otto", "setup"])
    #expect(try await desk.ledger.operatorKeys().map { $0.revoked != nil } == [true])
  }

  @Test(
    "An operator's name is one line of visible text",
    arguments: [
      "", " ", " olga", "\u{301}", "\u{2800}", "olga\notto", "olga\u{202E}", "olga\u{2028}", "\u{200B}", "ol\0ga",
      String(repeating: "o", count: 101),
    ])
  func names(_ name: String) async throws {
    let desk = try await LedgerDesk.open(.sqlite)
    await #expect(throws: LedgerError.self) { try await desk.ledger.createOperatorKey(name: name, by: "setup") }
    #expect(try await desk.ledger.operatorKeys() == [])
    _ = try await desk.ledger.createOperatorKey(name: "Ольга Ω 花子", by: "setup")
  }

  @Test("The audit log comes in pages, also where entries are of one instant", arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    for number in 1...5 { _ = try await desk.ledger.createOperatorKey(name: "\(number)", by: "setup") }

    var seen: [String] = []
    var last: AuditEntry?
    while true {
      let page = try await desk.ledger.auditLog(before: last?.date, beforeID: last?.id, limit: 2)
      guard let end = page.last else { break }
      seen += page.filter { $0.action == "createOperatorKey" }.map(\.detail)
      last = end
    }

    #expect(seen.count == 5 && Set(seen).count == 5)
  }

  @Test(
    "A grant is given once for each key, and is on record with who gave it and why", arguments: LedgerEngine.allCases)
  func grants(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada").customer
    func grant(_ grant: OperatorGrant, _ key: String) async throws {
      try await desk.ledger.grant(
        grant, to: ada, app: LedgerDesk.app, key: key, reason: "a complaint", by: "olga")
    }

    for _ in 1...2 {
      try await grant(.credits(LedgerDesk.coin, 7), "a")
      try await grant(.product(LedgerDesk.book, accessUntil: nil), "b")
    }
    try await grant(.credits(LedgerDesk.coin, -2), "c")

    #expect(try await desk.balance(of: ada) == 5)
    #expect(try await desk.owned(by: ada) == [LedgerDesk.book])
    #expect(try await desk.ledger.deliveries(of: ada, app: LedgerDesk.app).count == 1)
    #expect(try await desk.ledger.auditLog().filter { $0.action == "grant" }.count == 3)
    await #expect(throws: LedgerError.keyReused("a")) { try await grant(.credits(LedgerDesk.coin, 8), "a") }
    await #expect(throws: LedgerError.keyReused("b")) {
      try await grant(.product(LedgerDesk.book, accessUntil: LedgerDesk.start.adding(seconds: 9)), "b")
    }
    await #expect(throws: LedgerError.keyReused("b")) {
      try await grant(.product(LedgerDesk.magazine, accessUntil: nil), "b")
    }
    await #expect(throws: LedgerError.insufficientCredits(balance: 5, requested: 6)) {
      try await grant(.credits(LedgerDesk.coin, -6), "d")
    }
    await #expect(throws: LedgerError.self) { try await grant(.product(LedgerDesk.coins, accessUntil: nil), "e") }
    try await desk.checkBooks()
  }

  @Test(
    "What an operator took back stays back, also when the purchase is redeemed again", arguments: LedgerEngine.allCases)
  func revoke(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    let goods = try #require(try await desk.redeem(book, for: ada).given)

    let wasThere = try await desk.ledger.revoke(
      LedgerDesk.book, source: "1", from: ada.customer, app: LedgerDesk.app, reason: "fraud", by: "olga")

    #expect(wasThere)
    #expect(try await desk.owned(by: ada.customer) == [])
    await #expect(throws: LedgerError.deliveryEnded) {
      try await desk.ledger.delivery(try #require(goods.delivery))
    }
    #expect(try await desk.redeem(book, stated: 50, for: ada).refusal == .revoked)
    #expect(try await desk.owned(by: ada.customer) == [])
  }
}
