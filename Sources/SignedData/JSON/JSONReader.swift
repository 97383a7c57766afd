/// A strict reader of JSON (RFC 8259), which reads one value after the other and builds no tree.
///
/// It checks UTF-8, refuses lone surrogates and duplicate names in an object, and limits nesting to ``maximumDepth``.
/// Time and memory are proportional to the text. The bytes must outlive the reader.
struct JSONReader {
  static let maximumDepth = 64

  let bytes: UnsafeBufferPointer<UInt8>
  var count: Int { bytes.count }
  var position = 0
  /// Whether a text up to here has the character U+0000, which JSON can only write as an escape.
  var hasNull = false
  private var depth = 0
  private var keys = JSONKeyLog()
  private var keyStorage: JSONKeyStorage?

  /// Reads a whole document. `body` must consume exactly one value, and nothing may follow it.
  static func read<T>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONReader) throws(JSONFault) -> T
  ) throws(JSONFault) -> T {
    guard !bytes.isEmpty else { throw JSONFault(offset: 0, reason: "there is no text") }
    var reader = JSONReader(bytes: bytes)
    let value = try body(&reader)
    reader.skipSpace()
    guard reader.position == reader.count else { throw reader.fault("something follows the value") }
    return value
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

  func fault(_ reason: String) -> JSONFault { JSONFault(offset: position, reason: reason) }

  func repeated(_ key: JSONKey) -> JSONFault {
    let name = String(key.text.prefix(80))
    return JSONFault(offset: position, reason: "the name \(name) occurs twice", repeatedName: name, isJSON: true)
  }

  // MARK: Containers

  /// Reads an object. `body` must consume exactly one value for each key, with ``skipValue()`` for unknown keys.
  @inline(__always)
  mutating func members(
    _ body: (inout JSONReader, JSONKey) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    try enter(UInt8(ascii: "{"), "an object is expected")
    let mark = keys.mark
    var outer = keys.open()
    if next() == UInt8(ascii: "}") {
      position += 1
    } else {
      repeat {
        let key = try key()
        guard keys.insert(key, since: mark) else { throw repeated(key) }
        guard next() == UInt8(ascii: ":") else { throw fault("a colon is expected") }
        position += 1
        try body(&self, key)
      } while try continues(UInt8(ascii: "}"))
    }
    keys.close(mark, outer: &outer)
    depth -= 1
  }

  /// Reads an array. `body` must consume exactly one value each time.
  mutating func elements(_ body: (inout JSONReader) throws(JSONFault) -> Void) throws(JSONFault) {
    try enter(UInt8(ascii: "["), "an array is expected")
    if next() == UInt8(ascii: "]") {
      position += 1
    } else {
      repeat { try body(&self) } while try continues(UInt8(ascii: "]"))
    }
    depth -= 1
  }

  /// Checks and skips one value of any kind, and returns its position.
  @discardableResult
  mutating func skipValue() throws(JSONFault) -> Range<Int> {
    let first = next()
    let begin = position
    switch first {
    case UInt8(ascii: "{"): try members { (reader, _) throws(JSONFault) in try reader.skipValue() }
    case UInt8(ascii: "["): try elements { (reader) throws(JSONFault) in try reader.skipValue() }
    case UInt8(ascii: "\""): _ = try scanString()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
    case UInt8(ascii: "n"): guard isNull() else { throw fault("a value is expected") }
    default: _ = try scanNumber()
    }
    return begin..<position
  }

  /// The next byte that is not white space; 0 at the end. It is not consumed.
  @inline(__always)
  mutating func next() -> UInt8 {
    skipSpace()
    return position < count ? bytes[position] : 0
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < count {
      let byte = bytes[position]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  private mutating func enter(_ bracket: UInt8, _ reason: String) throws(JSONFault) {
    guard next() == bracket else { throw fault(reason) }
    guard depth < Self.maximumDepth else { throw fault("it is nested more than \(Self.maximumDepth) deep") }
    depth += 1
    position += 1
  }

  private mutating func continues(_ close: UInt8) throws(JSONFault) -> Bool {
    let byte = next()
    guard byte == close || byte == UInt8(ascii: ",") else { throw fault("a comma or the end is expected") }
    position += 1
    return byte != close
  }

  private mutating func key() throws(JSONFault) -> JSONKey {
    guard next() == UInt8(ascii: "\"") else { throw fault("a name in quotes is expected") }
    let text = try scanString()
    guard text.hasEscapes else {
      return JSONKey(bytes: slice(text.range))
    }
    let storage = keyStorage ?? JSONKeyStorage()
    keyStorage = storage
    return storage.keep(unescaped(text.range))
  }
}
