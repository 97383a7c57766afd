import Foundation
import Testing

extension CommitPointTests {
  @Suite("of a server-delivered purchase", .serialized, .timeLimit(.minutes(15)))
  struct OfAServerDeliveredPurchase {
    @Test(
      "G3 G5 B9 the app killed or cut off at any commit point of a server's delivery: given once, opened, finished once"
    )
    func everyCommitPointOfTheApp() async throws {
      let sweep = try await CommitPointSweep.run(
        DeliveryJourney(), parties: [.app],
        ways: [.nothing, .everything].map { .init(side: .before, loss: $0) }, isWanted: { $0.scene != nil }
      ) { report in
        if !report.failures.isEmpty { Issue.record("\(report)") }
      }
      #expect(sweep.reports.filter { !$0.plan.orders.isEmpty && $0.interruptions == 0 }.count < 10)
      let table = try CommitPointTable(
        under: "Commit points of a server-delivered purchase", beginning: [.app: "nothing"])
      let found = sweep.reports.compactMap(\.landmark).filter { $0.scene != nil }.map(\.words)
      #expect(
        Set(found).union(["nothing"]) == table.landmarks[.app],
        "as found, and as Documentation/commit-points.md has it")
    }
  }
}
