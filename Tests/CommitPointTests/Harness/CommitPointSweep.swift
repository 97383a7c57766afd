/// Finds every commit point of a scenario, and runs the scenario once for each variant of an interruption there.
struct CommitPointSweep: Sendable {
  /// The side of a commit point on which a process is interrupted, and the data that it loses.
  struct Variant: Hashable, Sendable {
    let side: PowerCutSettings.Side
    let loss: PowerCutSettings.Loss

    static let all: [Variant] = PowerCutSettings.Side.allCases.flatMap { side in
      [.nothing, .everything, .contents, .some(seed: 0)].map { Variant(side: side, loss: $0) }
    }

    /// Those right before a commit point that lose nothing or everything; with `make prove` also those that lose a part.
    static let before = all.filter {
      $0.side == .before && (CommitPointSettings.isLong || $0.loss == .nothing || $0.loss == .everything)
    }

    /// With `make prove`, the variants without near duplicates: the data that are unsynced right after one commit point are
    /// nearly those that are unsynced right before the next. Else ``before``.
    static let usual =
      CommitPointSettings.isLong
      ? all.filter { $0.side == .before || $0.loss == .nothing || $0.loss == .everything } : before

    /// The variants for one of the commit points. What is on the disk right before a commit, if nothing is lost, is found again
    /// at the next commit point, if everything is lost. So without `make prove`, that is only tried at every third commit point
    /// and at the last.
    static func some(of variants: [Variant], at place: Int, of count: Int) -> [Variant] {
      if CommitPointSettings.isLong || place % 3 == 0 || place == count - 1 { return variants }
      return variants.filter { $0.side != .before || $0.loss != .nothing }
    }
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
      let points = (found[role] ?? []).filter(isWanted)
      for (place, point) in points.enumerated() {
        let variants = Variant.some(of: variants, at: place, of: points.count)
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
