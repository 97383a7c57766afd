import Foundation

/// Addresses made of parts that come from anybody.
package enum AddressText {
  /// The unreserved characters of RFC 3986.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// A part of a path: everything but unreserved characters percent-encoded.
  package static func segment(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  /// A query with its question mark, empty where nothing has a value.
  package static func query(_ items: [(name: String, value: String?)]) -> String {
    let pairs = items.compactMap { item in
      item.value.flatMap { $0.isEmpty ? nil : "\(segment(item.name))=\(segment($0))" }
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
