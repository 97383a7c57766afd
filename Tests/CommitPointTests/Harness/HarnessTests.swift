import Foundation
import Testing

extension CommitPointTests {
  @Suite("the harness itself", .timeLimit(.minutes(10)))
  struct TheHarness {
    private let ways = CommitPointSweep.Way.all.filter { $0.loss != .some(seed: 0) }

    private func sweep(_ orders: String) async throws -> CommitPointSweep {
      let sweep = try await CommitPointSweep.run(
        PromiseJourney(orders: orders), parties: [.app], ways: ways)
      for report in sweep.failures { try FileManager.default.removeItem(atPath: report.folder) }
      return sweep
    }

    @Test("a program that syncs before it speaks passes at every commit point")
    func careful() async throws {
      let sweep = try await sweep("write @book 0 paid sync @book sync @ say promised")
      #expect(sweep.failures.isEmpty)
      #expect(sweep.commitPoints[.app]?.count == 2)
      #expect(sweep.reports.filter { $0.interruptions == 1 }.count == 2 * 2 * 3)
    }

    @Test("a program that speaks before it syncs fails just where it can")
    func hasty() async throws {
      let sweep = try await sweep("write @book 0 paid say promised sync @book sync @")
      let failed = Set(sweep.failures.compactMap { $0.plan.orders[.app]?.first })
      #expect(
        failed == [
          // Killed here, the paid book can still be lost later: nobody ever synced it.
          PowerCutOrder(moment: .commitPoint(1, .before), loss: .nothing),
          PowerCutOrder(moment: .commitPoint(1, .before), loss: .everything),
          PowerCutOrder(moment: .commitPoint(1, .before), loss: .contents),
          // Synced is what is in the book, but not yet its name.
          PowerCutOrder(moment: .commitPoint(1, .after), loss: .nothing),
          PowerCutOrder(moment: .commitPoint(1, .after), loss: .everything),
          PowerCutOrder(moment: .commitPoint(2, .before), loss: .nothing),
          PowerCutOrder(moment: .commitPoint(2, .before), loss: .everything),
        ])
    }

    @Test("a program that never syncs fails already when nobody interrupts it")
    func careless() async throws {
      // It is cut off while it waits for its input to end.
      let theatre = try await JourneyTheatre(PromiseJourney(orders: "write @book 0 paid say promised"))
      let report = try await theatre.play(
        PlayPlan(orders: [.app: [PowerCutOrder(moment: .beat(5, delayNanoseconds: 0), loss: .everything)]]))
      #expect(report.failures.count == 1)
      #expect("\(report)".contains("power cut, everything unsynced lost"))
      try FileManager.default.removeItem(atPath: report.folder)
    }
  }
}
