import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("What openssl says of what is issued", .timeLimit(.minutes(30)))
struct OpenSSLJudgementTests {
  let authority = IssuingAuthority.shared

  @Test("every chain passes openssl verify -x509_strict, in its first and its last window")
  func strictChains() async throws {
    let folder = try ScratchFolder()
    for year in [2014, 2024, 2062] {
      var time = CivilTime()
      (time.year, time.month) = (year, 6)
      let date = try #require(time.date)
      let jws = [
        try authority.jwsSigner(at: date).leaf.der, try authority.jwsIntermediateCertificate,
        try authority.jwsRootCertificate,
      ]
      let receipt = try authority.receiptSigner(at: date).chain.map(\.der)
      for (name, chain) in [("jws", jws), ("receipt", receipt)] {
        let outcome = try await judge(folder, chain, root: chain[2], at: date)
        #expect(outcome.status == 0, "\(name) \(year): \(outcome.output)")
      }
      let late = try await judge(folder, jws, root: jws[2], at: date.adding(seconds: 4 * 365 * 86_400))
      #expect(late.status != 0)
      #expect(try await judge(folder, jws, root: receipt[2], at: date).status != 0)
    }
  }

  @Test("openssl cms -verify takes a receipt, and gives back its payload", arguments: ReceiptDigest.allCases)
  func receipt(digest: ReceiptDigest) async throws {
    let folder = try ScratchFolder()
    let receipt = SampleRecords.receipt(listing: [SampleRecords.credits(), SampleRecords.everything()])
    var data = try authority.signAppReceipt(receipt, at: receipt.creationDate, digest: digest)
    try folder.writeCertificates("root.pem", [try authority.receiptRootCertificate])
    try folder.write("receipt", data)
    let time = String(receipt.creationDate.millisecondsSince1970 / 1000)
    let outcome = try await folder.run(
      "openssl", "cms", "-verify", "-inform", "DER", "-in", "receipt", "-CAfile", "root.pem", "-attime", time,
      "-binary", "-out",
      "payload")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(Array(try folder.data("payload")) == receipt.payloadBytes())
    let place = try #require(data.range(of: Data("credits.5".utf8)))
    data[place.lowerBound] ^= 1
    try folder.write("receipt", data)
    let forged = try await folder.run(
      "openssl", "cms", "-verify", "-inform", "DER", "-in", "receipt", "-CAfile", "root.pem", "-attime", time,
      "-binary", "-out",
      "payload")
    #expect(forged.status != 0)
  }

  @Test("a receipt as Xcode makes it, BER in pieces by openssl cms -sign -stream, is read and verified")
  func xcodeReceipt() async throws {
    let folder = try ScratchFolder()
    try await folder.run(
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "certificate.pem",
      "-days", "7300",
      "-subj", "/CN=StoreKit/O=StoreKit/OU=StoreKit/C=US")
    try await folder.run("openssl", "x509", "-in", "certificate.pem", "-outform", "DER", "-out", "certificate.der")
    let certificate = Array(try folder.data("certificate.der"))
    let date = StoreDate(Date()).adding(seconds: 86_400)
    let records = (0..<200 as Range<UInt64>).map { SampleRecords.credits(number: $0, environment: .xcode) }
    let receipt = SampleRecords.receipt(listing: records, environment: .xcode, at: date)
    try folder.write("payload", receipt.payloadBytes())
    for (options, isIndefinite) in [(["-stream"], true), ([], false)] {
      try await folder.run(
        "openssl",
        [
          "cms", "-sign", "-binary", "-nodetach", "-noattr", "-md", "sha256", "-outform", "DER", "-signer",
          "certificate.pem", "-inkey", "key.pem", "-in", "payload", "-out", "receipt",
        ] + options)
      let data = try folder.data("receipt")
      #expect((data[1] == 0x80) == isIndefinite)
      let trusting = SignedDataVerifier(
        anchors: TrustAnchors(selfSignedFingerprints: [SHA256Fingerprint(of: certificate)]))
      let verified = try await trusting.verifyAppReceipt(data, expecting: .init(device: SampleRecords.device))
      #expect(verified.value.inAppPurchases.count == 200 && verified.value.environment == .xcode)
      let verifier = SignedDataVerifier(anchors: try authority.anchors)
      #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .chain)
    }
  }

  @Test("a TLS certificate is good for its names and addresses, and no others")
  func tls() async throws {
    let folder = try ScratchFolder()
    let now = StoreDate(Date())
    let identity = try authority.tlsIdentity(
      hosts: ["localhost", "*.example.com", "127.0.0.1", "::1", "[fe80::1]"], at: now)
    try folder.write("leaf.pem", identity.certificateChainPEM)
    try folder.write("key.pem", identity.privateKeyPEM)
    try folder.writeCertificates("root.pem", [identity.rootCertificate])
    #expect(identity.rootCertificate == (try authority.tlsRootCertificate))
    for arguments in [
      ["-verify_hostname", "localhost"], ["-verify_hostname", "a.example.com"], ["-verify_ip", "127.0.0.1"],
      ["-verify_ip", "::1"], ["-verify_ip", "fe80::1"],
    ] {
      let outcome = try await folder.run(
        "openssl",
        ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "root.pem"] + arguments + ["leaf.pem"])
      #expect(outcome.status == 0, "\(arguments): \(outcome.output)")
    }
    let other = try await folder.run(
      "openssl", "verify", "-purpose", "sslserver", "-CAfile", "root.pem", "-verify_hostname", "example.org", "leaf.pem"
    )
    #expect(other.status != 0)
    let key = try await folder.run("openssl", "pkey", "-in", "key.pem", "-pubout")
    let certificate = try await folder.run("openssl", "x509", "-in", "leaf.pem", "-noout", "-pubkey")
    #expect(key.output == certificate.output && key.output.hasPrefix("-----BEGIN PUBLIC KEY"))
    let expiry = try await folder.run("openssl", "x509", "-in", "leaf.pem", "-noout", "-checkend", String(397 * 86_400))
    #expect(expiry.status == 1, "it must end within 397 days")
  }

  private func judge(
    _ folder: ScratchFolder, _ chain: [[UInt8]], root: [UInt8], at date: StoreDate
  ) async throws -> Program.Outcome {
    try folder.writeCertificates("leaf.pem", [chain[0]])
    try folder.writeCertificates("intermediate.pem", [chain[1]])
    try folder.writeCertificates("root.pem", [root])
    return try await folder.run(
      "openssl", "verify", "-x509_strict", "-attime", String(date.millisecondsSince1970 / 1000), "-CAfile", "root.pem",
      "-untrusted", "intermediate.pem", "leaf.pem")
  }
}
