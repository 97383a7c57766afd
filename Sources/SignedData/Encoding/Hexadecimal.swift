/// Converts bytes to hexadecimal digits and back.
package enum Hexadecimal {
  /// Returns two upper-case digits for each byte.
  package static func text(of bytes: some Collection<UInt8>) -> String {
    var digits = [UInt8]()
    digits.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 0x0F))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns two lower-case digits for each byte.
  package static func lowercaseText(of bytes: some Collection<UInt8>) -> String { text(of: bytes).lowercased() }

  /// Decodes two digits for each byte, in upper or lower case. Returns nil if their number is odd, or a character is
  /// not a hexadecimal digit.
  package static func bytes(of digits: [UInt8]) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var bytes = [UInt8]()
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The value of one digit; nil if it is not hexadecimal.
  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
