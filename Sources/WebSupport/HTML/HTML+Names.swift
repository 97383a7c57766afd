extension HTML {
  /// A name from a user, in any script. It is isolated, so that it does not change the writing direction of the text
  /// around it.
  package static func name(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A name in a row of a list, shortened if it is long. ``name(_:)`` shows all of it.
  ///
  /// - Parameter limit: the maximum number of Unicode scalars. A visible character may have any number of them.
  package static func shortName(_ text: String, limit: Int = 80) -> HTML { name(shortened(text, to: limit)) }

  /// An identifier such as `com.example.app.gold`. A line that is too short for it ends after a dot, not inside a word.
  ///
  /// - Parameter limit: the maximum number of Unicode scalars. A longer identifier is shortened.
  package static func identifier(_ text: String, limit: Int = .max) -> HTML {
    let parts = shortened(text, to: limit).split(separator: ".", omittingEmptySubsequences: false)
    return "<bdi>\(parts.enumerated().map { ($0 == 0 ? "\($1)" : ".<wbr>\($1)") as HTML })</bdi>"
  }

  private static func shortened(_ text: String, to limit: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return "\(String.UnicodeScalarView(scalars[..<end]))…"
  }
}
