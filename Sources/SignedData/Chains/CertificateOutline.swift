import StoreModel

/// The positions of the parts of an encoded X.509 certificate (RFC 5280, section 4.1) that verification needs.
struct CertificateOutline: Sendable {
  let der: [UInt8]
  let toBeSigned: Range<Int>
  /// The position of the INTEGER's contents.
  let serialNumber: Range<Int>
  let issuer: Range<Int>
  let subject: Range<Int>
  /// The first and the last instant, both inclusive.
  let validity: ClosedRange<StoreDate>
  let publicKeyInfo: Range<Int>
  /// For each extension, the position of its OBJECT IDENTIFIER's contents.
  let extensions: [Range<Int>]
  /// The position of the contents of the signature algorithm's OBJECT IDENTIFIER.
  let signatureAlgorithm: Range<Int>
  let signature: Range<Int>

  /// Reads a certificate. Throws unless `der` is exactly one certificate of at most 64 KiB.
  init(_ der: [UInt8]) throws(TLVFault) {
    guard der.count <= JWSHeader.maximumCertificateBytes else {
      throw TLVFault(offset: 0, reason: "a certificate is too large")
    }
    let parts = try der.withBuffer { (bytes) throws(TLVFault) in try Parts(bytes) }
    self.der = der
    toBeSigned = parts.toBeSigned
    serialNumber = parts.serialNumber
    issuer = parts.issuer
    subject = parts.subject
    validity = parts.validity
    publicKeyInfo = parts.publicKeyInfo
    extensions = parts.extensions
    signatureAlgorithm = parts.signatureAlgorithm
    signature = parts.signature
  }

  func has(_ identifier: ObjectIdentifierBytes) -> Bool {
    extensions.contains { der[$0].elementsEqual(identifier.bytes) }
  }

  /// Whether the issuer's name in this certificate is the subject's name of `other`.
  func isIssued(byNameOf other: CertificateOutline) -> Bool { der[issuer] == other.der[other.subject] }

  private struct Parts {
    let toBeSigned: Range<Int>
    let serialNumber: Range<Int>
    let issuer: Range<Int>
    let subject: Range<Int>
    let validity: ClosedRange<StoreDate>
    let publicKeyInfo: Range<Int>
    var extensions: [Range<Int>] = []
    let signatureAlgorithm: Range<Int>
    let signature: Range<Int>

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(TLVFault) {
      var outer = TLVReader(bytes)
      let certificate = try outer.next(TLVElement.sequence, "a certificate is expected")
      try outer.finish("something follows a certificate")
      var parts = outer.inside(certificate)
      let body = try parts.next(TLVElement.sequence, "a certificate is expected")
      toBeSigned = body.range
      var fields = parts.inside(body)
      if fields.nextTag == TLVElement.context(0) { _ = try fields.next() }
      serialNumber = try fields.next(TLVElement.integer, "a serial number is expected").content
      let innerAlgorithm = try fields.next(TLVElement.sequence, "an algorithm is expected").range
      issuer = try fields.next(TLVElement.sequence, "an issuer is expected").range
      let period = try fields.next(TLVElement.sequence, "a validity is expected")
      subject = try fields.next(TLVElement.sequence, "a subject is expected").range
      publicKeyInfo = try fields.next(TLVElement.sequence, "a public key is expected").range
      validity = try Self.validity(fields.inside(period))
      while !fields.isAtEnd {
        let element = try fields.next()
        if element.tag == TLVElement.context(3) { extensions = try Self.extensions(fields.inside(element)) }
      }
      let outerAlgorithm = try parts.next(TLVElement.sequence, "an algorithm is expected")
      // RFC 5280, section 4.1.1.2. Only the inner one is signed.
      guard bytes[outerAlgorithm.range].elementsEqual(bytes[innerAlgorithm]) else {
        throw parts.fault("the two algorithms of a certificate differ")
      }
      var algorithm = parts.inside(outerAlgorithm)
      signatureAlgorithm = try algorithm.next(TLVElement.objectIdentifier, "an algorithm is expected").content
      let bits = try parts.next(TLVElement.bitString, "a signature is expected").content
      guard !bits.isEmpty, bytes[bits.lowerBound] == 0 else { throw parts.fault("a signature is expected") }
      signature = bits.dropFirst()
      try parts.finish("something follows a certificate's signature")
    }

    private static func validity(_ reader: TLVReader) throws(TLVFault) -> ClosedRange<StoreDate> {
      var reader = reader
      let first = try time(&reader)
      // The certificate is valid until the end of its last second.
      let last = try time(&reader).adding(milliseconds: 999)
      guard first <= last else { throw reader.fault("a certificate ends before it begins") }
      return first...last
    }

    /// Reads a date (RFC 5280, section 4.1.2.5). It has seconds and `Z`, and two digits for years up to 2049.
    private static func time(_ reader: inout TLVReader) throws(TLVFault) -> StoreDate {
      let element = try reader.next()
      let text = reader.slice(element.content)
      let isShort = element.tag == TLVElement.utcTime
      guard isShort || element.tag == TLVElement.generalizedTime, text.count == (isShort ? 13 : 15),
        text.last == UInt8(ascii: "Z"), text.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
      else { throw reader.fault("a date is expected") }
      func pair(_ index: Int) -> Int { Int(text[index] - 0x30) * 10 + Int(text[index + 1] - 0x30) }
      var time = CivilTime()
      let start = isShort ? 2 : 4
      time.year = isShort ? (pair(0) < 50 ? 2000 : 1900) + pair(0) : pair(0) * 100 + pair(2)
      (time.month, time.day) = (pair(start), pair(start + 2))
      (time.hour, time.minute, time.second) = (pair(start + 4), pair(start + 6), pair(start + 8))
      guard let date = time.date else { throw reader.fault("a date is expected") }
      return date
    }

    private static func extensions(_ reader: TLVReader) throws(TLVFault) -> [Range<Int>] {
      var outer = reader
      var list = outer.inside(try outer.next(TLVElement.sequence, "extensions are expected"))
      var identifiers: [Range<Int>] = []
      while !list.isAtEnd {
        var one = list.inside(try list.next(TLVElement.sequence, "an extension is expected"))
        identifiers.append(try one.next(TLVElement.objectIdentifier, "an extension is expected").content)
      }
      return identifiers
    }
  }
}
