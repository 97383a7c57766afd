import HTTPTypes
import WebSupport

/// The address of a request's client.
struct CallerAddress: Hashable, Sendable {
  /// Nil if the connection has no address, such as a local socket or a test.
  let address: NetworkAddress?
  /// Whether the request was forwarded by a proxy that is not trusted, so that `address` is the proxy's.
  let isHidden: Bool

  /// - Parameters:
  ///   - peer: the address of the other end of the connection.
  ///   - headers: the header fields of the request.
  ///   - trusted: the proxies whose `X-Forwarded-For` is trusted. The last address in it that is not a trusted proxy is used:
  ///     any client can write the ones before it.
  init(peer: String?, _ headers: HTTPFields, trusted: [NetworkRange]) {
    let peer = peer.flatMap { NetworkAddress($0) }
    guard let peer, trusted.contains(where: { $0.contains(peer) }) else {
      address = peer
      isHidden = Self.marks.contains { headers[$0] != nil }
      return
    }
    var nearest = peer
    let listed = headers[values: .forwardedFor].joined(separator: ",").split(
      separator: ",", omittingEmptySubsequences: false)
    if headers[.forwardedFor] != nil {
      for entry in listed.reversed() {
        guard let next = Self.address(entry) else { break }
        nearest = next
        guard trusted.contains(where: { $0.contains(next) }) else { break }
      }
    }
    address = nearest
    isHidden = false
  }

  /// Whether the request comes directly from this machine.
  var isLoopback: Bool { address?.isLoopback == true && !isHidden }

  /// The key under which the requests from this address are counted.
  var key: String { address.map { $0.holder.map(String.init).joined(separator: ".") } ?? "local" }

  private static let marks: [HTTPField.Name] = [
    .forwardedFor, HTTPField.Name("Forwarded")!, HTTPField.Name("Via")!, HTTPField.Name("X-Real-IP")!,
  ]

  /// Reads an entry of `X-Forwarded-For`. Some proxies add the port.
  private static func address(_ entry: Substring) -> NetworkAddress? {
    let text = entry.drop { $0 == " " || $0 == "\t" }
    let trimmed = String(text.prefix { $0 != " " && $0 != "\t" })
    if let address = NetworkAddress(trimmed) { return address }
    return HostAuthority(trimmed).flatMap { NetworkAddress($0.host) }
  }
}

extension HTTPField.Name {
  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
