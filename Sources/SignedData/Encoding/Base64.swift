/// Base64 (RFC 4648) in the two alphabets that signed data uses.
///
/// Decoding is strict: it refuses white space, characters of the other alphabet, and unused last bits that are not 0.
/// So each value has exactly one encoding.
package enum Base64 {
  package enum Alphabet {
    /// RFC 4648, section 4, with padding: certificates in `x5c`.
    case standard
    /// RFC 4648, section 5, without padding: the parts of a JWS.
    case url
  }

  package static func encode(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8] {
    let table: StaticString =
      switch alphabet {
      case .standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
      case .url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      }
    let symbols = table.utf8Start
    var text = [UInt8]()
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var pending: UInt32 = 0
    var count = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      count += 1
      if count == 3 {
        for shift in [18, 12, 6, 0] as [UInt32] { text.append(symbols[Int(pending >> shift & 0x3F)]) }
        (pending, count) = (0, 0)
      }
    }
    if count > 0 {
      pending <<= UInt32(8 * (3 - count))
      for place in 0...count { text.append(symbols[Int(pending >> UInt32(18 - 6 * place) & 0x3F)]) }
      if alphabet == .standard { text.append(contentsOf: repeatElement(0x3D, count: 3 - count)) }
    }
    return text
  }

  package static func text(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet) -> String {
    String(decoding: encode(bytes, alphabet), as: UTF8.self)
  }

  /// Decodes `text`. Returns nil if it is not a valid encoding.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    var length = text.count
    if alphabet == .standard {
      guard length % 4 == 0 else { return nil }
      for _ in 0..<2 where length > 0 && text[length - 1] == 0x3D { length -= 1 }
    }
    guard length % 4 != 1 else { return nil }
    guard length > 0, let source = text.baseAddress else { return [] }
    let values = alphabet == .standard ? standardValues : urlValues
    var isClean = true
    let bytes = [UInt8](unsafeUninitializedCapacity: length / 4 * 3 + 3) { target, count in
      values.withUnsafeBufferPointer { values in
        isClean = decode(UnsafeBufferPointer(start: source, count: length), values, into: target, &count)
      }
    }
    return isClean ? bytes : nil
  }

  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>,
    into target: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
  ) -> Bool {
    var bad: UInt8 = 0
    var written = 0
    var read = 0
    while read + 4 <= text.count {
      let (a, b) = (values[Int(text[read])], values[Int(text[read + 1])])
      let (c, d) = (values[Int(text[read + 2])], values[Int(text[read + 3])])
      bad |= a | b | c | d
      target[written] = a << 2 | b >> 4
      target[written + 1] = b << 4 | c >> 2
      target[written + 2] = c << 6 | d
      read += 4
      written += 3
    }
    if read < text.count {
      let (a, b) = (values[Int(text[read])], values[Int(text[read + 1])])
      bad |= a | b
      target[written] = a << 2 | b >> 4
      written += 1
      if text.count - read == 3 {
        let c = values[Int(text[read + 2])]
        bad |= c
        target[written] = b << 4 | c >> 2
        written += 1
        if c & 0x03 != 0 { bad = invalid }
      } else if b & 0x0F != 0 {
        bad = invalid
      }
    }
    count = written
    return bad < 0x40
  }

  private static let invalid: UInt8 = 0xFF
  private static let standardValues = values(.standard)
  private static let urlValues = values(.url)

  private static func values(_ alphabet: Alphabet) -> [UInt8] {
    var values = [UInt8](repeating: invalid, count: 256)
    for (first, last, start) in [(0x41, 0x5A, 0), (0x61, 0x7A, 26), (0x30, 0x39, 52)] {
      for symbol in first...last { values[symbol] = UInt8(start + symbol - first) }
    }
    values[alphabet == .standard ? 0x2B : 0x2D] = 62
    values[alphabet == .standard ? 0x2F : 0x5F] = 63
    return values
  }
}
