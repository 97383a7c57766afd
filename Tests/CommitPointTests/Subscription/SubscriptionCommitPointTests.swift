import Foundation
import Testing

extension CommitPointTests {
  @Suite("of a subscription", .serialized, .timeLimit(.minutes(30)))
  struct OfASubscription {
    @Test(
      "A1 B9 the store killed or cut off at any commit point of a renewal, an upgrade and a recovery: each period is charged once"
    )
    func everyCommitPoint() async throws {
      let sweep = try await CommitPointSweep.run(
        SubscriptionScenario(), roles: [.store], variants: CommitPointSweep.Variant.before,
        isWanted: { $0.phase != nil }
      ) { report in
        if !report.failures.isEmpty { Issue.record("\(report)") }
      }
      let phases = Set(sweep.commitPoints[.store]?.compactMap(\.phase) ?? [])
      #expect(phases.isSuperset(of: ["renewing", "upgrading", "failing", "recovering"]), "found: \(phases)")
      #expect(sweep.reports.count > 25)
      #expect(sweep.reports.filter { !$0.plan.powerCuts.isEmpty && $0.interruptions == 0 }.count < 10)
    }
  }
}
