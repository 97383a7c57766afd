extension Unicode.Scalar {
  /// Whether people can see the character.
  ///
  /// False for control and format characters (such as those that change the writing direction), line and paragraph
  /// separators, blanks other than the space, and characters that no font contains.
  package var isPlainlyVisible: Bool {
    if isASCII { return (0x20...0x7E).contains(value) }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse, .unassigned:
      return false
    default:
      // Excludes fillers: their category is a letter, but they show nothing.
      return !properties.isDefaultIgnorableCodePoint
    }
  }
}
