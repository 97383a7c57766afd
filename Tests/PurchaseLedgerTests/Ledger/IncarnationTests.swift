import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/purchase-ledger.md, "Incarnations".
@Suite("Incarnations of a ledger", .timeLimit(.minutes(30)))
struct IncarnationTests {
  @Test(
    "F3 balances and spends contain the ledger's incarnation, which an operator can change",
    arguments: LedgerEngine.allCases)
  func named(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
    let before = try await fixture.ledger.incarnation()
    func spend() async throws -> CreditSpend {
      try await fixture.ledger.spend(1, of: TestLedger.coin, key: "a", customer: ada.customer, app: TestLedger.app)
    }
    let first = try await spend()

    try await fixture.ledger.beginIncarnation(by: "olga")

    let after = try await fixture.ledger.incarnation()
    #expect(first.incarnation == before)
    #expect(after != before)
    #expect(try await spend() == CreditSpend(incarnation: after, movement: first.movement))
    #expect(try await fixture.ledger.creditBalances(of: ada.customer, app: TestLedger.app).incarnation == after)
    #expect(try await fixture.ledger.auditLog().filter { $0.action == "beginIncarnation" }.count == 1)
  }

  @Test("F3 a ledger keeps its incarnation when it is opened again; each copy of a backup begins a new one")
  func backup() async throws {
    let folder = try ScratchFolder()
    let (file, copy) = (folder.url.appending(path: "ledger.sqlite"), folder.url.appending(path: "backup.sqlite"))
    func incarnation(of file: URL) async throws -> LedgerIncarnation {
      let database = try SQLiteLedgerDatabase(at: file)
      let incarnation = try await TestLedger.open(on: database).ledger.incarnation()
      try await database.close()
      return incarnation
    }
    let first = try await incarnation(of: file)
    let database = try SQLiteLedgerDatabase(at: file)
    try await database.backUp(to: copy)
    try await database.close()
    let restored = folder.url.appending(path: "restored.sqlite")
    try FileManager.default.copyItem(at: copy, to: restored)

    let (again, second, third) = (
      try await incarnation(of: file), try await incarnation(of: copy), try await incarnation(of: restored)
    )

    #expect(again == first)
    #expect(Set([first, second, third]).count == 3)
    #expect(try await incarnation(of: restored) == third)
  }
}
