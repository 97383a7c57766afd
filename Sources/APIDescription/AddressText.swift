import Foundation

/// Builds URLs from untrusted parts.
package enum AddressText {
  /// The unreserved characters of RFC 3986.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// Returns a path segment: percent-encodes all characters except the unreserved ones.
  package static func segment(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  /// Returns a query with its question mark. Items without a value are omitted; without items the query is empty.
  package static func query(_ items: [(name: String, value: String?)]) -> String {
    let pairs = items.compactMap { item in
      item.value.flatMap { $0.isEmpty ? nil : "\(segment(item.name))=\(segment($0))" }
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
