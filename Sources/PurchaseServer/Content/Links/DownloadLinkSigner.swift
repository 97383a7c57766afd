import Crypto
import Foundation
import SignedData
import StoreModel

/// Creates and verifies signed download links that expire.
///
/// A token is base64url (RFC 4648, section 5, unpadded) of the link's bytes and their HMAC-SHA256 (RFC 2104). Nothing is
/// stored, so every server with the key can verify it. Each request also checks whether the delivery has ended.
public struct DownloadLinkSigner: Sendable {
  /// A prefix of the signed bytes. A signature that was made with the same key for another purpose does not include it,
  /// so that signature is not valid for a link.
  private static let purpose = Array("OpenStoreKit download link\n".utf8)
  private static let signatureByteCount = SHA256.byteCount
  /// How far the clock that signed a link may have been ahead of this one, in milliseconds.
  private static let tolerance: Int64 = 3_600_000

  private let current: DownloadLinkKey
  private let older: [DownloadLinkKey]
  private let clock: any MachineClock
  private let lifetimeMilliseconds: Int64

  /// - Parameters:
  ///   - current: The key that signs.
  ///   - older: Further keys whose links are accepted: keys that were replaced less than a link's lifetime ago, and keys with
  ///     which other servers sign, or will sign soon.
  ///   - lifetimeMilliseconds: The lifetime of a link, in milliseconds. The download must begin within it, but may end later.
  public init(
    current: DownloadLinkKey, older: [DownloadLinkKey] = [], clock: any MachineClock,
    lifetimeMilliseconds: Int64 = 900_000
  ) {
    self.current = current
    self.older = older
    self.clock = clock
    self.lifetimeMilliseconds = lifetimeMilliseconds
  }

  /// Creates a link to a file of a delivery. Its lifetime begins now.
  public func link(to digest: ContentDigest, contentVersion: Int64, deliveryID: UUID) -> DownloadLink {
    DownloadLink(
      deliveryID: deliveryID, contentVersion: contentVersion, digest: digest,
      expirationDate: clock.now.adding(milliseconds: lifetimeMilliseconds))
  }

  /// Returns the link as text, for use in a URL's path without escaping.
  public func token(for link: DownloadLink) -> String {
    let bytes = link.encoded
    let signature = HMAC<SHA256>.authenticationCode(for: Self.purpose + bytes, using: current.key)
    return Base64.text(bytes + Array(signature), .url)
  }

  /// Verifies a token and returns its link.
  ///
  /// - Throws: ``DownloadLinkRefusal``.
  public func link(in token: String) throws(DownloadLinkRefusal) -> DownloadLink {
    guard token.utf8.count <= 256,
      let bytes = Array(token.utf8).withUnsafeBufferPointer({ Base64.decode($0, .url) }),
      let link = DownloadLink(encoded: bytes.dropLast(Self.signatureByteCount))
    else { throw .malformed }
    let signature = Array(bytes.suffix(Self.signatureByteCount))
    guard isSigned(link, with: signature) else { throw .forged }
    let latest = clock.now.adding(milliseconds: lifetimeMilliseconds + Self.tolerance)
    guard clock.now < link.expirationDate, link.expirationDate <= latest else {
      throw .expired(link.expirationDate)
    }
    return link
  }

  /// Whether the signature was made with one of the keys. All keys are always checked, so that the time reveals
  /// nothing.
  private func isSigned(_ link: DownloadLink, with signature: [UInt8]) -> Bool {
    let signed = Self.purpose + link.encoded
    return ([current] + older).reduce(false) { isSigned, key in
      let isValid = HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: key.key)
      return isValid || isSigned
    }
  }
}
