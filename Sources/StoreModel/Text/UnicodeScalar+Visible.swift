extension Unicode.Scalar {
  /// Neither a control, a format character (among them those that turn the direction of writing), a line or paragraph
  /// separator, a blank other than the space bar's, nor one that no font has.
  package var isPlainlyVisible: Bool {
    if isASCII { return (0x20...0x7E).contains(value) }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse, .unassigned:
      return false
    default:
      // Fillers and the like: letters by category that show nothing.
      return !properties.isDefaultIgnorableCodePoint
    }
  }
}
