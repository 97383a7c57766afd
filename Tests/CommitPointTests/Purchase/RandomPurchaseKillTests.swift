import Foundation
import Testing

extension CommitPointTests {
  @Suite("at random", .serialized, .timeLimit(.minutes(CommitPointSettings.isLong ? 24 * 60 : 30)))
  struct AtRandom {
    @Test("B9 store, app or both killed or cut off at random instants, repeatedly: one charge, one grant")
    func randomInstants() async throws {
      let settings = CommitPointSettings()
      let runner = try await ScenarioRunner(PurchaseScenario())
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
