/// The parts of a legacy receipt: the signed bytes, the certificate and the signature.
struct LegacyContainer: Sendable {
  /// The decoded `purchase-info`.
  let purchaseInfo: [UInt8]
  let receipt: LegacyReceipt
  /// The version of the signature, 2 or 3.
  let version: UInt8
  let signature: [UInt8]
  let leaf: CertificateOutline
  /// The `environment` outside of the signature. It is not trustworthy.
  let claimedEnvironment: String?

  /// The signed bytes: the version, then the purchase information.
  var signedBytes: [UInt8] { [version] + purchaseInfo }

  init(_ text: UnsafeBufferPointer<UInt8>) throws(VerificationFailure) {
    let outer = try Self.fields(text, "it is not a legacy receipt")
    func decoded(_ key: String) throws(VerificationFailure) -> [UInt8] {
      guard let value = outer.first(where: { $0.key == key })?.value else {
        throw .structure("the legacy receipt lacks \(key)")
      }
      let bytes = try value.withBuffer { (text) throws(VerificationFailure) in Base64.decode(text, .standard) }
      guard let bytes else { throw .structure("\(key) of the legacy receipt is not base64") }
      return bytes
    }
    purchaseInfo = try decoded("purchase-info")
    let inner = try purchaseInfo.withBuffer { (text) throws(VerificationFailure) in
      try Self.fields(text, "the purchase-info of the legacy receipt cannot be read")
    }
    receipt = try LegacyReceipt(fields: inner)
    claimedEnvironment = outer.first { $0.key == "environment" }?.value
    let blob = try decoded("signature")
    guard let version = blob.first, version == 2 || version == 3 else {
      throw .structure("the signature of the legacy receipt is neither version 2 nor 3")
    }
    let signatureEnd = 1 + (version == 2 ? 128 : 256)
    guard blob.count > signatureEnd + 4 else { throw .structure("the signature of the legacy receipt is cut short") }
    let length = blob[signatureEnd..<(signatureEnd + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard blob.count - signatureEnd - 4 == length else {
      throw .structure("the certificate of the legacy receipt is not as long as it says")
    }
    self.version = version
    signature = Array(blob[1..<signatureEnd])
    do throws(TLVFault) {
      leaf = try CertificateOutline(Array(blob[(signatureEnd + 4)...]))
    } catch {
      throw .structure("the certificate of the legacy receipt cannot be read: \(error)")
    }
  }

  private static func fields(
    _ text: UnsafeBufferPointer<UInt8>, _ reason: String
  ) throws(VerificationFailure) -> [LegacyReceipt.Field] {
    do throws(OldStylePropertyList.Fault) {
      return try OldStylePropertyList.read(text)
    } catch {
      throw .structure("\(reason): \(error)")
    }
  }
}
