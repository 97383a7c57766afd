import Foundation
import Testing

extension CommitPointTests {
  @Suite("of a purchase", .serialized, .timeLimit(.minutes(30)))
  struct OfAPurchase {
    @Test("B9 C4 store or app killed or cut off, or its response lost, at any commit point: one charge, one grant")
    func everyCommitPoint() async throws {
      let sweep = try await CommitPointSweep.run(
        PurchaseScenario(), roles: [.store, .app], losesResponsesOf: .store, report: expectSuccess)
      // Nearly every planned interruption must have happened.
      #expect(
        sweep.reports.filter { !$0.plan.powerCuts.isEmpty && $0.interruptions == 0 && !$0.lostResponse }.count < 20)
      let table = try CommitPointTable(
        under: "Commit points of a purchase", beginning: [.store: "nothing", .app: "nothing"])
      for (role, diskStates) in table.diskStates {
        let found = sweep.reports.compactMap(\.diskState).filter { $0.role == role }.map(\.text)
        #expect(Set(found) == diskStates, "the \(role)'s disk states differ from Documentation/commit-points.md")
      }
    }

    @Test(
      "B9 C4 the same with StoreKit 2, alone and in an app that delivers by both: one charge, one grant",
      arguments: CommitPointSettings.usesBothStoreKits)
    func storeKit2(_ usesBothStoreKits: Bool) async throws {
      let sweep = try await CommitPointSweep.run(
        PurchaseScenario(storeKit: .storeKit2, usesBothStoreKits: usesBothStoreKits), roles: [.store, .app],
        losesResponsesOf: .store, report: expectSuccess)
      #expect(
        sweep.reports.filter { !$0.plan.powerCuts.isEmpty && $0.interruptions == 0 && !$0.lostResponse }.count < 20)
      let table = try CommitPointTable(
        under: "Commit points of a purchase", beginning: [.store: "nothing", .app: "nothing"])
      for (role, diskStates) in table.diskStates {
        let found = Set(sweep.reports.compactMap(\.diskState).filter { $0.role == role }.map(\.text))
        // Both StoreKits have the same rows.
        #expect(found == diskStates, "the \(role)'s disk states differ from Documentation/commit-points.md")
      }
    }

    @Test("B9 a new store cut off at any commit point while it makes its keys: one charge, one grant")
    func newStore() async throws {
      let sweep = try await CommitPointSweep.run(
        PurchaseScenario(storeHasKeys: false), roles: [.store], variants: [.init(side: .before, loss: .everything)],
        isWanted: { $0.path.contains("keys") }, report: expectSuccess)
      #expect(sweep.reports.count > 20, "six keys, each written, named and made durable")
    }

    private func expectSuccess(_ report: RunReport) {
      if !report.failures.isEmpty { Issue.record("\(report)") }
    }
  }
}
