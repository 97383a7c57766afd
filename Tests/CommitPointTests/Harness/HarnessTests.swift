import Foundation
import Testing

extension CommitPointTests {
  @Suite("the harness itself", .timeLimit(.minutes(30)))
  struct TheHarness {
    private let variants = CommitPointSweep.Variant.all.filter { $0.loss != .some(seed: 0) }

    private func sweep(_ commands: String) async throws -> CommitPointSweep {
      let sweep = try await CommitPointSweep.run(
        PromiseScenario(commands: commands), roles: [.app], variants: variants)
      for report in sweep.failures { try FileManager.default.removeItem(atPath: report.folder) }
      return sweep
    }

    @Test("a program that syncs before it reports success passes at every commit point")
    func syncsFirst() async throws {
      let sweep = try await sweep("write @file 0 paid sync @file sync @ say promised")
      #expect(sweep.failures.isEmpty)
      #expect(sweep.commitPoints[.app]?.count == 2)
      #expect(sweep.reports.filter { $0.interruptions == 1 }.count == 2 * 2 * 3)
    }

    @Test("a program that reports success before it syncs fails exactly at the commit points before the sync")
    func reportsFirst() async throws {
      let sweep = try await sweep("write @file 0 paid say promised sync @file sync @")
      let failed = Set(sweep.failures.compactMap { $0.plan.powerCuts[.app]?.first })
      #expect(
        failed == [
          // After this kill the paid file can still be lost later, because it was never synced.
          PowerCutSettings(moment: .commitPoint(1, .before), loss: .nothing),
          PowerCutSettings(moment: .commitPoint(1, .before), loss: .everything),
          PowerCutSettings(moment: .commitPoint(1, .before), loss: .contents),
          // The content of the file is synced, but not yet its name.
          PowerCutSettings(moment: .commitPoint(1, .after), loss: .nothing),
          PowerCutSettings(moment: .commitPoint(1, .after), loss: .everything),
          PowerCutSettings(moment: .commitPoint(2, .before), loss: .nothing),
          PowerCutSettings(moment: .commitPoint(2, .before), loss: .everything),
        ])
    }

    @Test("a program that never syncs fails without an interruption")
    func neverSyncs() async throws {
      // Its power is cut while it waits for the end of its input.
      let runner = try await ScenarioRunner(PromiseScenario(commands: "write @file 0 paid say promised"))
      let report = try await runner.run(
        RunPlan(powerCuts: [.app: [PowerCutSettings(moment: .watchedCall(5, delayNanoseconds: 0), loss: .everything)]]))
      #expect(report.failures.count == 1)
      #expect("\(report)".contains("power cut, everything unsynced lost"))
      try FileManager.default.removeItem(atPath: report.folder)
    }
  }
}
