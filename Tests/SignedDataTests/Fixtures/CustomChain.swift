import Crypto
import Foundation
import StoreModel

@testable import SignedData

/// A chain of three certificates with any properties, also invalid ones that no authority issues.
struct CustomChain {
  let root: Identity
  let intermediate: Identity
  let leaf: Identity

  init(
    _ kind: IssuingKey.Kind, leafKind: IssuingKey.Kind? = nil,
    intermediateMarkers: [ObjectIdentifierBytes] = [CertificateMarker.developerRelations],
    leafMarkers: [ObjectIdentifierBytes] = [CertificateMarker.receiptSigning],
    leafPeriod: CertificatePeriod = .leaf(windowYear: 2024), intermediateRole: CertificateProfile.Role = .intermediate
  ) throws {
    func make(
      _ name: String, _ role: CertificateProfile.Role, _ kind: IssuingKey.Kind, _ period: CertificatePeriod,
      _ markers: [ObjectIdentifierBytes], _ issuer: Identity?
    ) throws -> Identity {
      let key = try IssuingKey.generate(kind)
      let profile = CertificateProfile(commonName: name, role: role, period: period, markers: markers)
      return try Identity(key: key, certificate: try profile.certificate(for: key, issuer: issuer))
    }
    root = try make("Test Root", .root, kind, .authority, [], nil)
    intermediate = try make("Test Intermediate", intermediateRole, kind, .authority, intermediateMarkers, root)
    leaf = try make("Test Leaf", .leaf, leafKind ?? kind, leafPeriod, leafMarkers, intermediate)
  }

  var ders: [[UInt8]] { [leaf.der, intermediate.der, root.der] }

  func jws(_ payload: [UInt8]) throws -> String {
    try compactJWS(payload, certificates: ders, key: leaf.key)
  }
}

/// Returns a JWS with any header, also an invalid one that no authority writes.
func compactJWS(
  _ payload: [UInt8], algorithm: String = "ES256", certificates: [[UInt8]], key: IssuingKey, extra: String = ""
) throws -> String {
  let list = certificates.map { "\"\(Base64.text($0, .standard))\"" }.joined(separator: ",")
  let header = Array("{\"alg\":\"\(algorithm)\",\"x5c\":[\(list)]\(extra)}".utf8)
  let input = Base64.text(header, .url) + "." + Base64.text(payload, .url)
  let signature: [UInt8] =
    switch key {
    case .p256(let key): Array(try key.signature(for: Array(input.utf8)).rawRepresentation)
    case .p384(let key): Array(try key.signature(for: Array(input.utf8)).rawRepresentation.prefix(64))
    case .rsa(let key): Array(try key.signature(of: Array(input.utf8), .sha256).prefix(64))
    }
  return input + "." + Base64.text(signature, .url)
}
