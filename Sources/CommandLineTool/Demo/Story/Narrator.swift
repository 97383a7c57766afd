import Foundation

/// Tells a story on standard output, and counts what was checked.
final class Narrator: @unchecked Sendable {
  private let lock = NSLock()
  private var isSilent = false
  private var counts = (checks: 0, failures: 0)
  private var chapter = 0

  var checks: Int { lock.withLock { counts.checks } }
  var failures: Int { lock.withLock { counts.failures } }

  /// Begins a chapter.
  func open(_ title: String) {
    chapter += 1
    tell("\n\(chapter). \(title)")
  }

  /// Tells what is done next.
  func say(_ text: String) { tell("     \(text)") }

  /// Tells whether something is as it must be, and counts it.
  func check(_ statement: String, _ holds: Bool) {
    lock.withLock {
      counts.checks += 1
      if !holds { counts.failures += 1 }
    }
    tell("   \(holds ? "✓" : "✗") \(statement)")
  }

  /// Writes a line.
  func tell(_ line: String) { lock.withLock { if !isSilent { writeLine(line) } } }

  /// Tells nothing from now on, but for one line: what happens to the story now is no part of it.
  func fallSilent(with line: String) {
    lock.withLock {
      isSilent = true
      writeLine(line)
    }
  }
}
