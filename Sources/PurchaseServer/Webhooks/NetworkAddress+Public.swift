import WebSupport

extension NetworkAddress {
  /// Whether it is an address of the public Internet, by IANA's registries of special-purpose addresses (RFC 6890).
  ///
  /// Addresses of private networks, of this machine, of a link, of carriers, for multicast, documentation and tunnels are not.
  var isPublic: Bool {
    if isIPv4 { return !Self.specialIPv4.contains { $0.contains(self) } }
    // On a network with IPv6 only, names of IPv4 hosts have such addresses. They are as public as the IPv4 address in them.
    if Self.translated.contains(where: { $0.contains(self) }) {
      return NetworkAddress(bytes.suffix(4).map(String.init).joined(separator: "."))?.isPublic ?? false
    }
    return Self.unicast.contains { $0.contains(self) } && !Self.specialIPv6.contains { $0.contains(self) }
  }

  /// 100.64.0.0/10 are addresses of carriers, 169.254.0.0/16 those of a link, among them clouds' metadata services.
  private static let specialIPv4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
  ].compactMap(NetworkRange.init)

  /// The well-known prefix of NAT64 (RFC 6052).
  private static let translated = ["64:ff9b::/96"].compactMap(NetworkRange.init)

  /// The only range of which IANA assigns public addresses. Loopback, private (fc00::/7), link-local (fe80::/10) and multicast
  /// addresses (ff00::/8) are outside.
  private static let unicast = ["2000::/3"].compactMap(NetworkRange.init)

  /// Protocol assignments with Teredo, documentation, and 6to4, whose addresses contain an IPv4 address of any kind.
  private static let specialIPv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].compactMap(
    NetworkRange.init)
}
