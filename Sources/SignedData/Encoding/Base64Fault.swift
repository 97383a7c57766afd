/// The first byte at which a text is not canonical base64 (RFC 4648, section 4), and what probably happened to the text.
///
/// Canonical are the characters of the standard alphabet, then exact padding, and nothing else. Apple's `verifyReceipt`
/// reads only that. Unused bits of the last character need not be 0.
package struct Base64Fault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable, CaseIterable {
    case empty, lineBreak, whiteSpace, spaceForPlus, urlAlphabet, percentEncoding, dataPrefix, quotes, jsonEscape
    case byteOrderMark, padding, incomplete, foreign
  }

  /// The position in the text, from 0.
  package let offset: Int
  package let cause: Cause

  /// Returns nil if `text` is canonical.
  package init?(in text: UnsafeBufferPointer<UInt8>) {
    guard !text.isEmpty else {
      (offset, cause) = (0, .empty)
      return
    }
    let first = text.firstIndex { !Self.isInAlphabet($0) } ?? text.count
    let end = text[first...].firstIndex { $0 != UInt8(ascii: "=") } ?? text.count
    if end == text.count, end - first <= 2, first > 0, end % 4 == 0 { return nil }
    if text.starts(with: "data:".utf8) {
      (offset, cause) = (0, .dataPrefix)
    } else if first == text.count {
      (offset, cause) = (text.count, .incomplete)
    } else if text[first] == UInt8(ascii: "=") {
      (offset, cause) = (first, .padding)
    } else {
      (offset, cause) = (first, Self.cause(of: text[first], in: text))
    }
  }

  private static func isInAlphabet(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
    default: false
    }
  }

  private static func cause(of byte: UInt8, in text: UnsafeBufferPointer<UInt8>) -> Cause {
    switch byte {
    case UInt8(ascii: " "): hasSpacesForPlus(text) ? .spaceForPlus : .whiteSpace
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): .lineBreak
    case 0x09, 0x0B, 0x0C: .whiteSpace
    case UInt8(ascii: "-"), UInt8(ascii: "_"): .urlAlphabet
    case UInt8(ascii: "%"): .percentEncoding
    case UInt8(ascii: "\""), UInt8(ascii: "'"): .quotes
    case UInt8(ascii: "\\"): .jsonEscape
    case 0xEF where text.starts(with: [0xEF, 0xBB, 0xBF]): .byteOrderMark
    default: .foreign
    }
  }

  /// Whether the text is canonical base64 once its spaces are plus signs again.
  private static func hasSpacesForPlus(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let repaired = text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
    return repaired.withUnsafeBufferPointer { Base64Fault(in: $0) == nil }
  }

  package var description: String { offset == 0 && cause == .empty ? reason : "at byte \(offset): \(reason)" }

  private var reason: String {
    switch cause {
    case .empty: "it is empty"
    case .lineBreak: "a line break; encode without line breaks"
    case .whiteSpace: "white space; encode without it"
    case .spaceForPlus:
      "a space; plus signs became spaces, as in a form or URL that was not percent-encoded"
    case .urlAlphabet: "- or _ of the URL alphabet; the standard alphabet has + and /"
    case .percentEncoding: "a percent sign; it is still percent-encoded"
    case .dataPrefix: "the prefix of a data: URL; remove everything up to the comma"
    case .quotes: "a quotation mark; give the text inside the quotes"
    case .jsonEscape: "a backslash; it is still escaped as in JSON"
    case .byteOrderMark: "a byte order mark"
    case .padding: "padding (=) that is not exact, or not at the end"
    case .incomplete: "the end, but the length is not a multiple of 4; the text was cut off, or lacks its padding"
    case .foreign: "a character that base64 does not have"
    }
  }
}
