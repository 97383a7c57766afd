import Foundation
import Testing

extension CommitPointTests {
  @Suite("at random", .serialized, .timeLimit(.minutes(CommitPointSettings.isLong ? 24 * 60 : 30)))
  struct AtRandom {
    @Test("B9 store, app or both killed or cut off at random instants, repeatedly: one charge, one grant")
    func randomInstants() async throws {
      try await kill(PurchaseScenario(), CommitPointSettings())
    }

    @Test("B9 the same in an app that buys by StoreKit 2 and delivers by both")
    func randomInstantsOfStoreKit2() async throws {
      try await kill(
        PurchaseScenario(storeKit: .storeKit2, usesBothStoreKits: true),
        CommitPointSettings(variable: "COMMIT_POINT_STOREKIT2_KILLS", usualCount: 30))
    }

    private func kill(_ scenario: PurchaseScenario, _ settings: CommitPointSettings) async throws {
      let runner = try await ScenarioRunner(scenario)
      let undisturbed = try await runner.run(RunPlan())
      #expect(undisturbed.failures.isEmpty, "\(undisturbed)")
      let kills = RandomKills(
        seed: settings.seed, watchedCalls: undisturbed.traces.compactMapValues { $0.first?.watchedCalls },
        reproduction: settings.reproduction(of:))
      var done = 0
      var interrupted = 0
      _ = try await runner.run((settings.first..<settings.first + settings.count).map(kills.plan)) { report in
        done += 1
        if report.interruptions > 0 { interrupted += 1 }
        if CommitPointSettings.isLong, done % 100 == 0 {
          print("\(done) of \(settings.count) runs, \(interrupted) of them interrupted; seed \(settings.seed)")
          // The run takes half an hour, and its output may go to a file.
          fflush(nil)
        }
        if !report.failures.isEmpty { Issue.record("\(report)") }
        return report.failures.isEmpty
      }
      #expect(interrupted * 2 > done, "most instants must lie before the end of the run")
    }
  }
}
