import Foundation
import WebSupport

/// The URL of a webhook's receiver.
///
/// It is checked when an operator sets it, and again at each attempt. ``ReceiverAddresses`` checks where it leads to.
struct WebhookAddress: Hashable, Sendable {
  /// The reason why a text is not accepted as the URL of a receiver, as a sentence for the operator.
  struct Problem: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  /// The URL.
  let text: String
  /// The host's name, or its address without brackets.
  let host: String
  /// Whether it is https.
  let isSecure: Bool

  /// The maximum length of a URL, in bytes.
  static let longestBytes = 2_000

  /// - Parameters:
  ///   - text: an https URL without user, password and fragment.
  ///   - allowsLoopback: whether http is accepted for `localhost`, and for loopback addresses.
  /// - Throws: ``Problem``.
  init(_ text: String, allowsLoopback: Bool) throws(Problem) {
    guard text.utf8.count <= Self.longestBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let parts = URLComponents(string: text), let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http"
    else { throw Problem(description: "The address of a receiver is an https URL of at most 2,000 ASCII characters.") }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw Problem(description: "The address of a receiver has no user, no password and no fragment.")
    }
    let host = (url.host() ?? "").trimmingCharacters(in: ["[", "]"])
    guard NetworkAddress(host) != nil || host.wholeMatch(of: /[A-Za-z0-9.\-]{1,253}/) != nil else {
      throw Problem(description: "The address of a receiver needs the name or the address of a host, in ASCII.")
    }
    if let port = parts.port, !(1...65_535).contains(port) {
      throw Problem(description: "The port of a receiver is a number from 1 to 65535.")
    }
    let isSecure = scheme == "https"
    guard isSecure || (allowsLoopback && Self.isLoopback(host)) else {
      throw Problem(
        description: allowsLoopback
          ? "The address of a receiver begins with https://, unless its host is this machine: localhost, 127.0.0.1, [::1]."
          : "The address of a receiver begins with https://.")
    }
    self.text = text
    self.host = host
    self.isSecure = isSecure
  }

  private static func isLoopback(_ host: String) -> Bool {
    host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true
  }
}
