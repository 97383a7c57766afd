/// The text of a SHA-256 digest: 64 hexadecimal digits in lower case, so that each digest has one spelling.
package enum SHA256Text {
  /// The regular expression (ECMA-262) of the texts, for descriptions of APIs.
  package static let pattern = "^[0-9a-f]{64}$"

  package static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
