extension JSONReader {
  /// Reads a number that is written without fraction and exponent, and fits into 64 bits.
  mutating func integer() throws(JSONFault) -> Int64 {
    _ = next()
    let number = try scanNumber()
    guard number.isWhole else { throw fault("a whole number is expected") }
    guard let value = number.integer else { throw fault("a number is too large") }
    return value
  }

  /// Reads any number and rounds it to the nearest integer, halves away from zero.
  mutating func roundedInteger() throws(JSONFault) -> Int64 {
    _ = next()
    let begin = position
    let number = try scanNumber()
    if let value = number.integer, number.isWhole { return value }
    let text = slice(begin..<position)
    guard let value = Double(String(decoding: text, as: UTF8.self)), let rounded = Int64(exactly: value.rounded())
    else { throw fault("a number is too large") }
    return rounded
  }

  /// Reads `true` or `false`.
  mutating func bool() throws(JSONFault) -> Bool {
    let isTrue = next() == UInt8(ascii: "t")
    guard literal(isTrue ? "true" : "false") else { throw fault("true or false is expected") }
    return isTrue
  }

  /// Consumes `null`, if it is the next value.
  mutating func isNull() -> Bool {
    next() == UInt8(ascii: "n") && literal("null")
  }

  private mutating func literal(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard position + length <= count else { return false }
    for place in 0..<length where bytes[position + place] != word.utf8Start[place] { return false }
    position += length
    return true
  }

  struct ScannedNumber {
    /// Whether the number has no fraction and no exponent.
    let isWhole: Bool
    /// The digits before fraction and exponent; nil if they do not fit into 64 bits.
    let integer: Int64?
  }

  /// Checks and consumes a number that begins at the current position.
  mutating func scanNumber() throws(JSONFault) -> ScannedNumber {
    var isNegative = false
    if position < count, bytes[position] == UInt8(ascii: "-") {
      isNegative = true
      position += 1
    }
    guard let first = digit() else { throw fault("a value is expected") }
    var value = isNegative ? -Int64(first) : Int64(first)
    var fits = true
    position += 1
    if first == 0 {
      guard digit() == nil else { throw fault("a number begins with a needless zero") }
    } else {
      while let digit = digit() {
        let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) =
          isNegative
          ? scaled.subtractingReportingOverflow(Int64(digit)) : scaled.addingReportingOverflow(Int64(digit))
        fits = fits && !overflow && !carry
        value = sum
        position += 1
      }
    }
    var isWhole = true
    if position < count, bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits()
    }
    if position < count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if position < count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      try digits()
    }
    return ScannedNumber(isWhole: isWhole, integer: fits ? value : nil)
  }

  private func digit() -> UInt8? {
    guard position < count, (0x30...0x39).contains(bytes[position]) else { return nil }
    return bytes[position] - 0x30
  }

  private mutating func digits() throws(JSONFault) {
    guard digit() != nil else { throw fault("a digit is expected") }
    while digit() != nil { position += 1 }
  }
}
