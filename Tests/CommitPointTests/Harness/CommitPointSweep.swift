/// Finds every commit point of a scenario, and runs the scenario once for each variant of an interruption there.
struct CommitPointSweep: Sendable {
  /// The side of a commit point on which a process is interrupted, and the data that it loses.
  struct Variant: Hashable, Sendable {
    let side: PowerCutSettings.Side
    let loss: PowerCutSettings.Loss

    static let all: [Variant] = PowerCutSettings.Side.allCases.flatMap { side in
      [.nothing, .everything, .contents, .some(seed: 0)].map { Variant(side: side, loss: $0) }
    }

    /// The variants without near duplicates: the data that are unsynced right after one commit point are nearly those that
    /// are unsynced right before the next.
    static let usual = all.filter { $0.side == .before || $0.loss == .nothing || $0.loss == .everything }
  }

  /// The commit points that undisturbed runs showed.
  let commitPoints: [ProcessRole: [CommitPoint]]
  let reports: [RunReport]

  var failures: [RunReport] { reports.filter { !$0.failures.isEmpty } }

  /// - Parameters:
  ///   - roles: the processes that are interrupted, each at its own commit points.
  ///   - variants: the variants of an interruption.
  ///   - losesResponsesOf: the process whose responses are lost too, after each of its commit points.
  ///   - isWanted: selects commit points; by default all.
  ///   - report: called after each run.
  static func run<TestedScenario: Scenario>(
    _ scenario: TestedScenario, roles: [ProcessRole], variants: [Variant] = Variant.usual,
    losesResponsesOf: ProcessRole? = nil,
    isWanted: (CommitPoint) -> Bool = { _ in true }, report: (RunReport) -> Void = { _ in }
  ) async throws -> CommitPointSweep {
    let runner = try await ScenarioRunner(scenario)
    func perform(_ plans: [RunPlan]) async throws -> [RunReport] {
      try await runner.run(plans) {
        report($0)
        return true
      }
    }
    // Threads race, so the order of calls differs. The longest of a few runs shows all commit points.
    let undisturbed = try await perform([RunPlan](repeating: RunPlan(), count: 3))
    var found: [ProcessRole: [CommitPoint]] = [:]
    for role in roles {
      let traces = undisturbed.map { $0.traces[role] ?? [] }
      for launch in 0..<(traces.map(\.count).max() ?? 0) {
        let seen = traces.filter { $0.count > launch }.map { $0[launch].commitPoints }
        found[role, default: []] += seen.max { $0.count < $1.count } ?? []
      }
    }
    guard undisturbed.allSatisfy(\.failures.isEmpty) else {
      return CommitPointSweep(commitPoints: found, reports: undisturbed)
    }
    var plans: [RunPlan] = []
    for role in roles {
      for point in (found[role] ?? []).filter(isWanted) {
        let launchesBefore = [PowerCutSettings](repeating: .undisturbed, count: point.launch - 1)
        for powerCut in powerCuts(at: point.number, variants, losesResponse: role == losesResponsesOf) {
          plans.append(RunPlan(powerCuts: [role: launchesBefore + [powerCut]]))
        }
      }
    }
    return CommitPointSweep(commitPoints: found, reports: undisturbed + (try await perform(plans)))
  }

  private static func powerCuts(at number: Int, _ variants: [Variant], losesResponse: Bool) -> [PowerCutSettings] {
    variants.map { variant in
      // Each commit point has its own seed, so that different sectors are lost.
      var loss = variant.loss
      if case .some(let seed) = loss {
        loss = .some(seed: seed + UInt64(number) * 2 + (variant.side == .before ? 0 : 1))
      }
      return PowerCutSettings(moment: .commitPoint(number, variant.side), loss: loss)
    } + (losesResponse ? [PowerCutSettings(moment: .responseLost(afterCommitPoint: number), loss: .everything)] : [])
  }
}
