/// A host and an optional port, as in `Host` and `Origin` (RFC 9110, section 7.2; RFC 3986, section 3.2).
package struct HostAuthority: Hashable, Sendable {
  /// The host in lower case; an IPv6 address without its brackets.
  package let host: String
  package let port: Int?
  /// Whether the host is written in brackets.
  private let isIPv6: Bool

  /// Parses an authority. Returns nil unless all of `text` is one. Checking only a prefix would accept other hosts'
  /// names.
  package init?(_ text: String) {
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let address = text[text.index(after: text.startIndex)..<end]
      guard NetworkAddress(String(address)) != nil, address.contains(":") else { return nil }
      (host, isIPv6) = (address.lowercased(), true)
      rest = text[text.index(after: end)...]
    } else {
      let name = text.prefix { $0 != ":" }
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { return nil }
      (host, isIPv6) = (name.lowercased(), false)
      rest = text[name.endIndex...]
    }
    guard !rest.isEmpty else {
      port = nil
      return
    }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    // An empty port means the scheme's default port (RFC 3986, section 3.2.3).
    if digits.isEmpty {
      port = nil
    } else {
      guard let number = UInt16(digits) else { return nil }
      port = Int(number)
    }
  }

  /// Whether the host is this machine.
  package var isLoopback: Bool {
    if isIPv6 { return NetworkAddress(host)?.bytes == NetworkAddress("::1")?.bytes }
    return LoopbackHosts.contains(host)
  }

  /// Whether a byte is a letter, a digit, or an unreserved character of registered names. `@` is not allowed, because
  /// it would be followed by the actual host name.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }
}

/// Host names and addresses of this machine.
package enum LoopbackHosts {
  /// Whether `host`, a name or an address without a port, is one of them.
  package static func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1" || host == "[::1]" || isLoopbackIPv4(host)
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
