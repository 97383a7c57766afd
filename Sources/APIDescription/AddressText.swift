import Foundation

/// Makes URLs from untrusted texts.
package enum AddressText {
  /// The unreserved characters of RFC 3986.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// Returns a path segment, with all characters except unreserved ones percent-encoded.
  package static func segment(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  /// Returns a query with its question mark, without the items that have no value. It is empty if none has one.
  package static func query(_ items: [(name: String, value: String?)]) -> String {
    let pairs = items.compactMap { item in
      item.value.flatMap { $0.isEmpty ? nil : "\(segment(item.name))=\(segment($0))" }
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
