import Foundation

/// What the server called this installation, and the secret it gave it.
struct StoredInstallation: Hashable, Codable, Sendable {
  static let name = "purchase-server"

  /// Whose token it is: it is shown to no other server, and for no other app.
  let server: String
  let customer: UUID
  let token: String
}
