/// The header of a JWS and the bytes that were signed.
public struct JWSContents: Hashable, Sendable {
  /// Algorithm and certificates.
  public let header: JWSHeader
  /// The decoded payload; for everything the App Store signs, JSON.
  public let payload: [UInt8]
}
