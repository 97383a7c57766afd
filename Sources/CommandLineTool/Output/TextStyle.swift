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
