import CPQ

/// Reads libpq's connection strings.
enum ConnectionString {
  /// What a connection string says, without what libpq marks as secret. Nil if it cannot be read.
  ///
  /// libpq's own words on why are not passed on: they quote the string, which may have a password in it.
  static func parts(of text: String) -> [(name: String, value: String)]? {
    guard !text.utf8.contains(0) else { return nil }
    var words: UnsafeMutablePointer<CChar>?
    defer { PQfreemem(words) }
    guard let options = PQconninfoParse(text, &words) else { return nil }
    defer { PQconninfoFree(options) }
    var parts: [(name: String, value: String)] = []
    var option = options
    while let keyword = option.pointee.keyword {
      let isSecret = option.pointee.dispchar.pointee == CChar(UInt8(ascii: "*"))
      if let value = option.pointee.val, !isSecret {
        parts.append((String(cString: keyword), String(cString: value)))
      }
      option += 1
    }
    return parts
  }
}
