import Foundation
import Testing

extension CommitPointTests {
  @Suite("of a server-delivered purchase", .serialized, .timeLimit(.minutes(30)))
  struct OfAServerDeliveredPurchase {
    @Test(
      "G3 G5 B9 the app killed or cut off at any commit point of a server's delivery: granted once, opened, finished once"
    )
    func everyCommitPointOfTheApp() async throws {
      let sweep = try await CommitPointSweep.run(
        DeliveryScenario(), roles: [.app], variants: CommitPointSweep.Variant.before,
        isWanted: { $0.phase != nil }
      ) { report in
        if !report.failures.isEmpty { Issue.record("\(report)") }
      }
      #expect(sweep.reports.filter { !$0.plan.powerCuts.isEmpty && $0.interruptions == 0 }.count < 10)
      let table = try CommitPointTable(
        under: "Commit points of a server-delivered purchase", beginning: [.app: "nothing"])
      let found = sweep.reports.compactMap(\.diskState).filter { $0.phase != nil }.map(\.text)
      #expect(
        Set(found).union(["nothing"]) == table.diskStates[.app],
        "the found disk states differ from Documentation/commit-points.md")
    }
  }
}
