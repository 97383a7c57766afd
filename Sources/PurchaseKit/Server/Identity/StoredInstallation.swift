import Foundation

/// The customer and the secret token that the server has issued to this installation.
struct StoredInstallation: Hashable, Codable, Sendable {
  /// Returns the name of the key store item for a server and app. An app that uses another server for a while keeps its
  /// customer at the first one.
  static func name(for server: String) -> String {
    "purchase-server-\(FileDigest(of: Data(server.utf8)).description.prefix(16))"
  }

  /// The server and app that the token belongs to. The token is sent to no other server.
  let server: String
  private(set) var customer: UUID
  let token: String
  /// The earlier customers of the token. Each of them was joined with another customer. Nil if there are none.
  private var formerCustomers: Set<UUID>?

  init(server: String, customer: UUID, token: String) {
    self.server = server
    self.customer = customer
    self.token = token
  }

  /// The earlier customers of this installation.
  var former: Set<UUID> { formerCustomers ?? [] }

  mutating func join(_ other: UUID) {
    guard other != customer else { return }
    formerCustomers = former.union([customer]).subtracting([other])
    customer = other
  }
}
