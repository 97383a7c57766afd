/// Finds every commit point of a journey, and plays it once for each way of being interrupted there.
struct CommitPointSweep: Sendable {
  /// At which side of a commit point a party is cut off, and what it loses.
  struct Way: Hashable, Sendable {
    let side: PowerCutOrder.Side
    let loss: PowerCutOrder.Loss

    static let all: [Way] = PowerCutOrder.Side.allCases.flatMap { side in
      [.nothing, .everything, .contents, .some(seed: 0)].map { Way(side: side, loss: $0) }
    }

    /// Without those that hardly differ from others: what is unsynced right after one commit point is nearly what is
    /// unsynced right before the next.
    static let usual = all.filter { $0.side == .before || $0.loss == .nothing || $0.loss == .everything }
  }

  /// What an undisturbed play showed.
  let commitPoints: [Party: [CommitPoint]]
  let reports: [PlayReport]

  var failures: [PlayReport] { reports.filter { !$0.failures.isEmpty } }

  /// - Parameters:
  ///   - parties: whose commit points; each is interrupted at its own.
  ///   - ways: how.
  ///   - losesAnswersOf: the party whose answers are lost too, after each of its commit points.
  ///   - isWanted: which commit points; by default all that are found.
  ///   - report: told of each play.
  static func run<Drama: Journey>(
    _ journey: Drama, parties: [Party], ways: [Way] = Way.usual, losesAnswersOf: Party? = nil,
    isWanted: (CommitPoint) -> Bool = { _ in true }, report: (PlayReport) -> Void = { _ in }
  ) async throws -> CommitPointSweep {
    let theatre = try await JourneyTheatre(journey)
    func play(_ plans: [PlayPlan]) async throws -> [PlayReport] {
      try await theatre.play(plans) {
        report($0)
        return true
      }
    }
    // Which call comes first is not always the same, where threads race; of a few plays the longest shows all there is.
    let counting = try await play([PlayPlan](repeating: PlayPlan(), count: 3))
    var found: [Party: [CommitPoint]] = [:]
    for party in parties {
      let traces = counting.map { $0.traces[party] ?? [] }
      for launch in 0..<(traces.map(\.count).max() ?? 0) {
        let seen = traces.filter { $0.count > launch }.map { $0[launch].commitPoints }
        found[party, default: []] += seen.max { $0.count < $1.count } ?? []
      }
    }
    guard counting.allSatisfy(\.failures.isEmpty) else {
      return CommitPointSweep(commitPoints: found, reports: counting)
    }
    var plans: [PlayPlan] = []
    for party in parties {
      for point in (found[party] ?? []).filter(isWanted) {
        let launchesBefore = [PowerCutOrder](repeating: .undisturbed, count: point.launch - 1)
        for order in orders(at: point.number, ways, losesAnswer: party == losesAnswersOf) {
          plans.append(PlayPlan(orders: [party: launchesBefore + [order]]))
        }
      }
    }
    return CommitPointSweep(commitPoints: found, reports: counting + (try await play(plans)))
  }

  private static func orders(at number: Int, _ ways: [Way], losesAnswer: Bool) -> [PowerCutOrder] {
    ways.map { way in
      // A seed for each place, so that not everywhere the same sectors are lost.
      var loss = way.loss
      if case .some(let seed) = loss { loss = .some(seed: seed + UInt64(number) * 2 + (way.side == .before ? 0 : 1)) }
      return PowerCutOrder(moment: .commitPoint(number, way.side), loss: loss)
    } + (losesAnswer ? [PowerCutOrder(moment: .answerLost(afterCommitPoint: number), loss: .everything)] : [])
  }
}
