/// The field that tells a download's file name (RFC 6266, RFC 8187).
///
/// The name is an operator's, and ends up on a customer's disk: whatever could lead out of the folder where it is saved,
/// hide its ending, or end the header is taken out of it.
enum ContentDisposition {
  /// The longest name, in bytes of UTF-8: what file systems take, with room for a number that a browser adds.
  static let longestName = 200

  static func attachment(_ name: String) -> String {
    let name = safe(name)
    let plain = String(name.unicodeScalars.map { $0.isASCII && $0 != "%" ? Character($0) : "_" })
    guard plain != name else { return "attachment; filename=\"\(plain)\"" }
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(encoded(name))"
  }

  /// A name that is no path on any system, nor hidden, nor empty.
  static func safe(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: name.unicodeScalars.map { isUnsafe($0) ? "_" : $0 })
    var text = shortened(String(scalars))
    // Windows drops these from the end, and so two names would be one.
    while let last = text.unicodeScalars.last, last == " " || last == "." { text.unicodeScalars.removeLast() }
    while let first = text.unicodeScalars.first, first == " " || first == "." { text.unicodeScalars.removeFirst() }
    return text.isEmpty ? "content" : text
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    // Separators of paths and drives, wildcards, and what quotes.
    if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return true }
    // What looks like a separator, and what some systems turn into one.
    if "\u{2044}\u{2215}\u{2216}\u{29F5}\u{29F8}\u{29F9}\u{FE68}\u{FF0F}\u{FF3C}".unicodeScalars.contains(scalar) {
      return true
    }
    if "\u{2024}\u{2025}\u{2026}\u{FE52}\u{FF0E}".unicodeScalars.contains(scalar) { return true }
    switch scalar.properties.generalCategory {
    // Controls, and what turns or hides the writing, so that an ending is not where it seems.
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  /// The ending is kept: it says what opens the file.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > longestName else { return name }
    var ending = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 20 { ending = String(name[dot...]) }
    var stem = name.dropLast(ending.count)
    while stem.utf8.count + ending.utf8.count > longestName { stem.unicodeScalars.removeLast() }
    return stem + ending
  }

  /// All but `attr-char` of RFC 8187 as `%XX`.
  private static func encoded(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: text.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where "!#$&+-.^_`|~".utf8.contains(byte): text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return text
  }
}
