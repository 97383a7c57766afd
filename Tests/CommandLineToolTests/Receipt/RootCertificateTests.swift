import Foundation
import SignedData
import Testing

@testable import CommandLineTool

@Suite("receipt verify --root", .timeLimit(.minutes(30)))
struct RootCertificateTests {
  let folder: ScratchFolder
  let receipt: String

  init() throws {
    folder = try ScratchFolder()
    receipt = try folder.write("receipt", try SampleStore.receipt())
  }

  private func pem(_ der: [UInt8], lineEnd: String = "\n") -> String {
    let body = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n".replacing("\n", with: lineEnd)
  }

  @Test("PEM as openssl writes it is read")
  func openssl() async throws {
    try folder.write("root.der", try SampleStore.authority.receiptRootCertificate)
    let read = try await folder.run(
      "openssl", "x509", "-inform", "DER", "-in", "root.der", "-text", "-out", "root.pem")
    #expect(read.status == 0, "\(read.output)")
    #expect(try await CommandRun.verify(receipt, "--root", folder.path("root.pem")).status == 0)
  }

  @Test("a PEM file may contain several certificates, other text between them, and any line endings")
  func several() async throws {
    let authority = SampleStore.authority
    let text =
      "Emulator\r\n" + pem(try authority.jwsRootCertificate, lineEnd: "\r\n")
      + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" + pem(try authority.receiptRootCertificate)
    let file = try folder.write("roots.pem", text)
    #expect(try await CommandRun.verify(receipt, "--root", file).status == 0)
    let jws = try folder.write("jws", try SampleStore.transaction())
    #expect(try await CommandRun.verify(jws, "--root", file).status == 0)
  }

  @Test("several --root add up")
  func repeated() async throws {
    let jws = try folder.write("jws.der", try SampleStore.authority.jwsRootCertificate)
    let root = try folder.write("root.der", try SampleStore.authority.receiptRootCertificate)
    #expect(try await CommandRun.verify(receipt, "--root", jws).status == 1)
    #expect(try await CommandRun.verify(receipt, "--root", jws, "--root", root).status == 0)
  }

  @Test(
    "a file without a readable certificate is unusable: status 2",
    arguments: [
      "", "hello", "-----BEGIN CERTIFICATE-----\nMIIB\n",
      "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", "0\u{1}\u{2}",
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    ])
  func unusable(text: String) async throws {
    let file = try folder.write("root", text)
    let run = try await CommandRun.verify(receipt, "--root", file)
    #expect(run.status == 2)
    #expect(run.message.contains(file))
    #expect(run.output.isEmpty)
    let document = try await CommandRun.verify(receipt, "--root", file, "--json")
    #expect(document.status == 2)
    #expect(document.json?.keys.sorted() == ["error"])
  }

  @Test("a certificate with trailing bytes is refused")
  func trailing() async throws {
    let file = try folder.write("root.der", try SampleStore.authority.receiptRootCertificate + [0])
    #expect(try await CommandRun.verify(receipt, "--root", file).status == 2)
  }

  @Test("the message for a missing file contains its name")
  func missing() async throws {
    let run = try await CommandRun.verify(receipt, "--root", folder.path("none.pem"))
    #expect(run.status == 2)
    #expect(run.message == "\(folder.path("none.pem")) cannot be read: there is no such file")
  }

  @Test("a certificate's subject, dates and fingerprint are those that openssl reads")
  func summary() throws {
    let der = try SampleStore.authority.receiptIntermediateCertificate
    let summary = try #require(CertificateSummary(der))
    #expect(summary.subject == "C=US, O=OpenStoreKit, CN=OpenStoreKit Emulator Receipt Signing CA")
    #expect(summary.issuer == "C=US, O=OpenStoreKit, CN=OpenStoreKit Emulator Receipt Root CA")
    #expect(summary.notBefore == "2014-01-01T00:00:00Z")
    #expect(summary.notAfter == "2063-12-31T23:59:59Z")
    #expect(!summary.isSelfIssued)
    #expect(CertificateSummary(try SampleStore.authority.receiptRootCertificate)?.isSelfIssued == true)
  }

  @Test("a truncated certificate is refused without a trap, whatever its length")
  func truncated() throws {
    let der = try SampleStore.authority.receiptRootCertificate
    for length in 0..<der.count { #expect(CertificateSummary(Array(der.prefix(length))) == nil) }
  }
}
