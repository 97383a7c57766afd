import Foundation
import X509

/// The contents of a certificate (RFC 5280, section 4.1), for display.
package struct CertificateSummary: Sendable {
  /// The subject, such as `C=US, O=Example, CN=Example Root`, in the order of the certificate.
  package let subject: String
  package let issuer: String
  /// The first and the last date, as RFC 3339.
  package let notBefore: String
  package let notAfter: String
  package let fingerprint: SHA256Fingerprint
  /// The common name; the whole subject if it has none.
  package let name: String
  /// Whether issuer and subject have the same name. The signature is not checked.
  package let isSelfIssued: Bool

  /// Reads a certificate. Returns nil unless `der` is exactly one certificate.
  package init?(_ der: [UInt8]) {
    guard let certificate = try? Certificate(derEncoded: der) else { return nil }
    subject = Self.text(certificate.subject)
    issuer = Self.text(certificate.issuer)
    notBefore = certificate.notValidBefore.formatted(.iso8601)
    notAfter = certificate.notValidAfter.formatted(.iso8601)
    fingerprint = SHA256Fingerprint(of: der)
    isSelfIssued = certificate.subject == certificate.issuer
    let commonName = certificate.subject.lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }
    name = commonName.map { "\($0.value)" } ?? subject
  }

  private static func text(_ name: DistinguishedName) -> String {
    name.flatMap { $0 }.map(\.description).joined(separator: ", ")
  }
}
