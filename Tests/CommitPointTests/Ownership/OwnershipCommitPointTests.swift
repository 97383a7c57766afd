import Foundation
import Testing

extension CommitPointTests {
  @Suite("of restore and backup", .serialized, .timeLimit(.minutes(30)))
  struct OfOwnership {
    /// Excludes the phase of buying, which another scenario tests.
    private let isNew = { @Sendable (phase: String?) in phase != nil && phase != OwnershipPhase.buying.rawValue }

    @Test(
      "E5 F2 B9 the app killed or cut off at any commit point of restore, vault write, export and import: each item is granted once"
    )
    func everyCommitPointOfTheApp() async throws {
      let sweep = try await CommitPointSweep.run(
        OwnershipScenario(), roles: [.app], variants: CommitPointSweep.Variant.before,
        isWanted: { isNew($0.phase) }, report: expectSuccess)
      #expect(sweep.reports.filter { !$0.plan.powerCuts.isEmpty && $0.interruptions == 0 }.count < 10)
      let beginning = "5 credits"
      let table = try CommitPointTable(under: "Commit points of restore and backup", beginning: [.app: beginning])
      let found = sweep.reports.compactMap(\.diskState).filter { isNew($0.phase) }.map(\.text)
      // Threads race, so the first commit point of a phase can have the number of the last one of the phase before. Then the
      // beginning is not found. Every row of the table is found.
      #expect(
        Set(found).union([beginning]) == table.diskStates[.app],
        "the found disk states differ from Documentation/commit-points.md")
    }

    @Test(
      "E5 F2 B9 the store killed or cut off at any commit point while the app restores and imports: each item is granted once"
    )
    func everyCommitPointOfTheStore() async throws {
      let sweep = try await CommitPointSweep.run(
        OwnershipScenario(), roles: [.store],
        variants: CommitPointSweep.Variant.before, losesResponsesOf: .store,
        isWanted: { isNew($0.phase) }, report: expectSuccess)
      #expect(
        sweep.reports.count > 15, "the store commits numbers of restored transactions, a registration and a sign-in")
    }

    private func expectSuccess(_ report: RunReport) {
      if !report.failures.isEmpty { Issue.record("\(report)") }
    }
  }
}
