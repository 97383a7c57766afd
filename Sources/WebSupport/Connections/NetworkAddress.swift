import Foundation

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in 16 bytes. An IPv4 address is mapped to IPv6 (RFC 4291, section 2.5.5.2).
  package let bytes: [UInt8]

  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  /// Parses an address. Returns nil unless `text` is an address without port, brackets and zone.
  package init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = Self.mapped + withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      bytes = withUnsafeBytes(of: &six) { Array($0) }
    } else {
      return nil
    }
  }

  package var isIPv4: Bool { bytes.starts(with: Self.mapped) }

  package var isLoopback: Bool { isIPv4 ? bytes[12] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

  /// The key by which clients are counted: an IPv4 address, or the /64 network that one IPv6 subscriber usually has.
  package var holder: [UInt8] { isIPv4 ? bytes : Array(bytes.prefix(8)) }

  package var description: String {
    if isIPv4 { return bytes.suffix(4).map(String.init).joined(separator: ".") }
    let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
    return groups.map { String($0, radix: 16) }.joined(separator: ":")
  }
}
