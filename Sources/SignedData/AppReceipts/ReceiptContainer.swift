/// The container of an app receipt: CMS SignedData (RFC 5652) as the App Store and Xcode write it.
///
/// It is read as BER: Xcode writes indefinite lengths, and splits the content into a constructed OCTET STRING. It has
/// one signer, identified by issuer and serial number, and no signed attributes: the signature is over the content
/// itself.
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
    do throws(TLVFault) {
      self = try ReceiptContainer(parsing: container)
    } catch {
      throw .structure(
        "it is not an app receipt (CMS SignedData): \(error). If it is base64 text, decode it first")
    }
  }

  private init(parsing container: UnsafeBufferPointer<UInt8>) throws(TLVFault) {
    var outer = TLVReader(container, rules: .ber)
    var info = outer.inside(try outer.next(TLVElement.sequence, "a ContentInfo is expected"))
    try outer.finish("something follows the container")
    guard info.isIdentifier(try info.next(), .signedData) else { throw info.fault("SignedData is expected") }
    var wrapper = info.inside(try info.next(TLVElement.context(0), "SignedData is expected"))
    var signedData = wrapper.inside(try wrapper.next(TLVElement.sequence, "SignedData is expected"))
    _ = try signedData.integer()
    _ = try signedData.next(TLVElement.set, "digest algorithms are expected")
    content = try Self.content(&signedData)
    var certificates: [CertificateOutline] = []
    if signedData.nextTag == TLVElement.context(0) {
      var list = signedData.inside(try signedData.next())
      while !list.isAtEnd {
        guard certificates.count < Self.maximumCertificates else { throw list.fault("there are too many certificates") }
        certificates.append(try CertificateOutline(Array(list.slice(try list.next().range))))
      }
    }
    if signedData.nextTag == TLVElement.context(1) { _ = try signedData.next() }
    var signers = signedData.inside(try signedData.next(TLVElement.set, "a signer is expected"))
    try signedData.finish("something follows the signers")
    let signerInfo = try SignerInfo(&signers)
    try signers.finish("there is more than one signer")
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

  private struct SignerInfo {
    let issuer: [UInt8]
    let serialNumber: [UInt8]
    let digest: ReceiptDigest
    let signature: [UInt8]

    init(_ signers: inout TLVReader) throws(TLVFault) {
      var fields = signers.inside(try signers.next(TLVElement.sequence, "a signer is expected"))
      _ = try fields.integer()
      var name = fields.inside(try fields.next(TLVElement.sequence, "the signer's issuer is expected"))
      issuer = Array(name.slice(try name.next(TLVElement.sequence, "the signer's issuer is expected").range))
      serialNumber = Array(name.slice(try name.next(TLVElement.integer, "a serial number is expected").content))
      var algorithm = fields.inside(try fields.next(TLVElement.sequence, "a digest algorithm is expected"))
      let digestIdentifier = try algorithm.next()
      guard
        let digest = ReceiptDigest.allCases.first(where: { algorithm.isIdentifier(digestIdentifier, $0.identifier) })
      else { throw algorithm.fault("the digest is neither SHA-1 nor SHA-256") }
      self.digest = digest
      if fields.nextTag == TLVElement.context(0) { throw fields.fault("signed attributes do not occur in receipts") }
      algorithm = fields.inside(try fields.next(TLVElement.sequence, "a signature algorithm is expected"))
      let signatureIdentifier = try algorithm.next()
      guard
        algorithm.isIdentifier(signatureIdentifier, .rsaEncryption)
          || algorithm.isIdentifier(signatureIdentifier, digest.signatureIdentifier)
      else { throw algorithm.fault("the signature is not RSA, or not of that digest") }
      signature = Array(fields.slice(try fields.next(TLVElement.octetString, "a signature is expected").content))
      try fields.finish("something follows the signature")
    }
  }
}
