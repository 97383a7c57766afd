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
