import Foundation

@testable import SignedData

/// Builds receipt containers with any signer and certificates, and with flaws.
struct ReceiptForge {
  enum Flaw: CaseIterable {
    case signedAttributes, twoSigners, noSigner, unknownDigest, unknownSignature, otherSerialNumber, trailingByte
  }

  var payload: [UInt8]

  init(receipt: AppReceipt) { payload = receipt.payloadBytes() }
  init(payload: [UInt8]) { self.payload = payload }

  /// An attribute of a receipt: a SEQUENCE of type, version and an OCTET STRING.
  static func attribute(_ type: Int64, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
    DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(version), DERWriter.octetString(value)])
  }

  func container(signer: Identity, certificates: [[UInt8]], flaw: Flaw? = nil) throws -> Data {
    guard case .rsa(let key) = signer.key else { return Data() }
    let null: [UInt8] = [5, 0]
    let (leaf, digest) = (signer.outline, flaw == .unknownDigest ? ObjectIdentifierBytes(1, 2, 3) : .sha256)
    var serial = Array(leaf.der[leaf.serialNumber])
    if flaw == .otherSerialNumber { serial[3] ^= 1 }
    var parts = [
      DERWriter.integer(1),
      DERWriter.sequence([Array(leaf.der[leaf.issuer]), DERWriter.element(TLVElement.integer, serial)]),
      DERWriter.sequence([DERWriter.identifier(digest), null]),
    ]
    if flaw == .signedAttributes {
      let attribute = DERWriter.sequence([DERWriter.identifier(.data), DERWriter.setOf([DERWriter.integer(1)])])
      parts.append(DERWriter.element(TLVElement.context(0), attribute))
    }
    let algorithm = flaw == .unknownSignature ? ObjectIdentifierBytes.sha1WithRSA : .sha256WithRSA
    parts.append(DERWriter.sequence([DERWriter.identifier(algorithm), null]))
    parts.append(DERWriter.octetString(try key.signature(of: payload, .sha256)))
    let signerInfo = DERWriter.sequence(parts)
    let signers = flaw == .noSigner ? [] : flaw == .twoSigners ? [signerInfo, signerInfo] : [signerInfo]
    let signedData = DERWriter.sequence([
      DERWriter.integer(1), DERWriter.setOf([DERWriter.sequence([DERWriter.identifier(.sha256), null])]),
      DERWriter.sequence([
        DERWriter.identifier(.data), DERWriter.element(TLVElement.context(0), DERWriter.octetString(payload)),
      ]),
      DERWriter.element(TLVElement.context(0), Array(certificates.joined())), DERWriter.setOf(signers),
    ])
    let container = DERWriter.sequence([
      DERWriter.identifier(.signedData), DERWriter.element(TLVElement.context(0), signedData),
    ])
    return Data(flaw == .trailingByte ? container + [0] : container)
  }
}
