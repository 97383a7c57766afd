/// Tells a story on standard output, and counts what was checked.
final class Narrator {
  private(set) var checks = 0
  private(set) var failures = 0
  private var chapter = 0

  /// Begins a chapter.
  func open(_ title: String) {
    chapter += 1
    writeLine("\n\(chapter). \(title)")
  }

  /// Tells what is done next.
  func say(_ text: String) { writeLine("     \(text)") }

  /// Tells whether something is as it must be, and counts it.
  func check(_ statement: String, _ holds: Bool) {
    checks += 1
    if !holds { failures += 1 }
    writeLine("   \(holds ? "✓" : "✗") \(statement)")
  }
}
