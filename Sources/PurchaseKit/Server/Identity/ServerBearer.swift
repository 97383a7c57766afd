import Foundation
import StoreModel

/// A bearer token and the customer it belongs to.
struct ServerBearer: Hashable, Sendable {
  let token: String
  /// Identifies the customer's identity. It is the same for all tokens of one identity.
  let subject: String
  /// Nil if the server must be asked.
  let customer: UUID?
  /// See ``KnownCustomer/asking``.
  let asked: Int

  /// Returns the issuer and the subject of a token (JWT, RFC 7519), which stay the same when the token is renewed. They
  /// are only compared, so they are not verified. A token that is not a JWT is returned unchanged.
  static func subject(of token: String) -> String {
    struct Claims: Decodable {
      let iss: String?
      let sub: String
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return token }
    var text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: text), let claims = try? BoundedJSON.decode(Claims.self, from: data) else {
      return token
    }
    return "\(claims.iss ?? "")\u{0}\(claims.sub)"
  }
}

/// How an app identifies itself to the developer's server.
public enum PurchaseServerIdentity: Sendable {
  /// The app identifies itself as this installation. The server issues a token, which is stored in this key store.
  ///
  /// The key store may be the vault's: the Keychain on Apple's systems, files of mode 0600 elsewhere. A Keychain item
  /// outlives the app's removal, so a reinstalled app is the same customer.
  case anonymous(any VaultKeyStore)
  /// The app identifies its user as a customer of the operator's identity system. The closure returns a current token
  /// (JWT) for each request.
  case identified(@Sendable () async throws -> String)
}

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
