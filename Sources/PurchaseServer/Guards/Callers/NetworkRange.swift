import WebSupport

/// A range of addresses with a common prefix, such as `10.0.0.0/8`, or a single address.
public struct NetworkRange: Hashable, Sendable {
  private let address: NetworkAddress
  /// The length of the prefix, in bits of the 128-bit address.
  private let bits: Int

  /// Returns nil unless `text` is an address, optionally with a prefix length (RFC 4632, section 3.1).
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

  /// Whether it contains all IPv4 or all IPv6 addresses.
  var isEverybody: Bool { bits == 0 || (address.isIPv4 && bits <= 96) }

  func contains(_ other: NetworkAddress) -> Bool {
    let (whole, rest) = (bits / 8, bits % 8)
    guard address.bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
    guard rest > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
    return address.bytes[whole] & mask == other.bytes[whole] & mask
  }
}
