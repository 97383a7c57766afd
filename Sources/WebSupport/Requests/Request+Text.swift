import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

extension Request {
  /// Refuses a request line or header fields whose comparison could take more than linear time, and a request that names
  /// several hosts.
  ///
  /// Call it before using any of them. The request line and the host must be ASCII (RFC 3986). The percent-encoded text
  /// of the request line and all fields must be stream-safe text. A second `Host`, or a request line with another host, is
  /// refused (RFC 9112, section 3.2): a proxy may have decided by the other one.
  ///
  /// - Throws: ``ErrorResponse``.
  package func checkText() throws(ErrorResponse) {
    let (path, authority) = (head.path ?? "", head.authority ?? "")
    guard Self.isVisible(path), Self.isVisible(authority) else {
      throw Self.malformed("The request line or the host has spaces or bytes outside ASCII. Percent-encode them.")
    }
    // The first `Host` is `head.authority`, and not among the fields. The host of the request line is.
    guard !headers.contains(where: { $0.name.canonicalName == "host" }) else {
      throw Self.malformed("The request names several hosts. Send one Host field, and only a path in the request line.")
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

/// Text with bytes encoded as `%XX` (RFC 3986, section 2.1): URLs and forms.
package enum PercentEncodedText {
  /// Whether the decoded text is stream-safe.
  package static func isStreamSafe(_ encoded: some Sequence<UInt8>) -> Bool {
    var bytes: [UInt8] = []
    var iterator = encoded.makeIterator()
    var isASCII = true
    while let byte = iterator.next() {
      var decoded = byte
      if byte == UInt8(ascii: "%") {
        // Invalid escapes are skipped: the decoder later leaves such parts undecoded, or refuses them.
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

extension RequestContext {
  /// Returns a parameter of the route's path, decoded. The router leaves it percent-encoded.
  ///
  /// - Throws: ``ErrorResponse`` if it is not valid.
  package func pathParameter(_ name: String) throws -> String {
    let text = try parameters.require(name)
    // Most have nothing to decode.
    let plain = text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : String(text)
    guard let decoded = plain, !decoded.utf8.contains(0), decoded.isStreamSafe else {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "\(text.prefix(80)) is not percent-encoded UTF-8 without U+0000.")
    }
    return decoded
  }
}
