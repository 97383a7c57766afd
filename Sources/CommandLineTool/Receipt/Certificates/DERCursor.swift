/// Steps through the elements of a DER encoding (X.690): just enough to show what a certificate says.
///
/// Nothing is decided by what it reads; verification has a reader of its own.
struct DERCursor {
  struct Element {
    let tag: UInt8
    let content: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next element; nil at the end, or if it is cut short or of an unusual form.
  mutating func next() -> Element? {
    guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let size = Int(first & 0x7F)
      guard (1...4).contains(size), rest.count >= size else { return nil }
      length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(size)
    }
    guard length <= rest.count else { return nil }
    defer { rest = rest.dropFirst(length) }
    return Element(tag: tag, content: rest.prefix(length))
  }

  /// Steps into the next element, if it has this tag.
  mutating func enter(_ tag: UInt8) -> DERCursor? {
    guard rest.first == tag, let element = next() else { return nil }
    return DERCursor(element.content)
  }

  /// Steps over the next element, if it has this tag.
  mutating func skip(_ tag: UInt8) { if rest.first == tag { _ = next() } }
}
