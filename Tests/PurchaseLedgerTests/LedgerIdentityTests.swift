import Foundation
import PurchaseLedger
import StoreModel
import Testing

@Suite("The identity of a ledger", .timeLimit(.minutes(30)))
struct LedgerIdentityTests {
  @Test("a ledger has one identity for all readers, and another ledger has another", arguments: LedgerEngine.allCases)
  func identity(engine: LedgerEngine) async throws {
    var found: Set<UUID> = []
    for _ in 0..<2 {
      let database = try await engine.makeDatabase()
      let ledgers = try await [
        Ledger(database: database, anchors: .apple, apps: [:]), Ledger(database: database, anchors: .apple, apps: [:]),
      ]
      let identities = try await withThrowingTaskGroup(of: UUID.self) { group in
        for number in 0..<8 { group.addTask { try await ledgers[number % 2].identity() } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(identities.count == 1)
      found.formUnion(identities)
      try await database.close()
    }
    #expect(found.count == 2)
  }
}
