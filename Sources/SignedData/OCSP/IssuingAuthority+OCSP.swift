import Crypto
import StoreModel

extension IssuingAuthority {
  /// The status of the certificates that `request` asks for. Every certificate that this authority has issued is good, also one
  /// of an earlier run, or for another address.
  ///
  /// - Parameter date: the date of the machine.
  package func statuses(
    _ request: OCSPRequest, at date: StoreDate
  ) throws(IssuingError) -> OCSPAnswer {
    var issuers: [OCSPIssuerHashes: IssuedCertificates] = [:]
    for issuer in Issuer.allCases where issuer != .tlsRoot && identities.holds(issuer.rawValue) {
      let (identity, issued) = (try identity(of: issuer), try IssuedCertificates(issuer, self))
      for hash in Set(request.certificates.compactMap(\.hash)) { issuers[OCSPIssuerHashes(identity, hash)] = issued }
    }
    let certificates = request.certificates.map { id in
      let issued = id.hash.flatMap {
        issuers[OCSPIssuerHashes(hash: $0, name: id.issuerNameHash, key: id.issuerKeyHash)]
      }
      return CertificateStatus(
        id: id, issuer: issued?.issuer, status: issued?.contains(id.serialNumber) == true ? .good : .unknown)
    }
    guard certificates.contains(where: { $0.issuer != nil }) else {
      return .error(.unauthorized, reason: "this store has not issued the issuers of the certificates")
    }
    let second = date.wholeSeconds
    return .statuses(
      CertificateStatuses(
        certificates: certificates, thisUpdate: second,
        nextUpdate: second.adding(seconds: CertificateStatuses.validSeconds), nonce: request.nonce))
  }

  /// The OCSP response (RFC 6960, section 4.2) with `answer`, in DER.
  ///
  /// It is signed by a responder that the issuer of the certificates has authorised (section 4.2.2.2), and contains that
  /// responder's certificate. Apple's library for Node refuses answers that the issuer itself has signed. The responder is
  /// identified by the hash of its key, because the library for Python never recognises a name. There is one key, with a
  /// certificate of each issuer, so that one answer can have certificates of several issuers.
  ///
  /// - Parameter date: the date of the machine.
  package func response(_ answer: OCSPAnswer, at date: StoreDate) throws(IssuingError) -> [UInt8] {
    switch answer {
    case .error(let error, _): return DERWriter.sequence([Self.responseStatus(error.rawValue)])
    case .statuses(let statuses):
      let basic = DERWriter.sequence([
        DERWriter.identifier(.basicOCSPResponse), DERWriter.octetString(try signed(statuses, at: date)),
      ])
      return DERWriter.sequence([Self.responseStatus(0), DERWriter.element(TLVElement.context(0), basic)])
    }
  }

  private func signed(_ statuses: CertificateStatuses, at date: StoreDate) throws(IssuingError) -> [UInt8] {
    let key = try identities.unstoredKey("ocsp-responder", .p256)
    guard case .p256(let signingKey) = key else { throw .signing(reason: "the responder's key is not P-256") }
    var certificates: [[UInt8]] = []
    var included: Set<Issuer> = []
    for case let issuer? in statuses.certificates.map(\.issuer) where included.insert(issuer).inserted {
      certificates.append(try responder(key, of: issuer, at: date).der)
    }
    let data = Self.responseData(
      statuses, keyHash: Array(Insecure.SHA1.hash(data: signingKey.publicKey.x963Representation)))
    let signature: [UInt8]
    do { signature = Array(try signingKey.signature(for: data).derRepresentation) } catch {
      throw .signing(reason: "\(error)")
    }
    return DERWriter.sequence([
      data, DERWriter.sequence([DERWriter.identifier(.ecdsaWithSHA256)]),
      DERWriter.element(TLVElement.bitString, [0] + signature),
      DERWriter.element(TLVElement.context(0), DERWriter.sequence(certificates)),
    ])
  }

  private func responder(
    _ key: IssuingKey, of issuer: Issuer, at date: StoreDate
  ) throws(IssuingError) -> Identity {
    let period = CertificatePeriod.leaf(windowYear: try CertificatePeriod.windowYear(of: date)).covering(date)
    var profile = CertificateProfile(commonName: "OpenStoreKit Emulator OCSP Responder", role: .leaf, period: period)
    profile.isOCSPResponder = true
    return try identities.certified(key, named: "ocsp-responder", by: try identity(of: issuer), profile)
  }

  private static func responseData(_ statuses: CertificateStatuses, keyHash: [UInt8]) -> [UInt8] {
    var buffer = DERBuffer(capacity: 256 * (1 + statuses.certificates.count))
    buffer.element(TLVElement.sequence) { data in
      data.append(DERWriter.element(TLVElement.context(2), DERWriter.octetString(keyHash)))
      data.append(time(statuses.thisUpdate))
      data.element(TLVElement.sequence) { list in
        for certificate in statuses.certificates { list.append(singleResponse(certificate, statuses)) }
      }
      if let nonce = statuses.nonce {
        let item = DERWriter.sequence([DERWriter.identifier(.ocspNonce), DERWriter.octetString(nonce)])
        data.append(DERWriter.element(TLVElement.context(1), DERWriter.sequence([item])))
      }
    }
    return buffer.bytes
  }

  private static func singleResponse(_ certificate: CertificateStatus, _ statuses: CertificateStatuses) -> [UInt8] {
    let status: [UInt8] =
      switch certificate.status {
      case .good: [0x80, 0x00]
      case .revoked: DERWriter.element(TLVElement.context(1), time(statuses.thisUpdate))
      case .unknown: [0x82, 0x00]
      }
    return DERWriter.sequence([
      certificate.id.der, status, time(statuses.thisUpdate),
      DERWriter.element(TLVElement.context(0), time(statuses.nextUpdate)),
    ])
  }

  /// A GeneralizedTime of whole seconds, such as `20261127140000Z`.
  private static func time(_ date: StoreDate) -> [UInt8] {
    let text = RFC3339.text(date).filter { !"-T:".contains($0) }
    return DERWriter.element(TLVElement.generalizedTime, Array(text.utf8))
  }

  private static func responseStatus(_ value: UInt8) -> [UInt8] { [0x0A, 0x01, value] }
}

/// The certificates of one issuer.
private struct IssuedCertificates {
  let issuer: Issuer
  private let numbers: SerialNumbers
  /// The serial numbers of its stored certificates. An older version has made them by chance.
  private let stored: [[UInt8]]

  init(_ issuer: Issuer, _ authority: IssuingAuthority) throws(IssuingError) {
    self.issuer = issuer
    numbers = SerialNumbers(try authority.storedIdentity(of: issuer).key)
    var stored: [[UInt8]] = []
    for child in Issuer.allCases where child.parent == issuer && authority.identities.holds(child.rawValue) {
      let outline = try authority.storedIdentity(of: child).outline
      stored.append(Array(outline.der[outline.serialNumber]))
    }
    self.stored = stored
  }

  func contains(_ serialNumber: [UInt8]) -> Bool { numbers.contains(serialNumber) || stored.contains(serialNumber) }
}

/// The hashes by which a CertID names an issuer.
private struct OCSPIssuerHashes: Hashable {
  let hash: CertificateIDHash
  let name: [UInt8]
  let key: [UInt8]

  init(hash: CertificateIDHash, name: [UInt8], key: [UInt8]) { (self.hash, self.name, self.key) = (hash, name, key) }

  init(_ identity: Identity, _ hash: CertificateIDHash) {
    let outline = identity.outline
    self.init(
      hash: hash, name: hash(Array(outline.der[outline.subject])),
      key: hash(Array(identity.certificate.publicKey.subjectPublicKeyInfoBytes)))
  }
}
