import Foundation

/// A machine that takes part in a journey: a process with a disk of its own.
enum Party: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  /// `server` is the developer's purchase server.
  case store, server, app

  var description: String { rawValue }
}

/// A party's process has ended, be it that its power was cut.
struct PartyEnded: Error, CustomStringConvertible {
  let party: Party
  let end: PartyProcess.End
  /// Whether it had been asked to end.
  let wasAsked: Bool

  /// Its power was cut, or it ended in good order, after something else interrupted the waiting for it.
  var isExpected: Bool { end == .signal(SIGKILL) || wasAsked && end == .exit(0) }

  var description: String { "the \(party) ended with \(end)" }
}

/// A play that came to no end.
struct PlayStuck: Error, CustomStringConvertible {
  let lastLine: String

  var description: String { "nothing has come to an end for a long time; the last thing heard was \(lastLine)" }
}
