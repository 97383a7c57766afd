/// Builds the `Content-Disposition` field with a download's file name (RFC 6266, RFC 8187).
///
/// The operator chooses the name, and the customer's device saves a file under it. So characters that could leave the folder,
/// hide the file extension, or end the header field are replaced.
enum ContentDisposition {
  /// The maximum length of a name, in bytes of UTF-8. File systems allow 255; browsers may add a number.
  static let longestName = 200

  static func attachment(_ name: String) -> String {
    let name = safe(name)
    let plain = String(name.unicodeScalars.map { $0.isASCII && $0 != "%" ? Character($0) : "_" })
    guard plain != name else { return "attachment; filename=\"\(plain)\"" }
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(encoded(name))"
  }

  /// Returns a name that is neither a path on any system, nor hidden, nor empty.
  static func safe(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: name.unicodeScalars.map { isUnsafe($0) ? "_" : $0 })
    var text = shortened(String(scalars))
    // Windows removes spaces and dots at the end, so that two names could become the same.
    while let last = text.unicodeScalars.last, last == " " || last == "." { text.unicodeScalars.removeLast() }
    while let first = text.unicodeScalars.first, first == " " || first == "." { text.unicodeScalars.removeFirst() }
    return text.isEmpty ? "content" : text
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    // Separators of paths and drives, wildcards and quotes.
    if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return true }
    // Characters that look like a separator. Some systems convert them to a separator.
    if "\u{2044}\u{2215}\u{2216}\u{29F5}\u{29F8}\u{29F9}\u{FE68}\u{FF0F}\u{FF3C}".unicodeScalars.contains(scalar) {
      return true
    }
    if "\u{2024}\u{2025}\u{2026}\u{FE52}\u{FF0E}".unicodeScalars.contains(scalar) { return true }
    switch scalar.properties.generalCategory {
    // Controls, and characters that are invisible or change the writing direction, which can hide the real file extension.
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  /// Shortens a name, but keeps its file extension, which determines the app that opens the file.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > longestName else { return name }
    var ending = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 20 { ending = String(name[dot...]) }
    var stem = name.dropLast(ending.count)
    while stem.utf8.count + ending.utf8.count > longestName { stem.unicodeScalars.removeLast() }
    return stem + ending
  }

  /// Percent-encodes all bytes except `attr-char` of RFC 8187.
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
