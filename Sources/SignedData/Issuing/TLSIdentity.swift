/// What a TLS server needs to prove who it is.
public struct TLSIdentity: Hashable, Sendable {
  /// The server's certificate in PEM; a client that trusts ``rootCertificate`` needs no more.
  public let certificateChainPEM: String
  /// The server's private key, PKCS#8 in PEM.
  public let privateKeyPEM: String
  /// The root clients must trust, DER.
  public let rootCertificate: [UInt8]
}
