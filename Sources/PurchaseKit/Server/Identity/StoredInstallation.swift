import Foundation

/// What the server called this installation, and the secret it gave it.
struct StoredInstallation: Hashable, Codable, Sendable {
  /// Where the token of a server and app is kept: each has a place of its own, so that an app which asks another server
  /// for a while finds back to the customer it was.
  static func name(for server: String) -> String {
    "purchase-server-\(FileDigest(of: Data(server.utf8)).description.prefix(16))"
  }

  /// Whose token it is: it is shown to no other server, and for no other app.
  let server: String
  private(set) var customer: UUID
  let token: String
  /// Whom the token spoke for before it was joined with another customer; nil in items of before that was kept.
  private var formerCustomers: Set<UUID>?

  init(server: String, customer: UUID, token: String) {
    self.server = server
    self.customer = customer
    self.token = token
  }

  /// Whom it was before.
  var former: Set<UUID> { formerCustomers ?? [] }

  mutating func join(_ other: UUID) {
    guard other != customer else { return }
    formerCustomers = former.union([customer]).subtracting([other])
    customer = other
  }
}
