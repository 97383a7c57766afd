import StoreModel

extension JSONReader {
  /// Reads a string.
  mutating func string() throws(JSONFault) -> String {
    guard next() == UInt8(ascii: "\"") else { throw fault("a string is expected") }
    let text = try scanString()
    let string =
      text.hasEscapes
      ? String(decoding: unescaped(text.range), as: UTF8.self) : String(decoding: slice(text.range), as: UTF8.self)
    guard string.isStreamSafe else { throw fault("a text has too many combining marks in a row") }
    return string
  }

  /// Calls `body` with the UTF-8 bytes of a string, for values that are decoded further.
  mutating func withString<T>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(JSONFault) -> T
  ) throws(JSONFault) -> T {
    guard next() == UInt8(ascii: "\"") else { throw fault("a string is expected") }
    let text = try scanString()
    guard text.hasEscapes else {
      return try body(slice(text.range))
    }
    var copy = String(decoding: unescaped(text.range), as: UTF8.self)
    let result: Result<T, JSONFault> = copy.withUTF8 { bytes in
      do throws(JSONFault) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  struct ScannedString {
    /// The position between the quotes.
    let range: Range<Int>
    let hasEscapes: Bool
  }

  /// Checks and consumes a string. The next byte is its opening quote.
  @inline(__always)
  mutating func scanString() throws(JSONFault) -> ScannedString {
    position += 1
    let begin = position
    var hasEscapes = false
    while position < count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return ScannedString(range: begin..<(position - 1), hasEscapes: hasEscapes)
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try scanEscape()
      } else if byte < 0x20 {
        throw fault("a control character stands in a string")
      } else if byte < 0x80 {
        position += 1
      } else {
        try scanUTF8(byte)
      }
    }
    throw fault("a string does not end")
  }

  private mutating func scanEscape() throws(JSONFault) {
    guard position + 1 < count else { throw fault("a string does not end") }
    switch bytes[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(at: position) else { throw fault("four hexadecimal digits are expected") }
      if unit == 0 { hasNull = true }
      if (0xDC00...0xDFFF).contains(unit) { throw fault("a lone surrogate stands in a string") }
      if (0xD800...0xDBFF).contains(unit) {
        guard let low = codeUnit(at: position + 6), (0xDC00...0xDFFF).contains(low) else {
          throw fault("a lone surrogate stands in a string")
        }
        position += 6
      }
      position += 6
    default: throw fault("an unknown escape stands in a string")
    }
  }

  /// The value of the `\uXXXX` that begins at `offset`; nil if there is none.
  private func codeUnit(at offset: Int) -> UInt16? {
    guard offset + 6 <= count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for place in 2..<6 {
      guard let digit = Hexadecimal.value(bytes[offset + place]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// Consumes one character of two to four bytes. Refuses overlong forms, surrogates, and values above U+10FFFF.
  private mutating func scanUTF8(_ lead: UInt8) throws(JSONFault) {
    let length: Int
    let second: ClosedRange<UInt8>
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw fault("the text is not UTF-8")
    }
    guard position + length <= count, second.contains(bytes[position + 1]) else { throw fault("the text is not UTF-8") }
    for place in 2..<max(length, 2) where bytes[position + place] & 0xC0 != 0x80 {
      throw fault("the text is not UTF-8")
    }
    position += length
  }

  /// The bytes of a scanned string, without escapes.
  func unescaped(_ range: Range<Int>) -> [UInt8] {
    var plain = [UInt8]()
    plain.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\") else {
        plain.append(bytes[index])
        index += 1
        continue
      }
      guard bytes[index + 1] == UInt8(ascii: "u") else {
        plain.append(Self.meaning(bytes[index + 1]))
        index += 2
        continue
      }
      var scalar = UInt32(codeUnit(at: index) ?? 0)
      index += 6
      if (0xD800...0xDBFF).contains(scalar), let low = codeUnit(at: index) {
        scalar = 0x10000 + (scalar - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        index += 6
      }
      plain.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }
    return plain
  }

  private static func meaning(_ escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: escape
    }
  }
}
