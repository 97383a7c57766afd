import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Verifying a JWS", .timeLimit(.minutes(30)))
struct JWSVerificationTests {
  let authority = IssuingAuthority.shared
  let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date)

  private func verifier() throws -> SignedDataVerifier { SignedDataVerifier(anchors: try authority.anchors) }

  @Test("F3 the server can vouch for a purchase without the device: a signed transaction verifies and says the same")
  func accepted() async throws {
    let verified = try await verifier().verifyTransaction(
      try authority.signTransaction(transaction),
      expecting: Expectation(bundleID: SampleRecords.bundleID, environments: [.sandbox]))
    #expect(verified.value == transaction)
    #expect(verified.anchor == SHA256Fingerprint(of: try authority.jwsRootCertificate))
    #expect(verified.checkedDate == transaction.signedDate)
  }

  @Test("a root known by fingerprint only is taken from the data")
  func fingerprint() async throws {
    let anchors = TrustAnchors(fingerprints: [SHA256Fingerprint(of: try authority.jwsRootCertificate)])
    let verified = try await SignedDataVerifier(anchors: anchors).verifyTransaction(
      try authority.signTransaction(transaction))
    #expect(verified.value == transaction)
  }

  @Test("with the root at hand, what the data carries in its place does not matter")
  func thirdCertificateIgnored() async throws {
    let chain = try CustomChain(.p384, leafKind: .p256)
    let jws = try compactJWS(
      transaction.payloadBytes(), certificates: [chain.leaf.der, chain.intermediate.der, [1, 2, 3]], key: chain.leaf.key
    )
    let verified = try await SignedDataVerifier(anchors: TrustAnchors(certificates: [chain.root.der]))
      .verifyTransaction(jws)
    #expect(verified.value == transaction)
    let byFingerprint = TrustAnchors(fingerprints: [SHA256Fingerprint(of: chain.root.der)])
    #expect(await refusal { try await SignedDataVerifier(anchors: byFingerprint).verifyTransaction(jws) } == .chain)
  }

  @Test(
    "structure: what is not a JWS by ES256 with three certificates",
    arguments: [
      "", ".", "..", "a.b", "a.b.c.d", "e30.e30.", "!!.e30.AA", "not a jws",
    ])
  func structure(text: String) async throws {
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyTransaction(text) } == .structure)
  }

  @Test("structure: another algorithm, another number of certificates, demands that are not known")
  func headers() async throws {
    let verifier = try verifier()
    let (leaf, payload) = (try authority.jwsSigner(at: SampleRecords.date).leaf, transaction.payloadBytes())
    let good = [leaf.der, try authority.jwsIntermediateCertificate, try authority.jwsRootCertificate]
    for algorithm in ["none", "HS256", "es256", "ES384", "RS256"] {
      let jws = try compactJWS(payload, algorithm: algorithm, certificates: good, key: leaf.key)
      #expect(await refusal { try await verifier.verifyTransaction(jws) } == .structure, "\(algorithm)")
    }
    for count in [0, 2, 4, 9] {
      let certificates = (0..<count).map { good[$0 % 3] }
      let jws = try compactJWS(payload, certificates: certificates, key: leaf.key)
      #expect(await refusal { try await verifier.verifyTransaction(jws) } == .structure, "\(count)")
    }
    let critical = try compactJWS(payload, certificates: good, key: leaf.key, extra: #","crit":["b64"],"b64":false"#)
    #expect(await refusal { try await verifier.verifyTransaction(critical) } == .structure)
    let garbage = try compactJWS(payload, certificates: [[1], [2], [3]], key: leaf.key)
    #expect(await refusal { try await verifier.verifyTransaction(garbage) } == .structure)
    #expect(
      try await verifier.verifyTransaction(try compactJWS(payload, certificates: good, key: leaf.key)).value
        == transaction)
  }

  @Test("chain: another authority's data, G6 a forged one, is refused whatever names its certificates bear")
  func unknownRoot() async throws {
    let forged = try IssuingAuthority().signTransaction(transaction)
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyTransaction(forged) } == .chain)
    #expect(await refusal { try await SignedDataVerifier(anchors: .apple).verifyTransaction(forged) } == .chain)
    #expect(await refusal { try await SignedDataVerifier(anchors: TrustAnchors()).verifyTransaction(forged) } == .chain)
  }

  @Test("chain: a leaf that plays the intermediate, a root that signs directly, a key that is not P-256")
  func badPaths() async throws {
    let payload = transaction.payloadBytes()
    let leafAsIssuer = try CustomChain(.p384, leafKind: .p256, intermediateRole: .leaf)
    #expect(await refusal { try await verify(leafAsIssuer.jws(payload), leafAsIssuer) } == .chain)
    let wrongKey = try CustomChain(.p384)
    #expect(await refusal { try await verify(wrongKey.jws(payload), wrongKey) } == .chain)
    let chain = try CustomChain(.p256)
    let direct = try compactJWS(
      payload, certificates: [chain.intermediate.der, chain.root.der, chain.root.der], key: chain.intermediate.key)
    #expect(await refusal { try await verify(direct, chain) } == .chain)
    let rootAlone = try compactJWS(payload, certificates: [chain.root.der], key: chain.root.key)
    #expect(await refusal { try await verify(rootAlone, chain) } == .chain)
  }

  @Test("marker: a good chain made for something else")
  func markers() async throws {
    let payload = transaction.payloadBytes()
    let plainLeaf = try CustomChain(.p256, leafMarkers: [])
    #expect(await refusal { try await verify(plainLeaf.jws(payload), plainLeaf) } == .marker)
    let otherLeaf = try CustomChain(.p256, leafMarkers: [ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 11, 2)])
    #expect(await refusal { try await verify(otherLeaf.jws(payload), otherLeaf) } == .marker)
    let developerID = try CustomChain(
      .p256, intermediateMarkers: [ObjectIdentifierBytes(1, 2, 840, 113635, 100, 6, 2, 6)])
    #expect(await refusal { try await verify(developerID.jws(payload), developerID) } == .marker)
  }

  @Test("date: signed when a certificate was not valid")
  func dates() async throws {
    let late = try CustomChain(.p256, leafPeriod: .leaf(windowYear: 2022))
    #expect(await refusal { try await verify(late.jws(transaction.payloadBytes()), late) } == .date)
    let jws = try authority.signTransaction(transaction)
    let verifier = try verifier()
    let twoYears = SampleRecords.date.adding(seconds: 2 * 365 * 86_400)
    #expect(await refusal { try await verifier.verifyPayload(jws, at: twoYears) } == .date)
    #expect(try await verifier.verifyPayload(jws, at: nil).checkedDate == SampleRecords.date)
  }

  @Test("signature: content altered after it was signed, G6 a forged one")
  func signature() async throws {
    let verifier = try verifier()
    let parts = try authority.signTransaction(transaction).split(separator: ".")
    var richer = transaction
    richer.quantity = 1000
    let forged = [parts[0], Substring(Base64.text(richer.payloadBytes(), .url)), parts[2]].joined(separator: ".")
    #expect(await refusal { try await verifier.verifyTransaction(forged) } == .signature)
    let zero = [parts[0], parts[1], Substring(Base64.text([UInt8](repeating: 0, count: 64), .url))]
    #expect(await refusal { try await verifier.verifyTransaction(zero.joined(separator: ".")) } == .signature)
  }

  @Test("bundle, environment, device: G6 genuine, but another app's, another store's, another device's")
  func expectations() async throws {
    let verifier = try verifier()
    let jws = try authority.signTransaction(transaction)
    #expect(
      await refusal { try await verifier.verifyTransaction(jws, expecting: .init(bundleID: "com.example.x")) }
        == .bundle)
    #expect(
      await refusal { try await verifier.verifyTransaction(jws, expecting: .init(environments: [.production])) }
        == .environment)
    #expect(
      await refusal { try await verifier.verifyTransaction(jws, expecting: .init(environments: [])) } == .environment)
    #expect(
      await refusal { try await verifier.verifyTransaction(jws, expecting: .init(device: SampleRecords.device)) }
        == .device)
    var bound = transaction
    bound.deviceVerificationNonce = UUID()
    bound.deviceVerification = SampleRecords.device.verification(nonce: try #require(bound.deviceVerificationNonce))
    let boundJWS = try authority.signTransaction(bound)
    let expectation = Expectation(device: SampleRecords.device)
    #expect(try await verifier.verifyTransaction(boundJWS, expecting: expectation).value == bound)
    let other = Expectation(device: .vendorIdentifier(UUID()))
    #expect(await refusal { try await verifier.verifyTransaction(boundJWS, expecting: other) } == .device)
  }

  @Test("Xcode's single certificate passes if it is trusted by itself, and for Xcode's environment only")
  func selfSigned() async throws {
    let chain = try CustomChain(.p256)
    let anchors = TrustAnchors(selfSignedFingerprints: [SHA256Fingerprint(of: chain.root.der)])
    let verifier = SignedDataVerifier(anchors: anchors)
    let xcode = SignedTransaction(record: SampleRecords.credits(environment: .xcode), signedDate: SampleRecords.date)
    let good = try compactJWS(xcode.payloadBytes(), certificates: [chain.root.der], key: chain.root.key)
    #expect(try await verifier.verifyTransaction(good).value == xcode)
    let claimed = try compactJWS(transaction.payloadBytes(), certificates: [chain.root.der], key: chain.root.key)
    #expect(await refusal { try await verifier.verifyTransaction(claimed) } == .environment)
    #expect(await refusal { try await verifier.verifyPayload(claimed) } == .environment)
    #expect(try await verifier.verifyPayload(good).value.payload == xcode.payloadBytes())
    let untrusted = try self.verifier()
    #expect(await refusal { try await untrusted.verifyTransaction(good) } == .chain)
  }

  @Test("any payload is verified at its signedDate, else its receiptCreationDate, and handed out unread")
  func payloads() async throws {
    let verifier = try verifier()
    let milliseconds = SampleRecords.date.millisecondsSince1970
    for name in ["signedDate", "receiptCreationDate"] {
      let payload = Array("{\"\(name)\":\(milliseconds),\"x\":[1,2]}".utf8)
      let verified = try await verifier.verifyPayload(
        try authority.signJWS(payload: payload, at: SampleRecords.date), at: nil)
      #expect(verified.value.payload == payload)
      #expect(verified.value.header.algorithm == "ES256" && verified.value.header.certificates.count == 3)
      #expect(verified.checkedDate == SampleRecords.date)
    }
    let undated = try authority.signJWS(payload: Array("{}".utf8), at: SampleRecords.date)
    #expect(await refusal { try await verifier.verifyPayload(undated, at: nil) } == .structure)
    #expect(try await verifier.verifyPayload(undated, at: SampleRecords.date).value.payload == Array("{}".utf8))
  }

  @Test("reading without believing shows header, payload and signature")
  func unverified() throws {
    let jws = try UnverifiedJWS(try authority.signTransaction(transaction))
    #expect(jws.contents.header.certificates[2] == (try authority.jwsRootCertificate))
    #expect(try jws.transaction() == transaction)
    #expect(jws.signature.count == 64)
  }

  private func verify(_ jws: String, _ chain: CustomChain) async throws -> Verified<SignedTransaction> {
    try await SignedDataVerifier(anchors: TrustAnchors(certificates: [chain.root.der])).verifyTransaction(jws)
  }
}
