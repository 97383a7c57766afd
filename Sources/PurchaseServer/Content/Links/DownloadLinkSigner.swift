import Crypto
import Foundation
import SignedData
import StoreModel

/// Makes download links that are good for a while, and tells them from others.
///
/// A token is base64url (RFC 4648, section 5, unpadded) of the link's bytes and their HMAC-SHA256 (RFC 2104). Nothing is stored:
/// every server that has the key can verify it. Whether the delivery still lives is not in it, and is asked at every request.
public struct DownloadLinkSigner: Sendable {
  /// Stands before what is signed, so that the same key used for something else makes no links.
  private static let purpose = Array("OpenStoreKit download link\n".utf8)
  private static let signatureByteCount = SHA256.byteCount

  private let current: DownloadLinkKey
  private let older: [DownloadLinkKey]
  private let clock: any MachineClock
  private let lifetimeMilliseconds: Int64

  /// - Parameters:
  ///   - current: Signs.
  ///   - older: Keys whose links are still accepted: those that signed until less than a lifetime ago, and those that are
  ///     about to sign on other servers.
  ///   - lifetimeMilliseconds: How long a link is good for. It has to last until the download has begun, not until it ends.
  public init(
    current: DownloadLinkKey, older: [DownloadLinkKey] = [], clock: any MachineClock,
    lifetimeMilliseconds: Int64 = 900_000
  ) {
    self.current = current
    self.older = older
    self.clock = clock
    self.lifetimeMilliseconds = lifetimeMilliseconds
  }

  /// A new link to a file of a delivery, good from now on.
  public func link(to digest: ContentDigest, contentVersion: Int64, deliveryID: UUID) -> DownloadLink {
    DownloadLink(
      deliveryID: deliveryID, contentVersion: contentVersion, digest: digest,
      expirationDate: clock.now.adding(milliseconds: lifetimeMilliseconds))
  }

  /// The link as it is given out. It needs no escaping in a path.
  public func token(for link: DownloadLink) -> String {
    let bytes = link.encoded
    let signature = HMAC<SHA256>.authenticationCode(for: Self.purpose + bytes, using: current.key)
    return Base64.text(bytes + Array(signature), .url)
  }

  /// What a token says, if it is to be believed, and now.
  ///
  /// - Throws: ``DownloadLinkRefusal``.
  public func link(in token: String) throws(DownloadLinkRefusal) -> DownloadLink {
    guard token.utf8.count <= 256,
      let bytes = Array(token.utf8).withUnsafeBufferPointer({ Base64.decode($0, .url) }),
      let link = DownloadLink(encoded: bytes.dropLast(Self.signatureByteCount))
    else { throw .malformed }
    let signature = Array(bytes.suffix(Self.signatureByteCount))
    guard isSigned(link, with: signature) else { throw .forged }
    guard clock.now < link.expirationDate else { throw .expired(link.expirationDate) }
    return link
  }

  /// Takes the same time whatever the signature, and whichever key made it.
  private func isSigned(_ link: DownloadLink, with signature: [UInt8]) -> Bool {
    let signed = Self.purpose + link.encoded
    return ([current] + older).reduce(false) { isSigned, key in
      let isValid = HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: key.key)
      return isValid || isSigned
    }
  }
}
