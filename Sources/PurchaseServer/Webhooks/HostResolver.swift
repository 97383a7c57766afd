import Foundation
import WebSupport

/// Resolves the names of hosts.
protocol HostResolver: Sendable {
  /// Returns all addresses of a host, in the order in which they should be tried. A text that is an address has this one.
  ///
  /// - Throws: ``HostResolutionError``; `CancellationError`.
  func addresses(of host: String) async throws -> [NetworkAddress]
}

/// Thrown if a host has no address.
struct HostResolutionError: Error, CustomStringConvertible {
  let description: String
}

/// The resolver of the operating system, `getaddrinfo`.
struct SystemHostResolver: HostResolver {
  func addresses(of host: String) async throws -> [NetworkAddress] {
    if let address = NetworkAddress(host) { return [address] }
    let (results, continuation) = AsyncStream.makeStream(of: Result<[NetworkAddress], HostResolutionError>.self)
    // A thread of its own: a name server that does not answer would hold one of a pool, which others need. If the task is
    // cancelled, the thread ends when the system gives up.
    Thread.detachNewThread {
      continuation.yield(Self.resolved(host))
      continuation.finish()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  private static func resolved(_ host: String) -> Result<[NetworkAddress], HostResolutionError> {
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, nil, &found)
    guard code == 0, let first = found else {
      return .failure(
        HostResolutionError(description: "\(host) has no address: \(String(cString: gai_strerror(code)))"))
    }
    defer { freeaddrinfo(first) }
    var addresses: [NetworkAddress] = []
    for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
      guard let address = address(of: entry.pointee) else {
        return .failure(HostResolutionError(description: "\(host) has an address that cannot be read"))
      }
      // There is an entry for each type of socket.
      if !addresses.contains(address) { addresses.append(address) }
    }
    return .success(addresses)
  }

  private static func address(of entry: addrinfo) -> NetworkAddress? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1_025) { buffer in
      guard let text = buffer.baseAddress,
        getnameinfo(entry.ai_addr, entry.ai_addrlen, text, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      // A link-local address can have a zone.
      return NetworkAddress(String(String(cString: text).prefix { $0 != "%" }))
    }
  }
}
