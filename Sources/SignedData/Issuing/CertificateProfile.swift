import Foundation
import SwiftASN1
import X509

/// The properties of a certificate to make. All certificates pass `openssl verify -x509_strict`.
struct CertificateProfile: Hashable {
  enum Role {
    case root
    case intermediate
    case leaf
    /// A certificate that is trusted itself, and signs data directly, with the extensions of Xcode's.
    case selfSigned
  }

  let commonName: String
  let role: Role
  var period: CertificatePeriod
  /// The marker extensions. Their value is a DER NULL, and they are not critical.
  var markers: [ObjectIdentifierBytes] = []
  /// Whether the certificate has the policy of receipt-signing leaves.
  var hasReceiptPolicy = false
  /// The host names and addresses of a TLS server. A certificate with at least one host is a TLS certificate.
  var hosts: [GeneralName] = []
  /// The address of the OCSP responder that knows the certificate's status; nil if none does.
  var ocspResponder: String?
  /// Whether its key signs OCSP answers for the certificates of its issuer (RFC 6960, section 4.2.2.2).
  var isOCSPResponder = false

  /// Makes the certificate of `key`.
  ///
  /// - Parameter issuer: nil for a self-signed certificate.
  func certificate(for key: IssuingKey, issuer: Identity?) throws -> Certificate {
    let publicKey = key.certificateKey.publicKey
    let issuerKey = issuer?.key ?? key
    let issuerPublicKey = issuerKey.certificateKey.publicKey
    let subject = try DistinguishedName {
      CountryName("US")
      OrganizationName("OpenStoreKit")
      CommonName(commonName)
    }
    let publicKeyName = Hexadecimal.text(of: SubjectKeyIdentifier(hash: publicKey).keyIdentifier)
    let number = SerialNumbers(issuerKey).number(of: "\(publicKeyName) \(self)")
    return try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(bytes: number),
      publicKey: publicKey, notValidBefore: period.first, notValidAfter: period.last,
      issuer: issuer?.certificate.subject ?? subject, subject: subject,
      signatureAlgorithm: issuerKey.signatureAlgorithm,
      extensions: try extensions(publicKey: publicKey, issuerPublicKey: issuerPublicKey),
      issuerPrivateKey: issuerKey.certificateKey)
  }

  private func extensions(
    publicKey: Certificate.PublicKey, issuerPublicKey: Certificate.PublicKey
  ) throws -> Certificate.Extensions {
    let subjectKey = SubjectKeyIdentifier(hash: publicKey)
    let authorityKey = AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerPublicKey).keyIdentifier)
    var extensions = try Certificate.Extensions {
      switch role {
      case .root: Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
      case .intermediate, .selfSigned: Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
      case .leaf: Critical(BasicConstraints.notCertificateAuthority)
      }
      Critical(
        role == .leaf || role == .selfSigned
          ? KeyUsage(digitalSignature: true) : KeyUsage(keyCertSign: true, cRLSign: true))
      subjectKey
      authorityKey
    }
    if !hosts.isEmpty {
      try extensions.append(Certificate.Extension(ExtendedKeyUsage([.serverAuth]), critical: false))
      try extensions.append(Certificate.Extension(SubjectAlternativeNames(hosts), critical: false))
    }
    if isOCSPResponder {
      try extensions.append(Certificate.Extension(ExtendedKeyUsage([.ocspSigning]), critical: false))
      // id-pkix-ocsp-nocheck: the status of this certificate itself is not asked.
      try extensions.append(
        Certificate.Extension(oid: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5], critical: false, value: [0x05, 0x00]))
    }
    if hasReceiptPolicy { try extensions.append(Self.receiptPolicy) }
    if let ocspResponder {
      let access = AuthorityInformationAccess([
        .init(method: .ocspServer, location: .uniformResourceIdentifier(ocspResponder))
      ])
      try extensions.append(Certificate.Extension(access, critical: false))
    }
    for marker in markers {
      try extensions.append(
        Certificate.Extension(
          oid: try ASN1ObjectIdentifier(derEncoded: DERWriter.identifier(marker)), critical: false, value: [0x05, 0x00])
      )
    }
    return extensions
  }

  /// The extension certificatePolicies (2.5.29.32) with the policy 1.2.840.113635.100.5.6.1.
  private static var receiptPolicy: Certificate.Extension {
    let policy = ObjectIdentifierBytes(1, 2, 840, 113635, 100, 5, 6, 1)
    let value = DERWriter.sequence([DERWriter.sequence([DERWriter.identifier(policy)])])
    return Certificate.Extension(oid: [2, 5, 29, 32], critical: false, value: value[...])
  }
}
