/// Scans the bytes of a JSON document once, and compares its parts with bounds. It stores no part of the document.
struct JSONBoundsScan {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let bounds: BoundedJSON.Bounds
  private var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>, bounds: BoundedJSON.Bounds) {
    self.bytes = bytes
    self.bounds = bounds
  }

  mutating func document() throws(BoundedJSON.Fault) {
    var (depth, values) = (0, 0)
    // Some programs write U+FEFF (a byte order mark) first.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        values += 1
        guard depth <= bounds.depth else { throw fault("it is nested more than \(bounds.depth) deep") }
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
      case UInt8(ascii: "\""):
        // Member names count as well: decoding a name costs as much as decoding a value.
        values += 1
        try string()
      case 0x21...0x7E:
        values += 1
        try literal()
      // Refuses UTF-16 and UTF-32, which contain zero bytes, because Foundation would decode them.
      default: throw fault("it is not JSON in UTF-8 at byte \(position)")
      }
      guard values <= bounds.values else { throw fault("it has more than \(bounds.values) values and names") }
    }
  }

  private func fault(_ reason: String) -> BoundedJSON.Fault { BoundedJSON.Fault(description: reason) }

  /// Skips a number, `true`, `false` or `null`.
  private mutating func literal() throws(BoundedJSON.Fault) {
    let begin = position
    while position < bytes.count, Self.isLiteral(bytes[position]) { position += 1 }
    guard position - begin <= bounds.numberBytes else {
      throw fault("a number has more than \(bounds.numberBytes) bytes")
    }
    // A byte that begins no value is skipped here. The decoder will refuse it.
    if position == begin { position += 1 }
  }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Skips a string. `position` is at its opening quote.
  private mutating func string() throws(BoundedJSON.Fault) {
    position += 1
    let begin = position
    var (isASCII, hasEscapedUnits) = (true, false)
    scan: while position < bytes.count {
      skipPlainText()
      guard position < bytes.count else { break }
      switch bytes[position] {
      case UInt8(ascii: "\""): break scan
      case UInt8(ascii: "\\"):
        if position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u") { hasEscapedUnits = true }
        position += 2
      case 0..<0x80: position += 1
      default:
        isASCII = false
        position += 1
      }
    }
    let end = min(position, bytes.count)
    position = min(position + 1, bytes.count)
    if isName(), end - begin > bounds.nameBytes {
      throw fault("the name of a member has more than \(bounds.nameBytes) bytes")
    }
    if !isASCII || hasEscapedUnits { try checkText(begin..<end) }
  }

  /// Skips ASCII characters that neither end a string nor escape a character, eight at a time. Long texts consist
  /// mostly of such characters.
  private mutating func skipPlainText() {
    let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    /// Returns a word in which the high bit is set in each byte at which `word` has `byte`. If `word` does not contain
    /// `byte`, no high bit is set; otherwise other high bits may be set as well.
    func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
      let difference = word ^ (ones &* UInt64(byte))
      return (difference &- ones) & ~difference
    }
    let bytes = UnsafeRawBufferPointer(bytes)
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let special = word | matches(word, UInt8(ascii: "\"")) | matches(word, UInt8(ascii: "\\"))
      guard special & highBits == 0 else { return }
      position += 8
    }
  }

  /// Whether a colon follows the string, which is then a member name. The colon is not consumed.
  private mutating func isName() -> Bool {
    var next = position
    while next < bytes.count {
      switch bytes[next] {
      case 0x20, 0x09, 0x0A, 0x0D: next += 1
      default:
        // Skips the white space, so that it is not scanned again.
        position = next
        return bytes[next] == UInt8(ascii: ":")
      }
    }
    position = next
    return false
  }

  private func checkText(_ range: Range<Int>) throws(BoundedJSON.Fault) {
    var text = StreamSafeText()
    var units = EscapedUnits()
    var isSafe = true
    for scalar in String(decoding: bytes[range], as: UTF8.self).unicodeScalars where isSafe {
      if let meant = units.read(scalar) { isSafe = text.admits(meant) }
    }
    guard isSafe else {
      throw fault("a text has more than \(StreamSafeText.longestRun) combining marks in a row")
    }
  }
}

/// Reads the scalars of a JSON string one by one, and resolves its escapes.
private struct EscapedUnits {
  private enum State {
    case plain
    case backslash
    /// In `\uXXXX`: the value of the digits so far, and their number.
    case digits(UInt32, Int)
  }

  private var state = State.plain
  /// The first code unit of a surrogate pair.
  private var high: UInt32?

  /// Returns the scalar that `scalar` completes; nil in the middle of an escape.
  mutating func read(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch state {
    case .plain:
      guard scalar == "\\" else { return scalar }
      state = .backslash
      return nil
    case .backslash:
      guard scalar == "u" else {
        state = .plain
        // No other escape stands for a combining mark, so a space can replace the character.
        return " "
      }
      state = .digits(0, 0)
      return nil
    case .digits(let value, let count):
      guard let digit = Character(scalar).hexDigitValue else {
        state = .plain
        return scalar
      }
      let unit = value << 4 | UInt32(digit)
      guard count == 3 else {
        state = .digits(unit, count + 1)
        return nil
      }
      state = .plain
      return meaning(of: unit)
    }
  }

  private mutating func meaning(of unit: UInt32) -> Unicode.Scalar? {
    switch unit {
    case 0xD800...0xDBFF:
      high = unit
      return nil
    case 0xDC00...0xDFFF:
      defer { high = nil }
      return high.flatMap { Unicode.Scalar(0x10000 + ($0 - 0xD800) << 10 + (unit - 0xDC00)) }
    default: return Unicode.Scalar(unit)
    }
  }
}
