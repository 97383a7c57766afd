import HTTPTypes
import Hummingbird
import StoreModel

extension Request {
  /// Refuses a request line or header fields that would take more time to compare than their length.
  ///
  /// To be called before anything in them is looked at. The request line and the host are ASCII (RFC 3986); what the
  /// request line has percent-encoded, and all fields, are stream-safe text.
  ///
  /// - Throws: ``ErrorResponse``.
  package func checkText() throws(ErrorResponse) {
    let (path, authority) = (head.path ?? "", head.authority ?? "")
    guard Self.isVisible(path), Self.isVisible(authority) else {
      throw Self.malformed("The request line or the host has bytes outside ASCII. Percent-encode them.")
    }
    guard PercentEncodedText.isStreamSafe(path.utf8) else {
      throw Self.malformed("The address has more than \(StreamSafeText.longestRun) combining marks in a row.")
    }
    for field in headers where !field.value.isStreamSafe {
      throw Self.malformed(
        "The header field \(field.name) has more than \(StreamSafeText.longestRun) combining marks in a row.")
    }
  }

  private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  private static func malformed(_ message: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "malformedRequest", message)
  }
}

/// Text in which bytes stand as `%XX` (RFC 3986, section 2.1): addresses and forms.
package enum PercentEncodedText {
  /// Whether the text is stream-safe when it is decoded.
  package static func isStreamSafe(_ encoded: some Sequence<UInt8>) -> Bool {
    var bytes: [UInt8] = []
    var iterator = encoded.makeIterator()
    var isASCII = true
    while let byte = iterator.next() {
      var decoded = byte
      if byte == UInt8(ascii: "%") {
        // A part with an escape that is not two digits is left as it is, or refused, by its decoder.
        guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else { continue }
        decoded = high << 4 | low
      }
      if decoded >= 0x80 { isASCII = false }
      bytes.append(decoded)
    }
    return isASCII || String(decoding: bytes, as: UTF8.self).isStreamSafe
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
