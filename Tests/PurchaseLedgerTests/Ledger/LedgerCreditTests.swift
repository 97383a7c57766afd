import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct LedgerCreditTests {
  private func fixtureWithFive(_ engine: LedgerEngine) async throws -> (TestLedger, CustomerID) {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    return (fixture, ada.customer)
  }

  private func spend(
    _ amount: Int64, key: String, _ fixture: TestLedger, _ customer: CustomerID
  ) async throws -> CreditMovement {
    try await fixture.ledger.spend(amount, of: TestLedger.coin, key: key, customer: customer, app: TestLedger.app)
      .movement
  }

  @Test("A repeated spend is the same spend, and has the same answer", arguments: LedgerEngine.allCases)
  func spendOnce(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)

    let first = try await spend(2, key: "a", fixture, ada)
    _ = try await spend(1, key: "b", fixture, ada)
    let again = try await spend(2, key: "a", fixture, ada)

    #expect(again == first)
    #expect(first.balance == 3)
    #expect(try await fixture.balance(of: ada) == 2)
    try await fixture.checkBalances()
  }

  @Test("B5 a spend above the balance is refused and changes nothing", arguments: LedgerEngine.allCases)
  func insufficient(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)

    await #expect(throws: LedgerError.insufficientCredits(balance: 5, requested: 6)) {
      try await spend(6, key: "a", fixture, ada)
    }
    #expect(try await spend(5, key: "a", fixture, ada).balance == 0)
  }

  @Test("A key is valid for one amount only, and amounts and keys have bounds", arguments: LedgerEngine.allCases)
  func bounds(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)
    _ = try await spend(2, key: "a", fixture, ada)

    await #expect(throws: LedgerError.keyReused("a")) { try await spend(3, key: "a", fixture, ada) }
    for amount in [0, -1, 1_000_000_000_001, Int64.min] {
      await #expect(throws: LedgerError.amountOutOfRange(amount)) { try await spend(amount, key: "b", fixture, ada) }
    }
    for key in ["", String(repeating: "k", count: 201), "a\0b"] {
      await #expect(throws: LedgerError.self) { try await spend(1, key: key, fixture, ada) }
    }
    #expect(try await fixture.balance(of: ada) == 3)
  }

  @Test(
    "A movement whose cause and key exist with another amount is refused and moves nothing; with the same amount it is the existing one",
    arguments: LedgerEngine.allCases)
  func contradiction(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)
    let (account, now) = (
      CreditAccount(customer: ada, app: TestLedger.app, unit: TestLedger.coin), fixture.clock.now
    )
    for cause in [CreditMovement.Cause.refund, .grant] {
      func move(_ amount: Int64) async throws -> CreditMovement {
        try await fixture.database.write(locking: [.customer(ada)]) {
          try $0.move(amount, account, cause, key: "k", now)
        }
      }
      let first = try await move(-1)
      #expect(try await move(-1) == first)
      for amount in [Int64(-2), 1] {
        await #expect(throws: LedgerError.keyReused("k")) { try await move(amount) }
      }
    }
    #expect(try await fixture.balance(of: ada) == 3)
    try await fixture.checkBalances()
  }

  @Test(
    "The history comes in pages, newest first, and each movement contains the balance after it",
    arguments: LedgerEngine.allCases)
  func history(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)
    for number in 1...4 { _ = try await spend(1, key: "\(number)", fixture, ada) }

    var pages: [[Int64]] = []
    var before: Int64?
    repeat {
      let page = try await fixture.ledger.creditMovements(
        of: ada, app: TestLedger.app, unit: TestLedger.coin, before: before, limit: 2)
      pages.append(page.map(\.balance))
      before = page.last?.sequence
    } while pages.last?.isEmpty == false

    #expect(pages == [[1, 2], [3, 4], [5], []])
  }

  @Test("Customers cannot see or spend each other's credits", arguments: LedgerEngine.allCases)
  func apart(_ engine: LedgerEngine) async throws {
    let (fixture, _) = try await fixtureWithFive(engine)
    let ben = try await fixture.identified("ben")

    #expect(try await fixture.ledger.creditBalances(of: ben.customer, app: TestLedger.app).credits == [])
    await #expect(throws: LedgerError.insufficientCredits(balance: 0, requested: 1)) {
      try await spend(1, key: "a", fixture, ben.customer)
    }
  }

  @Test("Customers with the same key each make their own spend", arguments: LedgerEngine.allCases)
  func sameKeyOfTwo(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)
    let ben = try await fixture.identified("ben")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), for: ben)

    #expect(try await spend(1, key: "a", fixture, ada).balance == 4)
    #expect(try await spend(2, key: "a", fixture, ben.customer).balance == 3)
  }

  @Test("Both entries of each movement are in the documented views", arguments: LedgerEngine.allCases)
  func views(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await fixtureWithFive(engine)
    _ = try await spend(2, key: "a", fixture, ada)

    let balances = try await fixture.database.read { transaction in
      try transaction.rows("SELECT account, balance FROM ledger_balance ORDER BY balance").map {
        "\(try $0.text("account")) \(try $0.integer("balance"))"
      }
    }

    #expect(balances == ["sales -5", "spending 2", "customer:\(ada) 3"])
    try await fixture.checkBalances()
  }

  @Test("An account that does not add up is detected", arguments: LedgerEngine.allCases)
  func tampered(_ engine: LedgerEngine) async throws {
    let (fixture, _) = try await fixtureWithFive(engine)
    _ = try await fixture.database.write(locking: []) { try $0.execute("UPDATE credit_account SET balance = 500") }

    let faults = try await fixture.database.read { try $0.rows("SELECT customer FROM ledger_check").count }

    #expect(faults == 1)
  }
}
