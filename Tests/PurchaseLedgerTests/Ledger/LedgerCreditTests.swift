import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct LedgerCreditTests {
  private func deskWithFive(_ engine: LedgerEngine) async throws -> (LedgerDesk, CustomerID) {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: ada)
    return (desk, ada.customer)
  }

  private func spend(
    _ amount: Int64, key: String, _ desk: LedgerDesk, _ customer: CustomerID
  ) async throws -> CreditMovement {
    try await desk.ledger.spend(amount, of: LedgerDesk.coin, key: key, customer: customer, app: LedgerDesk.app)
      .movement
  }

  @Test("A spend asked for again is the same spend, and answers the same", arguments: LedgerEngine.allCases)
  func spendOnce(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await deskWithFive(engine)

    let first = try await spend(2, key: "a", desk, ada)
    _ = try await spend(1, key: "b", desk, ada)
    let again = try await spend(2, key: "a", desk, ada)

    #expect(again == first)
    #expect(first.balance == 3)
    #expect(try await desk.balance(of: ada) == 2)
    try await desk.checkBooks()
  }

  @Test("B5 a spend that the balance does not cover is refused and changes nothing", arguments: LedgerEngine.allCases)
  func insufficient(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await deskWithFive(engine)

    await #expect(throws: LedgerError.insufficientCredits(balance: 5, requested: 6)) {
      try await spend(6, key: "a", desk, ada)
    }
    #expect(try await spend(5, key: "a", desk, ada).balance == 0)
  }

  @Test("A key names one amount only, and amounts and keys have bounds", arguments: LedgerEngine.allCases)
  func bounds(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await deskWithFive(engine)
    _ = try await spend(2, key: "a", desk, ada)

    await #expect(throws: LedgerError.keyReused("a")) { try await spend(3, key: "a", desk, ada) }
    for amount in [0, -1, 1_000_000_000_001, Int64.min] {
      await #expect(throws: LedgerError.amountOutOfRange(amount)) { try await spend(amount, key: "b", desk, ada) }
    }
    for key in ["", String(repeating: "k", count: 201), "a\0b"] {
      await #expect(throws: LedgerError.self) { try await spend(1, key: key, desk, ada) }
    }
    #expect(try await desk.balance(of: ada) == 3)
  }

  @Test(
    "History comes in pages, the newest first, and each movement has the balance after it",
    arguments: LedgerEngine.allCases)
  func history(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await deskWithFive(engine)
    for number in 1...4 { _ = try await spend(1, key: "\(number)", desk, ada) }

    var pages: [[Int64]] = []
    var before: Int64?
    repeat {
      let page = try await desk.ledger.creditMovements(
        of: ada, app: LedgerDesk.app, unit: LedgerDesk.coin, before: before, limit: 2)
      pages.append(page.map(\.balance))
      before = page.last?.sequence
    } while pages.last?.isEmpty == false

    #expect(pages == [[1, 2], [3, 4], [5], []])
  }

  @Test("Customers do not see or spend each other's credits", arguments: LedgerEngine.allCases)
  func apart(_ engine: LedgerEngine) async throws {
    let (desk, _) = try await deskWithFive(engine)
    let ben = try await desk.identified("ben")

    #expect(try await desk.ledger.creditBalances(of: ben.customer, app: LedgerDesk.app).credits == [])
    await #expect(throws: LedgerError.insufficientCredits(balance: 0, requested: 1)) {
      try await spend(1, key: "a", desk, ben.customer)
    }
  }

  @Test("The customers of one key each spend under their own", arguments: LedgerEngine.allCases)
  func sameKeyOfTwo(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await deskWithFive(engine)
    let ben = try await desk.identified("ben")
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), for: ben)

    #expect(try await spend(1, key: "a", desk, ada).balance == 4)
    #expect(try await spend(2, key: "a", desk, ben.customer).balance == 3)
  }

  @Test("Both halves of each movement are in the documented views", arguments: LedgerEngine.allCases)
  func views(_ engine: LedgerEngine) async throws {
    let (desk, ada) = try await deskWithFive(engine)
    _ = try await spend(2, key: "a", desk, ada)

    let balances = try await desk.database.read { transaction in
      try transaction.rows("SELECT account, balance FROM ledger_balance ORDER BY balance").map {
        "\(try $0.text("account")) \(try $0.integer("balance"))"
      }
    }

    #expect(balances == ["sales -5", "spending 2", "customer:\(ada) 3"])
    try await desk.checkBooks()
  }

  @Test("An account that does not add up is found", arguments: LedgerEngine.allCases)
  func tampered(_ engine: LedgerEngine) async throws {
    let (desk, _) = try await deskWithFive(engine)
    _ = try await desk.database.write(locking: []) { try $0.execute("UPDATE credit_account SET balance = 500") }

    let faults = try await desk.database.read { try $0.rows("SELECT customer FROM ledger_check").count }

    #expect(faults == 1)
  }
}
