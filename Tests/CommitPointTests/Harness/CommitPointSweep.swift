import StoreModel

/// Finds every commit point of a journey, and plays it once for each way of being interrupted there.
struct CommitPointSweep: Sendable {
  /// What an undisturbed play showed.
  let commitPoints: [Party: [CommitPoint]]
  let reports: [PlayReport]

  var failures: [PlayReport] { reports.filter { !$0.failures.isEmpty } }

  /// Every way of losing, at both sides.
  static let losses: [PowerCutOrder.Loss] = [.nothing, .everything, .contents, .some(seed: 0)]

  /// - Parameters:
  ///   - parties: whose commit points; each is interrupted at its own.
  ///   - losses: what an interruption takes along.
  ///   - losesAnswersOf: the party whose answers are lost too, after each of its commit points.
  ///   - report: told of each play.
  static func run<Drama: Journey>(
    _ journey: Drama, parties: [Party], losses: [PowerCutOrder.Loss] = losses, losesAnswersOf: Party? = nil,
    report: (PlayReport) -> Void = { _ in }
  ) async throws -> CommitPointSweep {
    let theatre = try await JourneyTheatre(journey)
    func play(_ plans: [PlayPlan]) async throws -> [PlayReport] {
      try await theatre.play(plans) {
        report($0)
        return true
      }
    }
    // Which call comes first is not always the same, where threads race; three plays show the most there can be.
    let counting = try await play([PlayPlan](repeating: PlayPlan(), count: 3))
    var found: [Party: [CommitPoint]] = [:]
    for party in parties {
      found[party] = counting.compactMap { $0.traces[party]?.first?.commitPoints }.max { $0.count < $1.count } ?? []
    }
    guard counting.allSatisfy(\.failures.isEmpty) else {
      return CommitPointSweep(commitPoints: found, reports: counting)
    }
    var plans: [PlayPlan] = []
    for party in parties {
      for number in (found[party] ?? []).map(\.number) {
        for side in PowerCutOrder.Side.allCases {
          plans += losses.map { loss in
            PlayPlan(orders: [
              party: [PowerCutOrder(moment: .commitPoint(number, side), loss: seeded(loss, number, side))]
            ])
          }
        }
        if party == losesAnswersOf {
          let order = PowerCutOrder(moment: .answerLost(afterCommitPoint: number), loss: .everything)
          plans.append(PlayPlan(orders: [party: [order]]))
        }
      }
    }
    return CommitPointSweep(commitPoints: found, reports: counting + (try await play(plans)))
  }

  /// A seed for each place, so that not everywhere the same sectors are lost.
  private static func seeded(
    _ loss: PowerCutOrder.Loss, _ number: Int, _ side: PowerCutOrder.Side
  ) -> PowerCutOrder.Loss {
    if case .some(let seed) = loss { .some(seed: seed + UInt64(number) * 2 + (side == .before ? 0 : 1)) } else { loss }
  }
}
