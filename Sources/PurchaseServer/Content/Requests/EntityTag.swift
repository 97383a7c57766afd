/// The name of one state of a file (RFC 9110, section 8.8.3).
struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  let isWeak: Bool
  /// Without its quotation marks.
  let opaque: String

  /// The tag of a content file: its SHA-256. The same tag is the same bytes, so it is strong.
  init(_ digest: ContentDigest) {
    isWeak = false
    opaque = digest.description
  }

  /// Reads a tag from the front of `text` and removes it there. Nil, and nothing removed, if there is none.
  init?(from text: inout Substring.UTF8View) {
    var rest = text
    let isWeak = rest.starts(with: "W/".utf8)
    if isWeak { rest = rest.dropFirst(2) }
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    rest = rest.dropFirst()
    let opaque = rest.prefix { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    rest = rest.dropFirst(opaque.count)
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    text = rest.dropFirst()
    self.isWeak = isWeak
    self.opaque = String(decoding: opaque, as: UTF8.self)
  }

  /// Nil unless `field` is one tag and nothing else, as in `If-Range`.
  init?(field: String) {
    var text = Substring(field).utf8
    guard let tag = EntityTag(from: &text), text.isEmpty else { return nil }
    self = tag
  }

  /// The same bytes.
  func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

  /// As good as the same.
  func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

  var description: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }
}
