/// JSON as it is shown in a command: what nobody could see, or what would turn the text around, is written as `\uXXXX`.
enum JSONText {
  static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\t": json += "\\t"
      case let scalar where isHidden(scalar):
        for unit in String(scalar).utf16 { json += "\\u" + padded(unit) }
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// Controls, marks of direction, joiners, tags and the like.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  private static func padded(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
