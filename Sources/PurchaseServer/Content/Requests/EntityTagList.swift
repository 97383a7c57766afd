/// The value of `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
enum EntityTagList: Hashable, Sendable {
  /// `*`: any file.
  case any
  case tags([EntityTag])

  /// Reads a field. An invalid field becomes an empty list: `If-Match` then fails, and `If-None-Match` sends the file, so that
  /// no client keeps outdated content.
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
      // Empty elements must be ignored (RFC 9110, section 5.6.1.2).
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

  /// Whether it is `*`, or contains a tag for which `isMatch` returns true.
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
