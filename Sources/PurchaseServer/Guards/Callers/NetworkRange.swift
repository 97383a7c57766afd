import WebSupport

/// Addresses that begin alike, such as `10.0.0.0/8`; or one address.
public struct NetworkRange: Hashable, Sendable {
  private let address: NetworkAddress
  /// How many bits count, of 128.
  private let bits: Int

  /// Nil unless `text` is an address, or one with the length of a prefix (RFC 4632, section 3.1).
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = NetworkAddress(String(first)) else { return nil }
    let most = address.isIPv4 && !first.contains(":") ? 32 : 128
    var length = most
    if parts.count == 2 {
      guard let given = UInt8(parts[1]), Int(given) <= most else { return nil }
      length = Int(given)
    }
    self.address = address
    bits = 128 - most + length
  }

  /// Whether it has all addresses of IPv4, or of IPv6.
  var isEverybody: Bool { bits == 0 || (address.isIPv4 && bits <= 96) }

  func contains(_ other: NetworkAddress) -> Bool {
    let (whole, rest) = (bits / 8, bits % 8)
    guard address.bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
    guard rest > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
    return address.bytes[whole] & mask == other.bytes[whole] & mask
  }
}
