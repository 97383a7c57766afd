extension HTML {
  /// A name from a user, in any script. It is isolated, so that it does not change the writing direction of the text
  /// around it.
  package static func name(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A name in a row of a list, shortened if it is long. ``name(_:)`` shows all of it.
  ///
  /// - Parameter limit: the maximum number of Unicode scalars. A visible character may have any number of them.
  package static func shortName(_ text: String, limit: Int = 80) -> HTML {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return name(text) }
    return "<bdi>\(String(String.UnicodeScalarView(scalars[..<end])))…</bdi>"
  }
}
