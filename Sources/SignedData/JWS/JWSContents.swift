/// The header and the payload of a JWS.
public struct JWSContents: Hashable, Sendable {
  /// The algorithm and the certificates.
  public let header: JWSHeader
  /// The decoded payload. The App Store signs JSON only.
  public let payload: [UInt8]
}
