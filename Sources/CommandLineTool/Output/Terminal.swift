import Foundation

/// What is known of the terminal at a descriptor, and may be used of it.
struct Terminal: Hashable, Sendable {
  /// Whether styles may be used.
  let hasColor: Bool
  /// Whether a line may be written over.
  let canRewriteLines: Bool
  /// How wide it is.
  let columns: Int

  /// - Parameters:
  ///   - environment: `TERM=dumb` allows no escape sequence; `NO_COLOR` (no-color.org), if not empty, no colour.
  ///   - columns: what the system says; 0 where it does not know.
  init(environment: [String: String], columns: Int) {
    let isDumb = ["dumb", ""].contains(environment["TERM"] ?? "")
    canRewriteLines = !isDumb
    hasColor = !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
    self.columns = columns > 0 ? columns : 80
  }

  /// Nil where `descriptor` is no terminal.
  static func at(_ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal?
  {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    return Terminal(environment: environment, columns: isKnown ? Int(size.ws_col) : 0)
  }
}
