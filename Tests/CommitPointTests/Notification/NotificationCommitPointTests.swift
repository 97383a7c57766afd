import Foundation
import Testing

extension CommitPointTests {
  /// For PostgreSQL, see `NotificationKillTests`.
  @Suite("of a received notification", .serialized, .timeLimit(.minutes(30)))
  struct OfAReceivedNotification {
    @Test(
      "B9 the purchase server killed or cut off at any commit point of a notification: a refund and its reversal are recorded once"
    )
    func everyCommitPoint() async throws {
      let scenario = NotificationScenario()
      let sweep = try await CommitPointSweep.run(
        scenario, roles: [.server],
        variants: [
          .init(side: .before, loss: .everything), .init(side: .before, loss: .some(seed: 0)),
          .init(side: .after, loss: .nothing), .init(side: .after, loss: .everything),
        ], isWanted: { $0.phase != nil }
      ) { report in
        if !report.failures.isEmpty { Issue.record("\(report)") }
      }
      let phases = Set(sweep.commitPoints[.server]?.compactMap(\.phase) ?? [])
      #expect(phases == Set(NotificationPhase.allCases.map(\.rawValue)))
      #expect(
        Set(sweep.reports.compactMap(\.diskState?.text)) == ["nothing", "REFUND", "REFUND, REFUND_REVERSED"])
      // Before the commit, the next attempt records the notification. After it, the notification is known.
      #expect(
        Set(scenario.answersAfterInterruptions.value.keys) == [#"{"result":"recorded"}"#, #"{"result":"known"}"#])
    }
  }
}
