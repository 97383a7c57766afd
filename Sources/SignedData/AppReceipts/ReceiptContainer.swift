/// The container of an app receipt: CMS SignedData (RFC 5652) as the App Store and Xcode write it.
///
/// It is read as BER: Xcode writes indefinite lengths, and splits the content into a constructed OCTET STRING. It has
/// one signer, identified by issuer and serial number, and no signed attributes: the signature is over the content
/// itself.
///
/// Every byte of it is checked, here, by ``SignedDataVerifier``, or by the signatures of the content and the
/// certificates. So no byte of a receipt can be changed without a refusal.
struct ReceiptContainer: Sendable {
  static let maximumBytes = 64 << 20
  static let maximumCertificates = 8

  let content: [UInt8]
  let certificates: [CertificateOutline]
  /// The index of the signer's certificate in ``certificates``.
  let signer: Int
  let digest: ReceiptDigest
  let signature: [UInt8]

  init(_ container: UnsafeBufferPointer<UInt8>) throws(VerificationFailure) {
    guard container.count <= Self.maximumBytes else {
      throw .structure("it is larger than the \(Self.maximumBytes >> 20) MiB that a receipt may have")
    }
    switch ReceiptExtent(container) {
    case .whole: break
    case .beginning(let count):
      throw .structure("\(container.count - count) bytes follow the app receipt, which ends before byte \(count)")
    case .cutOff(let count?):
      throw .structure(
        "it is not a whole app receipt (CMS SignedData): it says that it has \(count) bytes, and has "
          + "\(container.count); its end was cut off")
    case .cutOff(nil):
      throw .structure(
        "it is not a whole app receipt (CMS SignedData): it does not end within its \(container.count) bytes; its "
          + "end was cut off")
    case .notAContainer:
      throw .structure(
        "it is not an app receipt (CMS SignedData): at byte 0: a ContentInfo is expected. If it is base64 text, "
          + "decode it first")
    }
    do throws(TLVFault) {
      self = try ReceiptContainer(parsing: container)
    } catch {
      throw .structure("it is not an app receipt (CMS SignedData): \(error)")
    }
  }

  private init(parsing container: UnsafeBufferPointer<UInt8>) throws(TLVFault) {
    var outer = TLVReader(container, rules: .ber)
    var info = outer.inside(try outer.next(TLVElement.sequence, "a ContentInfo is expected"))
    try outer.finish("something follows the container")
    guard info.isIdentifier(try info.next(), .signedData) else { throw info.fault("SignedData is expected") }
    var wrapper = info.inside(try info.next(TLVElement.context(0), "SignedData is expected"))
    try info.finish("something follows the SignedData")
    var signedData = wrapper.inside(try wrapper.next(TLVElement.sequence, "SignedData is expected"))
    try wrapper.finish("something follows the SignedData")
    guard try signedData.integer() == 1 else { throw signedData.fault("the version of SignedData is not 1") }
    var algorithms = signedData.inside(try signedData.next(TLVElement.set, "digest algorithms are expected"))
    let outerDigest = try Self.digest(&algorithms)
    try algorithms.finish("there is more than one digest algorithm")
    content = try Self.content(&signedData)
    var certificates: [CertificateOutline] = []
    if signedData.nextTag == TLVElement.context(0) {
      var list = signedData.inside(try signedData.next())
      while !list.isAtEnd {
        guard certificates.count < Self.maximumCertificates else { throw list.fault("there are too many certificates") }
        certificates.append(try CertificateOutline(Array(list.slice(try list.next().range))))
      }
    }
    var signers = signedData.inside(try signedData.next(TLVElement.set, "a signer is expected"))
    try signedData.finish("something follows the signers")
    let signerInfo = try SignerInfo(&signers)
    try signers.finish("there is more than one signer")
    guard outerDigest == signerInfo.digest else {
      throw signedData.fault("the digest algorithm of the container is not the signer's")
    }
    self.certificates = certificates
    digest = signerInfo.digest
    signature = signerInfo.signature
    guard
      let signer = certificates.firstIndex(where: {
        $0.der[$0.issuer] == signerInfo.issuer[...] && $0.der[$0.serialNumber] == signerInfo.serialNumber[...]
      })
    else { throw signers.fault("the signer's certificate is missing") }
    self.signer = signer
  }

  /// Reads the bytes of the encapsulated content, and joins its pieces.
  private static func content(_ signedData: inout TLVReader) throws(TLVFault) -> [UInt8] {
    var encapsulated = signedData.inside(try signedData.next(TLVElement.sequence, "a content is expected"))
    guard encapsulated.isIdentifier(try encapsulated.next(), .data) else {
      throw encapsulated.fault("a content of type data is expected")
    }
    var wrapper = encapsulated.inside(try encapsulated.next(TLVElement.context(0), "a content is expected"))
    try encapsulated.finish("something follows the content")
    let octets = try wrapper.next()
    try wrapper.finish("something follows the content")
    if octets.tag == TLVElement.octetString { return Array(wrapper.slice(octets.content)) }
    guard octets.tag == TLVElement.constructedOctetString else { throw wrapper.fault("a content is expected") }
    var pieces = wrapper.inside(octets)
    var bytes: [UInt8] = []
    while !pieces.isAtEnd {
      bytes.append(
        contentsOf: pieces.slice(try pieces.next(TLVElement.octetString, "a piece of the content is expected").content))
    }
    return bytes
  }

  /// Reads an AlgorithmIdentifier of a digest.
  private static func digest(_ fields: inout TLVReader) throws(TLVFault) -> ReceiptDigest {
    var algorithm = fields.inside(try fields.next(TLVElement.sequence, "a digest algorithm is expected"))
    let identifier = try algorithm.next()
    guard let digest = ReceiptDigest.allCases.first(where: { algorithm.isIdentifier(identifier, $0.identifier) })
    else { throw algorithm.fault("the digest is neither SHA-1 nor SHA-256") }
    try algorithm.finishParameters()
    return digest
  }

  private struct SignerInfo {
    let issuer: [UInt8]
    let serialNumber: [UInt8]
    let digest: ReceiptDigest
    let signature: [UInt8]

    init(_ signers: inout TLVReader) throws(TLVFault) {
      var fields = signers.inside(try signers.next(TLVElement.sequence, "a signer is expected"))
      guard try fields.integer() == 1 else { throw fields.fault("the version of the signer is not 1") }
      var name = fields.inside(try fields.next(TLVElement.sequence, "the signer's issuer is expected"))
      issuer = Array(name.slice(try name.next(TLVElement.sequence, "the signer's issuer is expected").range))
      serialNumber = Array(name.slice(try name.next(TLVElement.integer, "a serial number is expected").content))
      try name.finish("something follows the signer's serial number")
      let digest = try ReceiptContainer.digest(&fields)
      self.digest = digest
      if fields.nextTag == TLVElement.context(0) { throw fields.fault("signed attributes do not occur in receipts") }
      var algorithm = fields.inside(try fields.next(TLVElement.sequence, "a signature algorithm is expected"))
      let identifier = try algorithm.next()
      guard
        algorithm.isIdentifier(identifier, .rsaEncryption)
          || algorithm.isIdentifier(identifier, digest.signatureIdentifier)
      else { throw algorithm.fault("the signature is not RSA, or not of that digest") }
      try algorithm.finishParameters()
      signature = Array(fields.slice(try fields.next(TLVElement.octetString, "a signature is expected").content))
      try fields.finish("something follows the signature")
    }
  }
}
