import HTTPTypes
import WebSupport

/// Where a request comes from.
struct CallerAddress: Hashable, Sendable {
  /// Nil where the connection has none: a local socket, or a test.
  let address: NetworkAddress?
  /// Whether somebody between says that it comes from elsewhere, and is not believed.
  let isHidden: Bool

  /// - Parameters:
  ///   - peer: the other end of the connection.
  ///   - headers: of the request.
  ///   - trusted: the proxies whose `X-Forwarded-For` is believed. Of what it lists, the last that is none of them
  ///     counts: all before it may have been written by anybody.
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

  /// Whether the request comes from this machine, and nobody has passed it on.
  var isLoopback: Bool { address?.isLoopback == true && !isHidden }

  /// What its rate is counted by.
  var key: String { address.map { $0.holder.map(String.init).joined(separator: ".") } ?? "local" }

  private static let marks: [HTTPField.Name] = [
    .forwardedFor, HTTPField.Name("Forwarded")!, HTTPField.Name("Via")!, HTTPField.Name("X-Real-IP")!,
  ]

  /// Some proxies add the port.
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
