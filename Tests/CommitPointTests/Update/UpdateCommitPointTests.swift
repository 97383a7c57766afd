import Foundation
import Testing

extension CommitPointTests {
  @Suite("of an update", .serialized, .timeLimit(.minutes(30)))
  struct OfAnUpdate {
    @Test(
      "B9 an app of StoreKit 2 killed or cut off at any commit point of a refund or a renewal that it takes in, alone and delivering by both: locked, and renewed, once",
      arguments: CommitPointSettings.usesBothStoreKits)
    func everyCommitPoint(_ usesBothStoreKits: Bool) async throws {
      let phases = UpdatePhase.allCases.filter { $0 != .buying }.map(\.rawValue)
      let sweep = try await CommitPointSweep.run(
        UpdateScenario(usesBothStoreKits: usesBothStoreKits), roles: [.app],
        variants: CommitPointSweep.Variant.before.filter { CommitPointSettings.isLong || $0.loss == .everything },
        isWanted: { $0.phase.map(phases.contains) ?? false }
      ) { report in
        if !report.failures.isEmpty { Issue.record("\(report)") }
      }
      let found = Set(sweep.commitPoints[.app]?.compactMap(\.phase) ?? [])
      #expect(found.isSuperset(of: phases), "found: \(found)")
      #expect(sweep.reports.count > 15)
      #expect(sweep.reports.filter { !$0.plan.powerCuts.isEmpty && $0.interruptions == 0 }.count < 10)
    }
  }
}
