/// Builds URLs from untrusted parts.
package enum AddressText {
  /// The unreserved characters of RFC 3986.
  private static let unreserved = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns a path segment: percent-encodes all bytes except the unreserved characters.
  package static func segment(_ text: String) -> String {
    if text.utf8.allSatisfy(unreserved.contains) { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * text.utf8.count)
    for byte in text.utf8 {
      if unreserved.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a query with its question mark. Items without a value are omitted; without items the query is empty.
  package static func query(_ items: [(name: String, value: String?)]) -> String {
    let pairs = items.compactMap { item in
      item.value.flatMap { $0.isEmpty ? nil : "\(segment(item.name))=\(segment($0))" }
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
