extension HTML {
  /// A name that somebody chose, in whatever script, isolated so that it does not turn the direction of what stands beside it.
  package static func name(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A name for a line of a list: of a long one the beginning. Where the thing itself is shown, ``name(_:)`` shows all of it.
  ///
  /// - Parameter limit: in Unicode scalars; a character that people see may be any number of them.
  package static func shortName(_ text: String, limit: Int = 80) -> HTML {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return name(text) }
    return "<bdi>\(String(String.UnicodeScalarView(scalars[..<end])))…</bdi>"
  }
}
