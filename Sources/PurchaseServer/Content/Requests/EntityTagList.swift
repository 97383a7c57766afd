/// What `If-Match` and `If-None-Match` list (RFC 9110, sections 13.1.1 and 13.1.2).
enum EntityTagList: Hashable, Sendable {
  /// `*`: whatever there is.
  case any
  case tags([EntityTag])

  /// What cannot be read lists nothing: `If-Match` then fails, and `If-None-Match` sends the file, so that nobody takes
  /// old content for the current.
  init(field: String) {
    var text = Substring(field).utf8
    Self.skip(&text) { Self.isSpace($0) }
    if text.first == UInt8(ascii: "*") {
      text = text.dropFirst()
      Self.skip(&text) { Self.isSpace($0) }
      self = text.isEmpty ? .any : .tags([])
      return
    }
    var tags: [EntityTag] = []
    while true {
      // Empty elements are to be passed over (RFC 9110, section 5.6.1.2).
      Self.skip(&text) { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
      guard !text.isEmpty else { break }
      guard let tag = EntityTag(from: &text) else {
        self = .tags([])
        return
      }
      tags.append(tag)
      Self.skip(&text) { Self.isSpace($0) }
      guard text.isEmpty || text.first == UInt8(ascii: ",") else {
        self = .tags([])
        return
      }
    }
    self = .tags(tags)
  }

  /// Whether it lists a file that is there, by `isMatch`.
  func contains(_ isMatch: (EntityTag) -> Bool) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains(where: isMatch)
    }
  }

  private static func skip(_ text: inout Substring.UTF8View, while isSkipped: (UInt8) -> Bool) {
    text = text.drop(while: isSkipped)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
