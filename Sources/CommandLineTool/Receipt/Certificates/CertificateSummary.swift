import SignedData

/// What a certificate (RFC 5280, section 4.1) says about itself, for showing.
struct CertificateSummary: Equatable {
  let subject: DistinguishedName
  let issuer: DistinguishedName
  /// RFC 3339, first and last instant; as they are written if they are no dates.
  let notBefore: String
  let notAfter: String
  let fingerprint: SHA256Fingerprint

  /// Whether it names itself as its issuer. Who signed it is not looked at.
  var isSelfIssued: Bool { subject == issuer }

  /// Nil unless `der` is one certificate and nothing else.
  init?(_ der: [UInt8]) {
    var outer = DERCursor(der[...])
    guard var certificate = outer.enter(0x30), outer.isAtEnd, var body = certificate.enter(0x30) else { return nil }
    body.skip(0xA0)
    guard body.next()?.tag == 0x02, body.next()?.tag == 0x30, let issuer = body.next(), issuer.tag == 0x30,
      var validity = body.enter(0x30), let first = validity.next(), let last = validity.next(),
      let subject = body.next(), subject.tag == 0x30, body.next()?.tag == 0x30
    else { return nil }
    self.subject = DistinguishedName(subject.content)
    self.issuer = DistinguishedName(issuer.content)
    notBefore = Self.date(first)
    notAfter = Self.date(last)
    fingerprint = SHA256Fingerprint(of: der)
  }

  /// The common name, or all of the subject if it has none.
  var name: String { subject.commonName ?? subject.description }

  /// RFC 5280, section 4.1.2.5: two digits of the year up to 2049, four after that.
  private static func date(_ element: DERCursor.Element) -> String {
    let text = String(decoding: element.content, as: UTF8.self)
    let isShort = element.tag == 0x17
    guard element.content.count == (isShort ? 13 : 15), text.hasSuffix("Z"),
      element.content.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
    else { return text }
    let digits = Array(isShort ? (text < "5" ? "20" : "19") + text : text)
    func part(_ range: Range<Int>) -> String { String(digits[range]) }
    return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z"
  }
}
