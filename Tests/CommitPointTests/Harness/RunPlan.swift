/// The power cuts of one run.
struct RunPlan: Hashable, Sendable, CustomStringConvertible {
  /// The power cut of each launch of a process, in order.
  var powerCuts: [ProcessRole: [PowerCutSettings]] = [:]
  /// The command that repeats the run.
  var reproduction = ""

  var description: String {
    let parts = ProcessRole.allCases.flatMap { role in
      (powerCuts[role] ?? []).enumerated().filter { $0.element != .undisturbed }
        .map { "\(role)\($0 == 0 ? "" : ", launch \($0 + 1)"): \($1)" }
    }
    return parts.isEmpty ? "undisturbed" : parts.joined(separator: "; ")
  }
}

/// The data on the disk of a process when it was interrupted.
struct DiskState: Hashable, Sendable {
  let role: ProcessRole
  let text: String
  /// The phase in which it was interrupted; nil before the first phase.
  let phase: String?
}

/// The result of one run.
struct RunReport: Sendable, CustomStringConvertible {
  let scenario: String
  let plan: RunPlan
  let failures: [String]
  /// The trace of each launch of a process, in order.
  let traces: [ProcessRole: [PowerTrace]]
  /// The number of times that a process ended without a request.
  let interruptions: Int
  /// The disk state of the process that was interrupted first.
  let diskState: DiskState?
  /// The folder with disks and traces. It stays if the run failed.
  let folder: String

  var lostResponse: Bool { traces.values.joined().contains { $0.lostResponse } }

  var description: String {
    let positions = ProcessRole.allCases.flatMap { role in
      zip(plan.powerCuts[role] ?? [], traces[role] ?? []).compactMap { powerCut, trace -> String? in
        guard case .commitPoint(let number, _) = powerCut.moment else { return nil }
        return trace.commitPoints.first { $0.number == number }.map { "\(role)'s commit point \($0)" }
      }
    }
    var lines = ["\(scenario), \(plan)"]
    if !positions.isEmpty { lines.append("at: \(positions.joined(separator: ", "))") }
    lines += failures.map { "error: \($0)" }
    if !plan.reproduction.isEmpty { lines.append("repeat with: \(plan.reproduction)") }
    lines.append("disks and traces: \(folder)")
    return lines.joined(separator: "\n  ")
  }
}
