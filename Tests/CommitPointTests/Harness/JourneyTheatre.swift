import Foundation

/// Plays a journey again and again, each time on a fresh copy of what was prepared once.
final class JourneyTheatre<Drama: Journey>: Sendable {
  /// Each interruption is followed by one settling; no plan has this many.
  private static var largestNumberOfInterruptions: Int { 20 }

  let journey: Drama
  private let folder: URL

  init(_ journey: Drama) async throws {
    self.journey = journey
    folder = FileManager.default.temporaryDirectory.appending(path: "commit-points-\(UUID().uuidString)")
    let prepared = folder.appending(path: "prepared")
    try FileManager.default.createDirectory(at: prepared, withIntermediateDirectories: true)
    try await journey.prepare(in: prepared)
  }

  deinit {
    // Only what failed is left to be looked at.
    try? FileManager.default.removeItem(at: folder.appending(path: "prepared"))
    _ = rmdir(folder.path)
  }

  /// Plays it once. What fails is in the report, and its folder stays.
  func play(_ plan: PlayPlan) async throws -> PlayReport {
    let place = folder.appending(path: UUID().uuidString)
    try FileManager.default.copyItem(at: folder.appending(path: "prepared"), to: place)
    let stage = try Stage(folder: place, orders: plan.orders)
    let play = journey.play(on: stage)
    var failures: [String] = []
    var landmark: Landmark?
    do {
      try await playToTheEnd(play, on: stage) { party in
        guard landmark == nil, let words = try play.landmark(of: party) else { return }
        landmark = Landmark(
          party: party, words: words, scene: stage.traces(of: party).last?.commitPoints.last?.scene)
      }
      try await stage.cutPower()
      failures = try await play.check()
    } catch {
      failures.append("\(error)")
    }
    let traces = Dictionary(uniqueKeysWithValues: Party.allCases.map { ($0, stage.traces(of: $0)) })
    for (party, trace) in traces.flatMap({ party, traces in traces.map { (party, $0) } }) where !trace.unseen.isEmpty {
      failures.append("the \(party) changed files by a way that is not watched: \(trace.unseen)")
    }
    if failures.isEmpty { try FileManager.default.removeItem(at: place) }
    return PlayReport(
      journey: journey.name, plan: plan, failures: failures, traces: traces, interruptions: stage.interruptions,
      landmark: landmark, folder: place.path)
  }

  private func playToTheEnd(
    _ play: Drama.Play, on stage: Stage, interrupted: (Party) throws -> Void
  ) async throws {
    var hasBeenInterrupted = false
    for _ in 0..<Self.largestNumberOfInterruptions {
      do {
        for party in play.parties where !stage.isRunning(party) { try await play.start(party) }
        return hasBeenInterrupted ? try await play.settle() : try await play.play()
      } catch let ended as PartyEnded {
        guard ended.isExpected else { throw ended }
        hasBeenInterrupted = true
        try interrupted(ended.party)
      }
    }
    throw PlayStuck(lastLine: "one interruption after another")
  }

  /// Plays all plans, two at a time.
  ///
  /// - Parameter progress: told after each play; false ends it all.
  func play(
    _ plans: [PlayPlan], progress: (PlayReport) -> Bool = { _ in true }
  ) async throws -> [PlayReport] {
    var reports: [PlayReport] = []
    try await withThrowingTaskGroup(of: PlayReport.self) { group in
      var waiting = plans.makeIterator()
      for _ in 0..<2 {
        if let plan = waiting.next() { group.addTask { try await self.play(plan) } }
      }
      while let report = try await group.next() {
        reports.append(report)
        guard progress(report) else { return group.cancelAll() }
        if let plan = waiting.next() { group.addTask { try await self.play(plan) } }
      }
    }
    return reports
  }
}
