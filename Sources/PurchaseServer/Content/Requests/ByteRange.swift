/// A single byte range of a `Range` field (RFC 9110, section 14.1).
enum ByteRange: Hashable, Sendable {
  /// From the first to the second offset, both included.
  case between(Int64, Int64)
  /// From this offset to the end.
  case from(Int64)
  /// This number of bytes at the end.
  case last(Int64)

  /// The range for a file of a known size.
  enum Resolved: Hashable, Sendable {
    /// The whole file, without `Content-Range`.
    case whole
    case part(Range<Int64>)
    /// The range is outside the file (status 416).
    case unsatisfiable
  }

  /// Reads the value of a `Range` field.
  ///
  /// Returns nil for a field that is ignored: one with another unit, several ranges, or a syntax error. Several ranges would
  /// require a multipart response; a server may send the whole file instead.
  init?(field: String) {
    let text = field.utf8.drop(while: Self.isSpace)
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")),
      String(decoding: text[..<equals], as: UTF8.self).lowercased() == "bytes"
    else { return nil }
    var rest = text[text.index(after: equals)...].drop(while: Self.isSpace)
    while let last = rest.last, Self.isSpace(last) { rest = rest.dropLast() }
    guard let dash = rest.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (first, last) = (rest[..<dash], rest[rest.index(after: dash)...])
    switch (first.isEmpty, last.isEmpty) {
    case (true, true): return nil
    case (true, false):
      guard let count = Self.number(last) else { return nil }
      self = .last(count)
    case (false, true):
      guard let start = Self.number(first) else { return nil }
      self = .from(start)
    case (false, false):
      guard let start = Self.number(first), let end = Self.number(last), start <= end else { return nil }
      self = .between(start, end)
    }
  }

  /// Returns the range for a file of the given size.
  ///
  /// - Parameter size: The size of the file, in bytes.
  func resolved(size: Int64) -> Resolved {
    switch self {
    case .between(let first, let last):
      guard first < size else { return .unsatisfiable }
      return .part(first..<(min(last, size - 1) + 1))
    case .from(let first):
      return first < size ? .part(first..<size) : .unsatisfiable
    case .last(let count):
      guard count > 0 else { return .unsatisfiable }
      // For an empty file, the last bytes are the whole file. `Content-Range` cannot express an empty range.
      return size == 0 ? .whole : .part(max(0, size - count)..<size)
    }
  }

  /// Reads a number; nil if it contains other characters than digits. Numbers above the maximum of `Int64` become that
  /// maximum.
  private static func number(_ digits: Substring.UTF8View.SubSequence) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (tens, isBeyond) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
      number = isBeyond || isOver ? .max : sum
    }
    return number
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
