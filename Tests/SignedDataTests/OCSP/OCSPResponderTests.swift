import Foundation
import StoreModel
import Testing

@testable import SignedData

/// An authority with an address in its certificates, and openssl as its client.
private struct OCSPScene {
  let folder: ScratchFolder
  let authority: IssuingAuthority
  let now = StoreDate(Date())
  let chain: [Identity]

  init(
    _ base: IssuingAuthority = .shared, port: Int = 8080, chain: SigningChain = .valid, isReceipt: Bool = false
  ) throws {
    folder = try ScratchFolder()
    let (now, address) = (now, URL(string: "http://127.0.0.1:\(port)/ocsp"))
    authority = base.issuing { IssuingContext(wallDate: now, ocspResponder: address) }
    self.chain =
      isReceipt
      ? try authority.receiptSigner(at: now, chain).chain
      : [
        try authority.jwsSigner(at: now, chain).leaf,
        try authority.identity(of: chain.issuer(insteadOf: .jwsIntermediate)),
        try authority.identity(of: .jwsRoot),
      ]
    for (name, identity) in zip(["leaf", "intermediate", "root"], self.chain) {
      try folder.writeCertificates("\(name).pem", [identity.der])
    }
  }

  /// Writes a request of openssl to `request.der`, and reads it.
  func request(_ arguments: String...) async throws -> OCSPRequest {
    let outcome = try await folder.run("openssl", ["ocsp", "-reqout", "request.der"] + arguments)
    #expect(outcome.status == 0, "\(outcome.output)")
    return try OCSPRequest(Array(try folder.data("request.der")))
  }

  func answer(_ request: OCSPRequest, by other: IssuingAuthority? = nil) throws -> OCSPAnswer {
    try (other ?? authority).statuses(request, at: now)
  }

  /// What openssl says of an answer. It checks the signature, the responder's certificate and the dates.
  func judgement(
    _ answer: OCSPAnswer, by other: IssuingAuthority? = nil, issuer: String, _ arguments: String...
  ) async throws -> String {
    try folder.write("answer.der", try (other ?? authority).response(answer, at: now))
    return try await folder.run(
      "openssl",
      ["ocsp", "-respin", "answer.der", "-no_nonce", "-issuer", "\(issuer).pem"] + arguments
        + ["-CAfile", "root.pem", "-verify_other", "intermediate.pem"]
    ).output
  }
}

@Suite("The status of certificates, as openssl reads it", .timeLimit(.minutes(30)))
struct OCSPResponderTests {
  @Test(
    "leaf and intermediate of transactions and of receipts are good, by either hash, and the nonce is repeated",
    arguments: [false, true], ["-sha1", "-sha256", "-sha384", "-sha512"])
  func good(isReceipt: Bool, hash: String) async throws {
    let scene = try OCSPScene(isReceipt: isReceipt)
    for (name, issuer) in [("leaf", "intermediate"), ("intermediate", "root")] {
      let request = try await scene.request(hash, "-issuer", "\(issuer).pem", "-cert", "\(name).pem", "-nonce")
      let nonce = Hexadecimal.text(of: try #require(request.nonce))
      let text = try await scene.judgement(
        try scene.answer(request), issuer: issuer, hash, "-cert", "\(name).pem", "-resp_text")
      #expect(text.contains("Response verify OK"), "\(text)")
      #expect(text.contains("\(name).pem: good"), "\(text)")
      #expect(text.contains(nonce), "\(text)")
      #expect(text.contains("Responder Id: ") && text.contains("OCSP Signing") && text.contains("OCSP No Check"))
    }
  }

  @Test("an answer without a nonce in its request has none, and is valid for an hour of the machine's time")
  func dates() async throws {
    let scene = try OCSPScene()
    let request = try await scene.request("-issuer", "intermediate.pem", "-cert", "leaf.pem", "-no_nonce")
    guard case .statuses(let statuses) = try scene.answer(request) else {
      Issue.record("no statuses")
      return
    }
    #expect(statuses.nonce == nil)
    #expect(statuses.thisUpdate == scene.now.wholeSeconds)
    #expect(statuses.nextUpdate == scene.now.wholeSeconds.adding(seconds: 3_600))
  }

  @Test("one request can ask for several certificates, of several issuers; each has its own status")
  func several() async throws {
    let scene = try OCSPScene()
    let leaf = try await scene.request("-issuer", "intermediate.pem", "-cert", "leaf.pem").certificates
    let intermediate = try await scene.request("-issuer", "root.pem", "-cert", "intermediate.pem").certificates
    let several = try await scene.request(
      "-issuer", "intermediate.pem", "-cert", "leaf.pem", "-serial", "0x1234", "-issuer", "root.pem", "-cert",
      "intermediate.pem")
    guard case .statuses(let statuses) = try scene.answer(several) else {
      Issue.record("no statuses")
      return
    }
    #expect(statuses.certificates.map(\.id) == [leaf[0], several.certificates[1], intermediate[0]])
    #expect(statuses.certificates.map(\.status) == [.good, .unknown, .good])
    #expect(statuses.certificates.map(\.kind) == [.leaf, .leaf, .intermediate])
    // openssl accepts an answer for one issuer only.
    let two = try await scene.request("-issuer", "intermediate.pem", "-cert", "leaf.pem", "-serial", "0x1234")
    let text = try await scene.judgement(
      try scene.answer(two), issuer: "intermediate", "-cert", "leaf.pem", "-serial", "0x1234")
    #expect(text.contains("leaf.pem: good") && text.contains("0x1234: unknown"), "\(text)")
  }

  @Test("revoked is revoked, and out of date is out of date")
  func revoked() async throws {
    let scene = try OCSPScene()
    let request = try await scene.request("-issuer", "intermediate.pem", "-cert", "leaf.pem")
    guard case .statuses(var statuses) = try scene.answer(request) else {
      Issue.record("no statuses")
      return
    }
    statuses.revoke(.intermediate)
    #expect(statuses.certificates.map(\.status) == [.good])
    statuses.revoke(.leaf)
    let revoked = try await scene.judgement(.statuses(statuses), issuer: "intermediate", "-cert", "leaf.pem")
    #expect(revoked.contains("Response verify OK") && revoked.contains("leaf.pem: revoked"), "\(revoked)")
    statuses.age(seconds: 90_000)
    let stale = try await scene.judgement(.statuses(statuses), issuer: "intermediate", "-cert", "leaf.pem")
    #expect(stale.contains("Status times invalid") && stale.contains("status expired"), "\(stale)")
  }

  @Test("about certificates of another authority, even of the same names, the responder is not authorised to speak")
  func unauthorized() async throws {
    let (scene, other) = (try OCSPScene(), IssuingAuthority())
    // The other authority has its own issuers of these names.
    try other.prepare(at: scene.now)
    let request = try await scene.request("-issuer", "intermediate.pem", "-cert", "leaf.pem")
    let answer = try scene.answer(request, by: other)
    guard case .error(.unauthorized, _) = answer else {
      Issue.record("\(answer)")
      return
    }
    let text = try await scene.judgement(answer, by: other, issuer: "intermediate", "-cert", "leaf.pem")
    #expect(text.contains("Responder Error: unauthorized (6)"), "\(text)")
  }

  @Test("certificates of an earlier run, and for another address, are known without a list of them")
  func laterRun() async throws {
    let keys = try ScratchFolder()
    let directory = keys.url.appending(path: "keys")
    let first = try OCSPScene(try IssuingAuthority(keyDirectory: directory), port: 8080)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    let second = try OCSPScene(try IssuingAuthority(keyDirectory: directory), port: 8081)
    #expect(second.chain.map(\.der)[..<2] != first.chain.map(\.der)[..<2])
    #expect(second.chain.map(\.certificate.publicKey) == first.chain.map(\.certificate.publicKey))
    #expect(second.chain[2].der == first.chain[2].der)
    for (name, issuer) in [("leaf", "intermediate"), ("intermediate", "root")] {
      let request = try await first.request("-issuer", "\(issuer).pem", "-cert", "\(name).pem")
      let text = try await first.judgement(
        try first.answer(request, by: second.authority), by: second.authority, issuer: issuer, "-cert", "\(name).pem")
      #expect(text.contains("\(name).pem: good") && text.contains("Response verify OK"), "\(text)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == files)
  }

  @Test("an intermediate that the version before has stored is known, although its serial number is a chance one")
  func olderDirectory() async throws {
    let before = try VersionBefore("store")
    let authority = try IssuingAuthority(keyDirectory: before.folder.appending(path: "keys"))
    let (root, stored) = (try authority.identity(of: .jwsRoot), try authority.identity(of: .jwsIntermediate))
    #expect(!SerialNumbers(root.key).contains(Array(stored.der[stored.outline.serialNumber])))
    let scene = try OCSPScene(authority)
    try scene.folder.writeCertificates("stored.pem", [stored.der])
    let request = try await scene.request("-issuer", "root.pem", "-cert", "stored.pem", "-serial", "7")
    guard case .statuses(let statuses) = try scene.answer(request) else {
      Issue.record("no statuses")
      return
    }
    #expect(statuses.certificates.map(\.status) == [.good, .unknown])
  }

  @Test("an issuer recognises its serial numbers, and no others; the same certificate has the same number")
  func serialNumbers() throws {
    let numbers = SerialNumbers(try IssuingKey.generate(.p256))
    let number = numbers.number(of: "a leaf")
    #expect(numbers.contains(number))
    #expect(number == numbers.number(of: "a leaf") && number != numbers.number(of: "another leaf"))
    for index in number.indices {
      var other = number
      other[index] ^= 1
      #expect(!numbers.contains(other))
    }
    #expect(!numbers.contains(Array(number.dropLast())))
    #expect(!SerialNumbers(try IssuingKey.generate(.p256)).contains(number))
  }

  @Test("a rotated intermediate is another one under the same root; what it signs is verified, and its status is good")
  func rotated() async throws {
    let (usual, scene) = (try OCSPScene(), try OCSPScene(chain: .rotatedIntermediate))
    #expect(scene.chain[1].certificate.publicKey != usual.chain[1].certificate.publicKey)
    #expect(scene.chain[1].certificate.subject != usual.chain[1].certificate.subject)
    #expect(scene.chain[2].der == usual.chain[2].der)
    for (name, issuer) in [("leaf", "intermediate"), ("intermediate", "root")] {
      let request = try await scene.request("-issuer", "\(issuer).pem", "-cert", "\(name).pem")
      let text = try await scene.judgement(try scene.answer(request), issuer: issuer, "-cert", "\(name).pem")
      #expect(text.contains("\(name).pem: good") && text.contains("Response verify OK"), "\(text)")
    }
    let verifier = SignedDataVerifier(anchors: try scene.authority.anchors)
    let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: scene.now)
    let signed = try scene.authority.signTransaction(transaction, chain: .rotatedIntermediate)
    #expect(try await verifier.verifyTransaction(signed).value == transaction)
    let receipt = SampleRecords.receipt(listing: [], at: scene.now)
    _ = try await verifier.verifyAppReceipt(
      try scene.authority.signAppReceipt(receipt, at: scene.now, chain: .rotatedIntermediate))
  }

  @Test("the request in the path of GET: with and without percent-encoding of the characters of base64")
  func path() async throws {
    let scene = try OCSPScene()
    let request = try await scene.request("-issuer", "intermediate.pem", "-cert", "leaf.pem", "-nonce")
    let text = try scene.folder.data("request.der").base64EncodedString()
    let encoded = text.replacingOccurrences(of: "+", with: "%2B").replacingOccurrences(of: "/", with: "%2f")
      .replacingOccurrences(of: "=", with: "%3D")
    #expect(try OCSPRequest(path: text) == request)
    #expect(try OCSPRequest(path: encoded) == request)
    for wrong in [
      "", "%", "%zz", text.dropLast(1) + "!", text + "A", encoded.replacingOccurrences(of: "%2B", with: " "),
    ]
    where wrong != encoded {
      #expect(throws: OCSPFault.self) { try OCSPRequest(path: wrong) }
    }
  }
}

@Suite("OCSP requests made to do harm", .timeLimit(.minutes(30)))
struct HostileOCSPTests {
  private static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    DERWriter.element(tag, Array(parts.joined()))
  }

  private static func certificateID(_ number: [UInt8] = [1], hash: ObjectIdentifierBytes = .sha1) -> [UInt8] {
    element(
      0x30, DERWriter.sequence([DERWriter.identifier(hash), [0x05, 0x00]]), DERWriter.octetString([1, 2]),
      DERWriter.octetString([3, 4]), element(0x02, number))
  }

  private static func request(_ ids: [[UInt8]], extensions: [UInt8] = [], version: [UInt8] = []) -> [UInt8] {
    element(0x30, element(0x30, version, element(0x30, Array(ids.map { element(0x30, $0) }.joined())), extensions))
  }

  private static func nonce(
    _ length: Int, critical: Bool = false, identifier: ObjectIdentifierBytes = .ocspNonce
  ) -> [UInt8] {
    element(
      0xA2,
      element(
        0x30,
        element(
          0x30, DERWriter.identifier(identifier), critical ? [0x01, 0x01, 0xFF] : [],
          DERWriter.octetString(DERWriter.octetString([UInt8](repeating: 7, count: length))))))
  }

  @Test("a request that is cut off, has bytes after it, or lacks a part is refused at each byte")
  func damaged() throws {
    let whole = Self.request([Self.certificateID(), Self.certificateID([2])], extensions: Self.nonce(16))
    #expect(try OCSPRequest(whole).certificates.map(\.serialNumber) == [[1], [2]])
    for length in whole.indices { #expect(throws: OCSPFault.self) { try OCSPRequest(Array(whole[..<length])) } }
    #expect(throws: OCSPFault.self) { try OCSPRequest(whole + [0]) }
    for index in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[index] ^= 1 << bit
        _ = try? OCSPRequest(changed)
      }
    }
  }

  @Test("versions, critical extensions, nonces and lists that are not allowed are refused; what is optional is skipped")
  func rules() throws {
    let id = Self.certificateID()
    _ = try OCSPRequest(Self.request([id], version: Self.element(0xA0, DERWriter.integer(0))))
    #expect(throws: OCSPFault.self) {
      try OCSPRequest(Self.request([id], version: Self.element(0xA0, DERWriter.integer(1))))
    }
    #expect(throws: OCSPFault.self) { try OCSPRequest(Self.request([])) }
    #expect(try OCSPRequest(Self.request([id], extensions: Self.nonce(128))).nonce?.count == 131)
    #expect(throws: OCSPFault.self) { try OCSPRequest(Self.request([id], extensions: Self.nonce(129))) }
    _ = try OCSPRequest(Self.request([id], extensions: Self.nonce(8, critical: true)))
    _ = try OCSPRequest(Self.request([id], extensions: Self.nonce(8, identifier: .data)))
    #expect(throws: OCSPFault.self) {
      try OCSPRequest(Self.request([id], extensions: Self.nonce(8, critical: true, identifier: .data)))
    }
    // A signature and a requester's name.
    let signed = Self.element(
      0x30,
      Self.element(0x30, Self.element(0xA1, [0x05, 0x00]), Self.element(0x30, Self.element(0x30, id))),
      Self.element(0xA0, Self.element(0x30, [0x05, 0x00])))
    #expect(try OCSPRequest(signed).certificates.count == 1)
    #expect(try OCSPRequest(Self.request([Self.certificateID(hash: .data)])).certificates.map(\.hash) == [nil])
  }

  @Test("a CertID that is no DER is refused, because an answer repeats its bytes")
  func damagedIdentifiers() throws {
    func request(
      algorithm: [UInt8] = DERWriter.identifier(.sha1), parameters: [UInt8] = [], number: [UInt8] = [1]
    ) throws -> OCSPRequest {
      try OCSPRequest(
        Self.request([
          Self.element(
            0x30, Self.element(0x30, algorithm, parameters), DERWriter.octetString([1, 2]),
            DERWriter.octetString([3, 4]), Self.element(0x02, number))
        ]))
    }
    for parameters: [UInt8] in [[], [0x05, 0x00]] { _ = try request(parameters: parameters) }
    for parameters: [UInt8] in [
      [0x05], [0x05, 0xBC], [0x05, 0x45], [0x05, 0x01, 0x00], [0x05, 0x81, 0x00], [0x3E, 0x00], [0x30, 0x00],
      [0x05, 0x00, 0x05, 0x00],
    ] {
      #expect(throws: OCSPFault.self, "\(parameters)") { try request(parameters: parameters) }
    }
    for identifier: [UInt8] in [[], [0x80], [0x2B, 0x80, 0x01], [0x2B, 0x8E]] {
      #expect(throws: OCSPFault.self, "\(identifier)") { try request(algorithm: Self.element(0x06, identifier)) }
    }
    for number: [UInt8] in [[0], [0x80], [0, 0x80], [0xFF, 0x7F]] { _ = try request(number: number) }
    for number: [UInt8] in [[], [0, 0], [0, 0x7F], [0xFF, 0x80]] {
      #expect(throws: OCSPFault.self, "\(number)") { try request(number: number) }
    }
  }

  @Test("depth costs no stack, and size beyond the limit is refused before anything is read")
  func depth() {
    var deep: [UInt8] = []
    for _ in 0..<4_000 { deep = [0x30, 0x82, UInt8(deep.count >> 8), UInt8(deep.count & 0xFF)] + deep }
    #expect(throws: OCSPFault.self) { try OCSPRequest(Array(deep.prefix(OCSPRequest.maximumBytes))) }
    let large = Self.request(Array(repeating: Self.certificateID(), count: 2_000))
    #expect(large.count > OCSPRequest.maximumBytes)
    #expect(throws: OCSPFault.self) { try OCSPRequest(large) }
    #expect(throws: OCSPFault.self) { try OCSPRequest(path: String(repeating: "A", count: 1 << 20)) }
  }

  @Test("the longest request gets an answer in proportion to its size, with one signature")
  func manyCertificates() throws {
    let authority = IssuingAuthority.shared
    let date = StoreDate(Date())
    try authority.prepare(at: date)
    let intermediate = try authority.identity(of: .jwsIntermediate)
    let hash = CertificateIDHash.sha1
    let id = Self.element(
      0x30, DERWriter.sequence([DERWriter.identifier(hash.identifier)]),
      DERWriter.octetString(hash(Array(intermediate.der[intermediate.outline.subject]))),
      DERWriter.octetString(hash(Array(intermediate.certificate.publicKey.subjectPublicKeyInfoBytes))),
      Self.element(0x02, [1]))
    let longest = Self.request(Array(repeating: id, count: (OCSPRequest.maximumBytes - 32) / (id.count + 2)))
    let request = try OCSPRequest(longest)
    let answer = try authority.response(try authority.statuses(request, at: date), at: date)
    #expect(request.certificates.count > 200)
    #expect(answer.count < 2 * longest.count + 2_000)
  }
}
