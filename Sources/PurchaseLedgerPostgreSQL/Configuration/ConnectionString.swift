import CPQ

/// Reads libpq's connection strings.
enum ConnectionString {
  /// Returns the settings of a connection string, without those that libpq marks as secret. Nil if it is not valid.
  ///
  /// libpq's error message is not used, because it quotes the string, which may contain a password.
  static func parts(of text: String) -> [(name: String, value: String)]? {
    guard !text.utf8.contains(0) else { return nil }
    var message: UnsafeMutablePointer<CChar>?
    defer { PQfreemem(message) }
    guard let options = PQconninfoParse(text, &message) else { return nil }
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
