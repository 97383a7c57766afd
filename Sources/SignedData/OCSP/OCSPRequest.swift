import Crypto
import Foundation

/// A request for the status of certificates (RFC 6960, section 4.1).
package struct OCSPRequest: Hashable, Sendable {
  /// The certificates, in order; at least one.
  package let certificates: [CertificateID]
  /// The value of the nonce extension in DER, which an answer repeats; nil if there is none.
  let nonce: [UInt8]?

  /// The maximum size of a request, in bytes: some hundred certificates.
  package static let maximumBytes = 16 << 10

  /// The identification of a certificate (RFC 6960, section 4.1.1).
  package struct CertificateID: Hashable, Sendable {
    /// The whole CertID. Clients compare the one in the answer with their own.
    let der: [UInt8]
    /// Nil for an algorithm that is not known here.
    let hash: CertificateIDHash?
    let issuerNameHash: [UInt8]
    let issuerKeyHash: [UInt8]
    /// The contents of the INTEGER.
    package let serialNumber: [UInt8]
  }

  /// Reads a request. Signatures, and the name of the requester, are ignored. A CertID is checked completely, because an
  /// answer repeats its bytes.
  ///
  /// - Throws: ``OCSPFault`` unless `der` is exactly one request, without critical extensions.
  package init(_ der: [UInt8]) throws(OCSPFault) {
    guard der.count <= Self.maximumBytes else {
      throw OCSPFault("it has \(der.count) bytes, and at most \(Self.maximumBytes) are read")
    }
    do {
      (certificates, nonce) = try der.withBuffer { (bytes) throws(TLVFault) in try Self.read(bytes) }
    } catch {
      throw OCSPFault("\(error)")
    }
  }

  /// Reads a request from the path of a GET request (RFC 6960, appendix A.1): base64, percent-encoded. `+` is itself, and `/`
  /// may be encoded or not.
  package init(path: some StringProtocol) throws(OCSPFault) {
    // Three bytes are four characters of base64, each at most three when percent-encoded.
    guard path.utf8.count <= Self.maximumBytes * 4, let text = String(path).removingPercentEncoding,
      let der = text.withBuffer({ Base64.decode($0, .standard) })
    else { throw OCSPFault("the path is not base64, percent-encoded") }
    try self.init(der)
  }

  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(TLVFault) -> (certificates: [CertificateID], nonce: [UInt8]?) {
    var outer = TLVReader(bytes)
    let request = try outer.next(TLVElement.sequence, "an OCSPRequest is expected")
    try outer.finish("something follows the request")
    var parts = outer.inside(request)
    var fields = parts.inside(try parts.next(TLVElement.sequence, "a TBSRequest is expected"))
    // The optional signature.
    if parts.nextTag == TLVElement.context(0) { _ = try parts.next() }
    try parts.finish("something follows the request's parts")
    if fields.nextTag == TLVElement.context(0) {
      var version = fields.inside(try fields.next())
      guard try version.integer() == 0 else { throw fields.fault("only version 1 is known") }
    }
    // The optional name of the requester.
    if fields.nextTag == TLVElement.context(1) { _ = try fields.next() }
    var list = fields.inside(try fields.next(TLVElement.sequence, "a list of certificates is expected"))
    var certificates: [CertificateID] = []
    while !list.isAtEnd {
      var one = list.inside(try list.next(TLVElement.sequence, "a Request is expected"))
      certificates.append(try certificateID(&one))
      if one.nextTag == TLVElement.context(0) { _ = try nonce(in: one.inside(try one.next())) }
      try one.finish("something follows a CertID")
    }
    guard !certificates.isEmpty else { throw fields.fault("the request asks for no certificate") }
    var nonce: [UInt8]?
    if fields.nextTag == TLVElement.context(2) { nonce = try self.nonce(in: fields.inside(try fields.next())) }
    try fields.finish("something follows the request's fields")
    return (certificates, nonce)
  }

  private static func certificateID(_ reader: inout TLVReader) throws(TLVFault) -> CertificateID {
    let element = try reader.next(TLVElement.sequence, "a CertID is expected")
    var fields = reader.inside(element)
    var algorithm = fields.inside(try fields.next(TLVElement.sequence, "a hash algorithm is expected"))
    let identifier = try algorithm.next(TLVElement.objectIdentifier, "a hash algorithm is expected")
    guard algorithm.isWholeIdentifier(identifier) else { throw algorithm.fault("a hash algorithm is expected") }
    try algorithm.finishParameters()
    let name = try fields.next(TLVElement.octetString, "the hash of the issuer's name is expected")
    let key = try fields.next(TLVElement.octetString, "the hash of the issuer's key is expected")
    let number = try fields.next(TLVElement.integer, "a serial number is expected")
    guard fields.isShortest(number) else { throw fields.fault("a serial number is not DER") }
    try fields.finish("something follows a serial number")
    return CertificateID(
      der: Array(reader.slice(element.range)),
      hash: CertificateIDHash.allCases.first { fields.isIdentifier(identifier, $0.identifier) },
      issuerNameHash: Array(reader.slice(name.content)), issuerKeyHash: Array(reader.slice(key.content)),
      serialNumber: Array(reader.slice(number.content)))
  }

  /// Reads extensions, and returns the value of the nonce. Throws for a critical extension, because none is known.
  private static func nonce(in reader: TLVReader) throws(TLVFault) -> [UInt8]? {
    var outer = reader
    var list = outer.inside(try outer.next(TLVElement.sequence, "extensions are expected"))
    try outer.finish("something follows the extensions")
    var nonce: [UInt8]?
    while !list.isAtEnd {
      var one = list.inside(try list.next(TLVElement.sequence, "an extension is expected"))
      let identifier = try one.next(TLVElement.objectIdentifier, "an extension is expected")
      let isNonce = one.isIdentifier(identifier, .ocspNonce)
      if one.nextTag == TLVElement.boolean {
        let isCritical = one.slice(try one.next().content).contains { $0 != 0 }
        guard !isCritical || isNonce else { throw one.fault("a critical extension is not known") }
      }
      let value = try one.next(TLVElement.octetString, "the value of an extension is expected").content
      try one.finish("something follows the value of an extension")
      guard isNonce else { continue }
      // RFC 9654: a nonce has at most 128 bytes, and its encoding three more.
      guard (1...131).contains(value.count), nonce == nil else { throw one.fault("the nonce is too long, or repeated") }
      nonce = Array(one.slice(value))
    }
    return nonce
  }
}

/// The hash algorithms by which a CertID names an issuer.
enum CertificateIDHash: CaseIterable {
  case sha1, sha256, sha384, sha512

  var identifier: ObjectIdentifierBytes {
    switch self {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha384: ObjectIdentifierBytes(2, 16, 840, 1, 101, 3, 4, 2, 2)
    case .sha512: ObjectIdentifierBytes(2, 16, 840, 1, 101, 3, 4, 2, 3)
    }
  }

  func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .sha1: Array(Insecure.SHA1.hash(data: bytes))
    case .sha256: Array(SHA256.hash(data: bytes))
    case .sha384: Array(SHA384.hash(data: bytes))
    case .sha512: Array(SHA512.hash(data: bytes))
    }
  }
}

/// The reason why bytes are not an OCSP request.
package struct OCSPFault: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
