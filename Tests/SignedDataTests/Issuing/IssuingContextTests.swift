import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Leaf certificates in a context", .timeLimit(.minutes(30)))
struct IssuingContextTests {
  private let authority = IssuingAuthority.shared
  private let responder = URL(string: "http://127.0.0.1:8080/ocsp")!

  private func date(_ year: Int, _ month: Int = 6, _ day: Int = 15) throws -> StoreDate {
    var time = CivilTime()
    (time.year, time.month, time.day) = (year, month, day)
    return try #require(time.date)
  }

  private func leaves(_ authority: IssuingAuthority, at date: StoreDate) throws -> [Identity] {
    [try authority.jwsSigner(at: date).leaf, try authority.receiptSigner(at: date).leaf]
  }

  @Test("openssl reads the OCSP responder's address in a leaf, and the chain passes openssl verify -x509_strict")
  func responderAddress() async throws {
    let folder = try ScratchFolder()
    let date = try date(2026)
    let context = IssuingContext(wallDate: date, ocspResponder: responder)
    for (name, leaves) in [
      ("plain", try leaves(authority, at: date)), ("named", try leaves(authority.issuing(in: context), at: date)),
    ] {
      for (leaf, chain) in zip(
        leaves,
        [
          [try authority.jwsIntermediateCertificate, try authority.jwsRootCertificate],
          [try authority.receiptIntermediateCertificate, try authority.receiptRootCertificate],
        ])
      {
        try folder.writeCertificates("leaf.pem", [leaf.der])
        try folder.writeCertificates("intermediate.pem", [chain[0]])
        try folder.writeCertificates("root.pem", [chain[1]])
        let address = try await folder.run("openssl", "x509", "-in", "leaf.pem", "-noout", "-ocsp_uri")
        #expect(address.output == (name == "named" ? "\(responder.absoluteString)\n" : ""))
        let extensions = try await folder.run(
          "openssl", "x509", "-in", "leaf.pem", "-noout", "-ext", "authorityInfoAccess")
        #expect(!extensions.output.contains("critical"))
        let verdict = try await folder.run(
          "openssl", "verify", "-x509_strict", "-attime", String(date.millisecondsSince1970 / 1000), "-CAfile",
          "root.pem", "-untrusted", "intermediate.pem", "leaf.pem")
        #expect(verdict.status == 0, "\(name): \(verdict.output)")
      }
    }
  }

  @Test("intermediates contain the address of the context, roots never; another address changes no key and no file")
  func intermediates() async throws {
    let folder = try ScratchFolder()
    let authority = try IssuingAuthority(keyDirectory: folder.url.appending(path: "keys"))
    let date = try date(2026)
    try authority.prepare(at: date)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "keys").path).sorted()
    let plain = [try authority.identity(of: .jwsIntermediate), try authority.identity(of: .receiptIntermediate)]
    let ports = [8080, 8081]
    var issued = Set(plain.map(\.der))
    for port in ports {
      let address = try #require(URL(string: "http://store.test:\(port)/ocsp"))
      let named = authority.issuing { IssuingContext(wallDate: date, ocspResponder: address) }
      for (index, plain) in plain.enumerated() {
        let issuer = [Issuer.jwsIntermediate, .receiptIntermediate][index]
        let root = [Issuer.jwsRoot, .receiptRoot][index]
        let identity = try named.identity(of: issuer)
        issued.insert(identity.der)
        #expect(identity.certificate.publicKey == plain.certificate.publicKey)
        #expect(try named.identity(of: root).der == authority.identity(of: root).der)
        try folder.writeCertificates("intermediate.pem", [identity.der])
        try folder.writeCertificates("root.pem", [try named.identity(of: root).der])
        let text = try await folder.run("openssl", "x509", "-in", "intermediate.pem", "-noout", "-text").output
        #expect(text.contains("OCSP - URI:\(address.absoluteString)"), "\(text)")
        let rootText = try await folder.run("openssl", "x509", "-in", "root.pem", "-noout", "-text").output
        #expect(!rootText.contains("OCSP"), "\(rootText)")
      }
    }
    #expect(issued.count == 6)
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "keys").path).sorted()
    #expect(files == after)
  }

  @Test("a leaf is valid from a day before the earlier to a year after the later of the machine's date and the store's")
  func validity() throws {
    let dates = [
      try date(2014, 1, 1), try date(2025, 12, 31), try date(2026, 1, 1), try date(2027, 12, 31), try date(2040),
      try date(2063, 12, 31),
    ]
    let certificates = IssuingAuthority.signableDates
    for store in dates {
      for wall in dates + [StoreDate(millisecondsSince1970: 0), try date(2070)] {
        let leaves = try leaves(authority.issuing(in: IssuingContext(wallDate: wall)), at: store)
        for validity in leaves.map(\.outline.validity) {
          let first = max(min(store, wall).adding(seconds: -86_400), certificates.lowerBound)
          let last = min(max(store, wall).adding(seconds: 365 * 86_400), certificates.upperBound.wholeSeconds)
          #expect(validity.lowerBound <= first && validity.upperBound >= last, "\(store) \(wall): \(validity)")
          #expect(validity.contains(store))
        }
      }
    }
  }

  @Test("each context has its own certificates, of the same keys; without one, the leaf depends on the date only")
  func keys() async throws {
    let folder = try ScratchFolder()
    let authority = try IssuingAuthority(keyDirectory: folder.url.appending(path: "keys"))
    let date = try date(2026)
    let plain = try leaves(authority, at: date)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "keys").path).sorted()
    let contexts = [
      IssuingContext(wallDate: date), IssuingContext(wallDate: date, ocspResponder: responder),
      IssuingContext(wallDate: date, ocspResponder: URL(string: "http://127.0.0.1:8081/ocsp")),
      IssuingContext(wallDate: try self.date(2030), ocspResponder: responder),
    ]
    var issued: Set<[UInt8]> = Set(plain.map(\.der))
    for (number, context) in contexts.enumerated() {
      let leaves = try leaves(authority.issuing(in: context), at: date)
      #expect(leaves.map(\.certificate.publicKey) == plain.map(\.certificate.publicKey))
      #expect(leaves.map(\.der) == (try self.leaves(authority.issuing(in: context), at: date)).map(\.der))
      issued.formUnion(leaves.map(\.der))
      #expect(issued.count == 2 * (number + 2))
    }
    // Another day of the same years changes nothing.
    let later = IssuingContext(wallDate: date.adding(seconds: 86_400), ocspResponder: responder)
    #expect(
      try leaves(authority.issuing(in: later), at: date).map(\.der)
        == leaves(authority.issuing(in: contexts[1]), at: date).map(\.der))
    #expect(try leaves(authority, at: date).map(\.der) == plain.map(\.der))
    #expect(plain.map(\.outline.validity.lowerBound) == [try self.date(2026, 1, 1), try self.date(2026, 1, 1)])
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "keys").path).sorted()
    #expect(files == after)
  }

  @Test(
    "what a leaf in a context signs is verified; a leaf that is invalid on purpose stays invalid at the date of signing"
  )
  func signatures() async throws {
    let date = try date(2026)
    let authority = authority.issuing(in: IssuingContext(wallDate: try self.date(2035), ocspResponder: responder))
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: date)
    #expect(try await verifier.verifyTransaction(try authority.signTransaction(transaction)).value == transaction)
    let receipt = SampleRecords.receipt(listing: [], at: date)
    _ = try await verifier.verifyAppReceipt(try authority.signAppReceipt(receipt, at: date))
    for validity in [SigningChain.expired, .notYetValid] {
      #expect(!(try authority.jwsSigner(at: date, validity).leaf.outline.validity.contains(date)))
      let signed = try authority.signTransaction(transaction, chain: validity)
      #expect(await refusal { try await verifier.verifyTransaction(signed) } == .date)
    }
  }
}
