import Foundation

/// The properties of the terminal at a file descriptor.
struct Terminal: Hashable, Sendable {
  /// Whether styles may be used.
  let hasColor: Bool
  /// Whether escape sequences that rewrite a line may be used.
  let canRewriteLines: Bool
  /// The width of the terminal.
  let columns: Int

  /// - Parameters:
  ///   - environment: `TERM=dumb` forbids escape sequences. A `NO_COLOR` (no-color.org) that is not empty forbids
  ///     colours.
  ///   - columns: the width that the system reports; 0 if unknown, which means 80.
  init(environment: [String: String], columns: Int) {
    let isDumb = ["dumb", ""].contains(environment["TERM"] ?? "")
    canRewriteLines = !isDumb
    hasColor = !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
    self.columns = columns > 0 ? columns : 80
  }

  /// Returns the terminal at `descriptor`; nil if it is not a terminal.
  static func at(_ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal?
  {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    return Terminal(environment: environment, columns: isKnown ? Int(size.ws_col) : 0)
  }
}

/// The style of a word on a terminal with colours. The style adds no information: the word must be clear without it.
enum TextStyle: Sendable {
  case heading, good, bad, waiting

  /// Returns `text` between the escape sequences (ECMA-48) that switch the style on and off.
  func applied(to text: String) -> String {
    let code =
      switch self {
      case .heading: "1"
      case .good: "32"
      case .bad: "31"
      case .waiting: "33"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
