/// The header of a JWS (RFC 7515, section 4; "JWSDecodedHeader").
public struct JWSHeader: Hashable, Sendable {
  /// `alg`. Verification accepts only `ES256`.
  public let algorithm: String
  /// `kid`, the identifier of the key. Xcode writes it.
  public let keyID: String?
  /// `typ`: `JWT` or nil.
  public let type: String?
  /// `x5c`: the certificates in DER, leaf first; empty if there are none.
  public let certificates: [[UInt8]]

  static let maximumCertificates = 8
  static let maximumCertificateBytes = 64 << 10

  static func read(_ json: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> JWSHeader {
    try JSONReader.read(json) { (reader) throws(JSONFault) in
      var algorithm: String?
      var (keyID, type): (String?, String?) = (nil, nil)
      var certificates: [[UInt8]] = []
      try reader.members { (reader, key) throws(JSONFault) in
        if key == "alg" {
          algorithm = try reader.string()
        } else if key == "kid" {
          keyID = try reader.string()
        } else if key == "typ" {
          type = try reader.string()
        } else if key == "crit" {
          // RFC 7515, section 4.1.11: all extensions in "crit" must be understood. This reader understands none.
          throw reader.fault("the header demands extensions that are not known")
        } else if key == "x5c" {
          try reader.elements { (reader) throws(JSONFault) in
            guard certificates.count < maximumCertificates else {
              throw reader.fault("there are too many certificates")
            }
            let der = try reader.base64()
            guard der.count <= maximumCertificateBytes else { throw reader.fault("a certificate is too large") }
            certificates.append(der)
          }
        } else {
          try reader.skipValue()
        }
      }
      guard let algorithm else { throw reader.fault("the header names no algorithm (alg)") }
      return JWSHeader(algorithm: algorithm, keyID: keyID, type: type, certificates: certificates)
    }
  }
}
