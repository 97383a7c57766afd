import Crypto
import Foundation

/// The content that a developer signs for a promotional offer (Apple's "Generating a signature for promotional
/// offers").
public struct PromotionalOfferContent: Hashable, Sendable {
  public let bundleID: String
  public let keyID: String
  public let productID: String
  public let offerID: String
  /// The payment's `applicationUsername`; empty if it has none.
  public let applicationUsername: String
  public let nonce: String
  /// The date of signing, in UNIX milliseconds.
  public let timestamp: Int64

  public init(
    bundleID: String, keyID: String, productID: String, offerID: String, applicationUsername: String, nonce: String,
    timestamp: Int64
  ) {
    self.bundleID = bundleID
    self.keyID = keyID
    self.productID = productID
    self.offerID = offerID
    self.applicationUsername = applicationUsername
    self.nonce = nonce
    self.timestamp = timestamp
  }

  /// The bytes to sign: the properties, joined by invisible separators (U+2063). Username and nonce are in lower case.
  private var bytes: Data {
    Data(
      [
        bundleID, keyID, productID, offerID, applicationUsername.lowercased(), nonce.lowercased(), String(timestamp),
      ].joined(separator: "\u{2063}").utf8)
  }

  /// Returns a signature with a P-256 key: DER, as base64.
  public func signature(with key: P256.Signing.PrivateKey) throws -> String {
    try key.signature(for: bytes).derRepresentation.base64EncodedString()
  }

  /// Whether `signature` is a signature of this content.
  ///
  /// - Parameter signature: a DER-encoded ECDSA signature as base64.
  public func isSigned(_ signature: String, by key: P256.Signing.PublicKey) -> Bool {
    guard let der = Data(base64Encoded: signature),
      let parsed = try? P256.Signing.ECDSASignature(derRepresentation: der)
    else { return false }
    return key.isValidSignature(parsed, for: bytes)
  }
}
