import Foundation

/// Runs a scenario repeatedly, each time in a fresh copy of the folder that was prepared once.
final class ScenarioRunner<TestedScenario: Scenario>: Sendable {
  /// More interruptions than any plan has.
  private static var largestNumberOfInterruptions: Int { 20 }

  let scenario: TestedScenario
  private let folder: URL

  init(_ scenario: TestedScenario) async throws {
    self.scenario = scenario
    folder = FileManager.default.temporaryDirectory.appending(path: "commit-points-\(UUID().uuidString)")
    let prepared = folder.appending(path: "prepared")
    try FileManager.default.createDirectory(at: prepared, withIntermediateDirectories: true)
    try await scenario.prepare(in: prepared)
  }

  deinit {
    // Only the folders of failed runs stay.
    try? FileManager.default.removeItem(at: folder.appending(path: "prepared"))
    _ = rmdir(folder.path)
  }

  /// Runs the scenario once. If it fails, the report lists the errors, and its folder stays.
  func run(_ plan: RunPlan) async throws -> RunReport {
    let runFolder = folder.appending(path: UUID().uuidString)
    try FileManager.default.copyItem(at: folder.appending(path: "prepared"), to: runFolder)
    let environment = try RunEnvironment(folder: runFolder, powerCuts: plan.powerCuts)
    let run = scenario.makeRun(in: environment)
    var failures: [String] = []
    var diskState: DiskState?
    do {
      try await runToTheEnd(run, in: environment) { role in
        guard diskState == nil, let text = try run.diskState(of: role) else { return }
        diskState = DiskState(
          role: role, text: text, phase: environment.traces(of: role).last?.commitPoints.last?.phase)
      }
      try await environment.cutPower()
      failures = try await run.check()
    } catch {
      failures.append("\(error)")
    }
    let traces = Dictionary(uniqueKeysWithValues: ProcessRole.allCases.map { ($0, environment.traces(of: $0)) })
    for (role, trace) in traces.flatMap({ role, traces in traces.map { (role, $0) } }) where !trace.unseen.isEmpty {
      failures.append("the \(role) changed files in an unwatched way: \(trace.unseen)")
    }
    if failures.isEmpty { try FileManager.default.removeItem(at: runFolder) }
    return RunReport(
      scenario: scenario.name, plan: plan, failures: failures, traces: traces, interruptions: environment.interruptions,
      diskState: diskState, folder: runFolder.path)
  }

  private func runToTheEnd(
    _ run: TestedScenario.Run, in environment: RunEnvironment, interrupted: (ProcessRole) throws -> Void
  ) async throws {
    var hasBeenInterrupted = false
    for _ in 0..<Self.largestNumberOfInterruptions {
      do {
        for role in run.roles where !environment.isRunning(role) { try await run.start(role) }
        return hasBeenInterrupted ? try await run.recover() : try await run.perform()
      } catch let ended as ProcessEnded {
        guard ended.isExpected else { throw ended }
        hasBeenInterrupted = true
        try interrupted(ended.role)
      }
    }
    throw RunTimeout(lastLine: "an interruption, for the \(Self.largestNumberOfInterruptions)th time")
  }

  /// Runs all plans, two at a time.
  ///
  /// - Parameter progress: called after each run; false stops the remaining runs.
  func run(
    _ plans: [RunPlan], progress: (RunReport) -> Bool = { _ in true }
  ) async throws -> [RunReport] {
    var reports: [RunReport] = []
    try await withThrowingTaskGroup(of: RunReport.self) { group in
      var waiting = plans.makeIterator()
      for _ in 0..<2 {
        if let plan = waiting.next() { group.addTask { try await self.run(plan) } }
      }
      while let report = try await group.next() {
        reports.append(report)
        guard progress(report) else { return group.cancelAll() }
        if let plan = waiting.next() { group.addTask { try await self.run(plan) } }
      }
    }
    return reports
  }
}
