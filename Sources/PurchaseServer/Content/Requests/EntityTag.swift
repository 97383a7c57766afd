/// An entity tag, which identifies one version of a file (RFC 9110, section 8.8.3).
struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  let isWeak: Bool
  /// The tag without its quotation marks.
  let opaque: String

  /// The tag of a content file: its SHA-256. Equal tags mean equal bytes, so it is a strong tag.
  init(_ digest: ContentDigest) {
    isWeak = false
    opaque = digest.description
  }

  /// Reads a tag at the beginning of `text` and removes it from there. Returns nil, and removes nothing, if there is none.
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

  /// Returns nil unless `field` is exactly one tag, as in `If-Range`.
  init?(field: String) {
    var text = Substring(field).utf8
    guard let tag = EntityTag(from: &text), text.isEmpty else { return nil }
    self = tag
  }

  /// Compares strongly: equal tags, and neither is weak.
  func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

  /// Compares weakly: equal tags, which may be weak.
  func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

  var description: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }
}

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
