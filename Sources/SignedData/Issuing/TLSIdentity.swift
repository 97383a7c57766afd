/// The certificate and key of a TLS server.
public struct TLSIdentity: Hashable, Sendable {
  /// The server's certificate, in PEM. Clients that trust ``rootCertificate`` need no other certificate.
  public let certificateChainPEM: String
  /// The server's private key, as PKCS#8 in PEM.
  public let privateKeyPEM: String
  /// The root certificate that clients must trust, in DER.
  public let rootCertificate: [UInt8]
}
