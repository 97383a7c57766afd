/// Writes JSON for people. Characters that are not plainly visible become `\uXXXX`, even where JSON allows them
/// unescaped.
package enum JSONText {
  /// A text as a JSON string, with its quotation marks.
  package static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\t": json += "\\t"
      case let scalar where scalar.isPlainlyVisible: json.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return json + "\""
  }
}

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
