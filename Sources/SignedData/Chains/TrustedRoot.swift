import SwiftASN1
import X509

/// A root certificate that is trusted.
struct TrustedRoot: Sendable {
  let certificate: Certificate
  let outline: CertificateOutline
  let fingerprint: SHA256Fingerprint

  /// Returns nil if `der` is not a certificate, or its kind of key is not supported.
  init?(der: [UInt8]) {
    guard let certificate = try? Certificate(derEncoded: der), let outline = try? CertificateOutline(der) else {
      return nil
    }
    self.certificate = certificate
    self.outline = outline
    fingerprint = SHA256Fingerprint(of: der)
  }
}
