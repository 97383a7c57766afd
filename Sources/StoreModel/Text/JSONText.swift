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
