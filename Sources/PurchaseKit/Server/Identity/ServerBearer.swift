import Foundation
import StoreModel

/// A token, and as whom it speaks.
struct ServerBearer: Hashable, Sendable {
  let token: String
  /// The same for all tokens of one identity.
  let subject: String
  /// Nil where the server has to be asked.
  let customer: UUID?
  /// See ``KnownCustomer/asking``.
  let asked: Int

  /// Whose a token of the operator's identity system is (RFC 7519): issuer and subject, which stay while tokens come and go. They are only
  /// compared, and so not verified. A token that is none of the kind is its own.
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
