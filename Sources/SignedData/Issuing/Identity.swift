import SwiftASN1
import X509

/// A private key and the certificate of its public key.
///
/// Both are stored as one PEM text, so that a crash or another process cannot separate them.
struct Identity: Sendable {
  let key: IssuingKey
  let certificate: Certificate
  /// The DER bytes of the certificate.
  let der: [UInt8]
  let outline: CertificateOutline

  init(key: IssuingKey, certificate: Certificate) throws {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    try self.init(key: key, certificate: certificate, der: serializer.serializedBytes)
  }

  private init(key: IssuingKey, certificate: Certificate, der: [UInt8]) throws {
    self.key = key
    self.certificate = certificate
    self.der = der
    outline = try CertificateOutline(der)
  }

  var certificatePEM: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString }

  /// The key, then the certificate.
  var pem: String { key.pem + "\n" + certificatePEM + "\n" }

  /// Reads the text of ``pem``. Throws unless it is a key of this kind and its certificate.
  init(pem: String, kind: IssuingKey.Kind) throws {
    let documents = try PEMDocument.parseMultiple(pemString: pem)
    guard documents.count == 2, let keyDocument = documents.first, let certificateDocument = documents.last else {
      throw PEMFault("it should hold one key and one certificate")
    }
    let key = try IssuingKey(pem: keyDocument.pemString, kind: kind)
    let certificate = try Certificate(pemDocument: certificateDocument)
    guard key.certificateKey.publicKey == certificate.publicKey else {
      throw PEMFault("the certificate belongs to another key")
    }
    try self.init(key: key, certificate: certificate, der: certificateDocument.derBytes)
  }
}

/// The reason why a PEM text is refused.
struct PEMFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
