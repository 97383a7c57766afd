import Foundation
import Testing

extension CommitPointTests {
  @Suite("of what is owned", .serialized, .timeLimit(.minutes(15)))
  struct OfWhatIsOwned {
    /// Buying is a journey of its own.
    private let isNew = { @Sendable (scene: String?) in scene != nil && scene != OwnershipScene.buying.rawValue }

    @Test(
      "E5 F2 B9 the app killed or cut off at any commit point of restore, vault write, export and import: all is there once"
    )
    func everyCommitPointOfTheApp() async throws {
      let sweep = try await CommitPointSweep.run(
        OwnershipJourney(), parties: [.app],
        ways: [.nothing, .everything, .some(seed: 0)].map { .init(side: .before, loss: $0) },
        isWanted: { isNew($0.scene) }, report: expectSuccess)
      #expect(sweep.reports.filter { !$0.plan.orders.isEmpty && $0.interruptions == 0 }.count < 10)
      let beginning = "5 credits"
      let table = try CommitPointTable(under: "Commit points of what is owned", beginning: [.app: beginning])
      let found = sweep.reports.compactMap(\.landmark).filter { isNew($0.scene) }.map(\.words)
      // Where threads race, the number of the scene's first commit point may be that of the last one of the scene before, and
      // the beginning is not seen. Every row of the table is.
      #expect(
        Set(found).union([beginning]) == table.landmarks[.app],
        "as found, and as Documentation/commit-points.md has it")
    }

    @Test(
      "E5 F2 B9 the store killed or cut off at any commit point while the app restores and imports: all is there once")
    func everyCommitPointOfTheStore() async throws {
      let sweep = try await CommitPointSweep.run(
        OwnershipJourney(), parties: [.store],
        ways: [.nothing, .everything].map { .init(side: .before, loss: $0) }, losesAnswersOf: .store,
        isWanted: { isNew($0.scene) }, report: expectSuccess)
      #expect(sweep.reports.count > 15, "restoring uses up numbers, a new installation registers and signs in")
    }

    private func expectSuccess(_ report: PlayReport) {
      if !report.failures.isEmpty { Issue.record("\(report)") }
    }
  }
}
