import WebSupport

/// The addresses to which the name of a receiver leads at the moment of an attempt.
///
/// Each of them is checked, because the owner of a name decides where it leads: also to an address inside the server's own
/// network. The connection is then made to an address that was checked, so a name that leads elsewhere a moment later has no effect.
struct ReceiverAddresses: Sendable {
  /// Thrown if an address must not be reached.
  struct Refused: Error, CustomStringConvertible {
    let description: String
  }

  /// At least one address, in the order in which they should be tried.
  let all: [NetworkAddress]

  /// Resolves the host of a receiver, and checks its addresses.
  ///
  /// - Parameter allowsLoopback: whether the addresses of this machine are accepted, which http needs.
  /// - Throws: ``Refused``; ``HostResolutionError``; `CancellationError`.
  init(of address: WebhookAddress, allowsLoopback: Bool, resolver: any HostResolver) async throws {
    let found = try await resolver.addresses(of: address.host)
    guard !found.isEmpty else { throw HostResolutionError(description: "\(address.host) has no address") }
    for each in found {
      let isAccepted = (each.isPublic && address.isSecure) || (each.isLoopback && allowsLoopback)
      guard isAccepted else {
        throw Refused(
          description: address.isSecure
            ? "\(address.host) leads to \(each), which is no public address. Nothing was sent."
            : "\(address.host) leads to \(each), and http is sent only to this machine. Nothing was sent.")
      }
    }
    all = found
  }
}
