import Foundation
import X509

/// What a certificate (RFC 5280, section 4.1) says about itself, for showing.
package struct CertificateSummary: Sendable {
  /// Such as `C=US, O=Example, CN=Example Root`, in the order of the certificate.
  package let subject: String
  package let issuer: String
  /// RFC 3339, first and last instant.
  package let notBefore: String
  package let notAfter: String
  package let fingerprint: SHA256Fingerprint
  /// The common name, or all of the subject if it has none.
  package let name: String
  /// Whether it names itself as its issuer. Who signed it is not looked at.
  package let isSelfIssued: Bool

  /// Nil unless `der` is one certificate and nothing else.
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
