import ChildProcesses
import Foundation

/// The role of a process in a scenario. Each process has a disk of its own.
enum ProcessRole: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  /// `server` is the developer's purchase server.
  case store, server, app

  var description: String { rawValue }
}

/// Thrown when a process has ended, also when its power was cut.
struct ProcessEnded: Error, CustomStringConvertible {
  let role: ProcessRole
  let end: SpawnedProcess.End
  /// Whether the test requested its end.
  let wasRequested: Bool

  /// Whether its power was cut, or it ended regularly after its end was requested.
  var isExpected: Bool { end == .signal(SIGKILL) || wasRequested && end == .exit(0) }

  var description: String { "the \(role) ended with \(end)" }
}

/// Thrown when a run does not end.
struct RunTimeout: Error, CustomStringConvertible {
  let lastLine: String

  var description: String { "the run did not end in time; the last output was: \(lastLine)" }
}
