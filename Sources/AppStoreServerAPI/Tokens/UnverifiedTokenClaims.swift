import Foundation
import SignedData
import StoreModel

/// What a token says of its key and its app, without any check. Use it to look up keys, never for decisions.
package struct UnverifiedTokenClaims: Hashable, Sendable {
  /// The identifier of the key, `kid`.
  package let keyID: String?
  /// The identifier of the developer's team, `iss`.
  package let issuerID: String?
  /// The app, `bid`.
  package let bundleID: BundleID?
}

extension ServerAPITokenCheck {
  /// - Parameter authorization: the value of the header `Authorization`.
  /// - Returns: nil if it contains no token.
  package static func unverifiedClaims(authorization: String?) -> UnverifiedTokenClaims? {
    guard let token = authorization?.split(separator: " ", maxSplits: 1).last, token.utf8.count <= maximumBytes,
      let contents = try? UnverifiedJWS(token.trimmingCharacters(in: .whitespaces)).contents,
      let claims = try? BoundedJSON.decode(TokenClaims.self, from: Data(contents.payload))
    else { return nil }
    return UnverifiedTokenClaims(
      keyID: contents.header.keyID, issuerID: claims.iss, bundleID: claims.bid.map(BundleID.init(rawValue:)))
  }
}
