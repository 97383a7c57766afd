import Foundation
import Testing

extension CommitPointTests {
  @Suite("of a purchase", .serialized, .timeLimit(.minutes(15)))
  struct OfAPurchase {
    @Test("B9 C4 store or app killed, cut off, or its answer lost at any commit point: one charge, one grant")
    func everyCommitPoint() async throws {
      let sweep = try await CommitPointSweep.run(
        PurchaseJourney(), parties: [.store, .app], losesAnswersOf: .store, report: expectSuccess)
      // What the sweep is worth: that it really interrupted, nearly everywhere where it wanted to.
      #expect(sweep.reports.filter { !$0.plan.orders.isEmpty && $0.interruptions == 0 && !$0.lostAnAnswer }.count < 20)
      let table = try CommitPointTable(
        under: "Commit points of a purchase", beginning: [.store: "nothing", .app: "nothing"])
      for (party, landmarks) in table.landmarks {
        let found = sweep.reports.compactMap(\.landmark).filter { $0.party == party }.map(\.words)
        #expect(Set(found) == landmarks, "the \(party) as found, and as Documentation/commit-points.md has it")
      }
    }

    @Test("B9 a new store cut off at any commit point while it makes its keys: one charge, one grant")
    func newStore() async throws {
      let sweep = try await CommitPointSweep.run(
        PurchaseJourney(storeHasKeys: false), parties: [.store], ways: [.init(side: .before, loss: .everything)],
        isWanted: { $0.path.contains("keys") }, report: expectSuccess)
      #expect(sweep.reports.count > 20, "six keys, each written, named and made durable")
    }

    private func expectSuccess(_ report: PlayReport) {
      if !report.failures.isEmpty { Issue.record("\(report)") }
    }
  }
}
