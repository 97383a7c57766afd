/// What is done to the parties of one play.
struct PlayPlan: Hashable, Sendable, CustomStringConvertible {
  /// For each party's launches, in turn.
  var orders: [Party: [PowerCutOrder]] = [:]
  /// How to do it again.
  var repetition = ""

  var description: String {
    let parts = Party.allCases.flatMap { party in
      (orders[party] ?? []).enumerated().filter { $0.element != .undisturbed }
        .map { "\(party)\($0 == 0 ? "" : ", launch \($0 + 1)"): \($1)" }
    }
    return parts.isEmpty ? "undisturbed" : parts.joined(separator: "; ")
  }
}

/// What was durable on a party's disk when it was interrupted.
struct Landmark: Hashable, Sendable {
  let party: Party
  let words: String
  /// The scene in which it was interrupted; nil before the first.
  let scene: String?
}

/// How one play went.
struct PlayReport: Sendable, CustomStringConvertible {
  let journey: String
  let plan: PlayPlan
  let failures: [String]
  /// Of each party's launches, in turn.
  let traces: [Party: [PowerTrace]]
  /// How often a party ended that was not asked to.
  let interruptions: Int
  /// What was durable on the disk of the party that was interrupted first.
  let landmark: Landmark?
  /// What is left of a play that failed.
  let folder: String

  var lostAnAnswer: Bool { traces.values.joined().contains { $0.lostAnAnswer } }

  var description: String {
    let places = Party.allCases.flatMap { party in
      zip(plan.orders[party] ?? [], traces[party] ?? []).compactMap { order, trace -> String? in
        guard case .commitPoint(let number, _) = order.moment else { return nil }
        return trace.commitPoints.first { $0.number == number }.map { "\(party)'s commit point \($0)" }
      }
    }
    var lines = ["\(journey), \(plan)"]
    if !places.isEmpty { lines.append("at: \(places.joined(separator: ", "))") }
    lines += failures.map { "wrong: \($0)" }
    if !plan.repetition.isEmpty { lines.append("again: \(plan.repetition)") }
    lines.append("to look at: \(folder)")
    return lines.joined(separator: "\n  ")
  }
}
