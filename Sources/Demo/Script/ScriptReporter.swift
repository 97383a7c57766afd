import Foundation
import ProgramSupport
import StoreModel

/// Writes the script's progress to standard output, and counts its checks.
final class ScriptReporter: Sendable {
  private struct State: Sendable {
    var isSilent = false
    var checks = 0
    var failures = 0
    var chapter = 0
  }

  private let state = LockedValue(State())

  var checks: Int { state.withLock { $0.checks } }
  var failures: Int { state.withLock { $0.failures } }

  func beginChapter(_ title: String) {
    let chapter = state.withLock { state in
      state.chapter += 1
      return state.chapter
    }
    write("\n\(chapter). \(title)")
  }

  func explain(_ text: String) { write("     \(text)") }

  /// Writes and counts the result of a check.
  func check(_ description: String, _ holds: Bool) {
    state.withLock { state in
      state.checks += 1
      if !holds { state.failures += 1 }
    }
    write("   \(holds ? "✓" : "✗") \(description)")
  }

  func write(_ line: String) { state.withLock { if !$0.isSilent { writeLine(line) } } }

  /// Writes one last line. Later lines are dropped, because errors after an interruption do not concern the script.
  func fallSilent(with line: String) {
    state.withLock { state in
      state.isSilent = true
      writeLine(line)
    }
  }
}
