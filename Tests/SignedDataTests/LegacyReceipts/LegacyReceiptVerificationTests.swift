import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Verifying a legacy receipt", .timeLimit(.minutes(30)))
struct LegacyReceiptVerificationTests {
  let authority = IssuingAuthority.shared
  let receipt = SampleRecords.legacyReceipt(SampleRecords.credits())

  private func verifier() throws -> SignedDataVerifier { SignedDataVerifier(anchors: try authority.anchors) }
  private func signed() throws -> Data { try authority.signLegacyReceipt(receipt, at: receipt.purchaseDate) }

  @Test("F3 the server can vouch for an old purchase: a legacy receipt verifies and says the same")
  func accepted() async throws {
    let verified = try await verifier().verifyLegacyReceipt(
      try signed(),
      expecting: Expectation(
        bundleID: SampleRecords.bundleID, environments: [.sandbox], device: SampleRecords.device))
    #expect(verified.value == receipt)
    #expect(verified.anchor == SHA256Fingerprint(of: try authority.receiptRootCertificate))
    #expect(verified.value["bvrs"] == "1.2.3" && verified.value.quantity == 3)
  }

  @Test("H1 it renders the same record, dates in three forms")
  func sameRecord() throws {
    let record = SampleRecords.everything()
    let legacy = try LegacyReceipt(fields: SampleRecords.legacyReceipt(record).fields)
    #expect(
      legacy.transactionID == record.transactionID && legacy.originalTransactionID == record.originalTransactionID)
    #expect(legacy.productID == record.productID && legacy.expiresDate == record.expiresDate)
    #expect(legacy.purchaseDate == record.purchaseDate && legacy.originalPurchaseDate == record.originalPurchaseDate)
    #expect(legacy["purchase-date"] == "2024-05-01 10:00:00 Etc/GMT")
    #expect(legacy["purchase-date-ms"] == "1714557600000")
    #expect(legacy["purchase-date-pst"] == "2024-05-01 03:00:00 America/Los_Angeles")
  }

  @Test(
    "structure: what is no legacy receipt",
    arguments: [
      "", "{", "{}", "{ \"signature\" = \"AAAA\"; }", "{ \"purchase-info\" = \"!\"; \"signature\" = \"AA==\"; }",
    ])
  func structure(text: String) async throws {
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyLegacyReceipt(Data(text.utf8)) } == .structure)
  }

  @Test("chain: a leaf whose issuer is not named, G6 a forged one")
  func unknownIssuer() async throws {
    let (data, verifier) = (try signed(), try verifier())
    let rootsOnly = TrustAnchors(certificates: [try authority.receiptRootCertificate])
    #expect(await refusal { try await SignedDataVerifier(anchors: rootsOnly).verifyLegacyReceipt(data) } == .chain)
    let forged = try IssuingAuthority().signLegacyReceipt(receipt, at: receipt.purchaseDate)
    #expect(await refusal { try await verifier.verifyLegacyReceipt(forged) } == .chain)
    #expect(await refusal { try await SignedDataVerifier(anchors: .apple).verifyLegacyReceipt(forged) } == .chain)
  }

  @Test("a leaf known by fingerprint needs no issuer")
  func leafFingerprint() async throws {
    let leaf = try authority.receiptSigner(at: receipt.purchaseDate).leaf
    let anchors = TrustAnchors(legacyLeafFingerprints: [SHA256Fingerprint(of: leaf.der)])
    let verified = try await SignedDataVerifier(anchors: anchors).verifyLegacyReceipt(try signed())
    #expect(verified.value == receipt && verified.anchor == SHA256Fingerprint(of: leaf.der))
  }

  @Test("marker: G6 a leaf of the same issuer that is made for something else")
  func marker() async throws {
    for chain in [try CustomChain(.rsa2048, leafMarkers: []), try CustomChain(.rsa2048, intermediateMarkers: [])] {
      let data = try LegacyForge(receipt: receipt).data(signer: chain.leaf)
      let anchors = TrustAnchors(legacyIntermediates: [chain.intermediate.der])
      #expect(await refusal { try await SignedDataVerifier(anchors: anchors).verifyLegacyReceipt(data) } == .marker)
    }
  }

  @Test("date: bought when the certificate was not valid")
  func date() async throws {
    let late = SampleRecords.legacyReceipt(
      SampleRecords.credits(at: SampleRecords.date.adding(seconds: 3 * 365 * 86_400)))
    let data = try authority.signLegacyReceipt(late, at: SampleRecords.date)
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyLegacyReceipt(data) } == .date)
  }

  @Test("signature: another purchase under the signature of this one")
  func signature() async throws {
    let leaf = try authority.receiptSigner(at: receipt.purchaseDate).leaf
    var forge = LegacyForge(receipt: receipt)
    let verifier = try verifier()
    #expect(try await verifier.verifyLegacyReceipt(forge.data(signer: leaf)).value == receipt)
    forge.shownReceipt = SampleRecords.legacyReceipt(SampleRecords.credits(number: 99))
    let data = try forge.data(signer: leaf)
    #expect(await refusal { try await verifier.verifyLegacyReceipt(data) } == .signature)
  }

  @Test("bundle, environment, device: G6 genuine, but another app's, another store's, another device's")
  func expectations() async throws {
    let (verifier, data) = (try verifier(), try signed())
    #expect(await refusal { try await verifier.verifyLegacyReceipt(data, expecting: .init(bundleID: "x")) } == .bundle)
    #expect(
      await refusal { try await verifier.verifyLegacyReceipt(data, expecting: .init(environments: [.production])) }
        == .environment)
    for other in [DeviceIdentifier.vendorIdentifier(UUID()), .macAddress([1, 2, 3, 4, 5, 6])] {
      #expect(
        await refusal { try await verifier.verifyLegacyReceipt(data, expecting: .init(device: other)) } == .device)
    }
  }

  @Test("G6 a sandbox receipt with its unsigned environment removed is still the sandbox's")
  func unsignedEnvironment() async throws {
    var text = String(decoding: try signed(), as: UTF8.self)
    #expect(text.contains("\t\"environment\" = \"Sandbox\";\n"))
    text = text.replacingOccurrences(of: "\t\"environment\" = \"Sandbox\";\n", with: "")
    let (verifier, data) = (try verifier(), Data(text.utf8))
    #expect(try await verifier.verifyLegacyReceipt(data).value.environment == .sandbox)
    #expect(
      await refusal { try await verifier.verifyLegacyReceipt(data, expecting: .init(environments: [.production])) }
        == .environment)
    let production = SampleRecords.legacyReceipt(SampleRecords.credits(environment: .production))
    let genuine = try authority.signLegacyReceipt(production, at: production.purchaseDate)
    #expect(try await verifier.verifyLegacyReceipt(genuine).value.environment == .production)
  }

  @Test("version 2, made with openssl: RSA-1024 under an issuer with its own marker")
  func version2() async throws {
    let folder = try ScratchFolder()
    let certificates = try await VersionTwoCertificates(folder, marker: "1.2.840.113635.100.6.2.2")
    let data = try await LegacyForge(receipt: receipt).versionTwoData(folder, certificates)
    let anchors = TrustAnchors(legacyIntermediates: [certificates.issuer])
    let verified = try await SignedDataVerifier(anchors: anchors).verifyLegacyReceipt(data)
    #expect(verified.value == receipt && verified.anchor == SHA256Fingerprint(of: certificates.issuer))
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyLegacyReceipt(data) } == .chain)
    let unmarked = try await VersionTwoCertificates(folder, marker: "1.2.840.113635.100.6.2.1")
    let other = try await LegacyForge(receipt: receipt).versionTwoData(folder, unmarked)
    let unmarkedAnchors = TrustAnchors(legacyIntermediates: [unmarked.issuer])
    #expect(
      await refusal { try await SignedDataVerifier(anchors: unmarkedAnchors).verifyLegacyReceipt(other) } == .marker)
  }

  @Test("reading without believing shows what is claimed outside the signature")
  func unverified() throws {
    let read = try UnverifiedLegacyReceipt(try signed())
    #expect(read.receipt == receipt && read.signatureVersion == 3 && read.claimedEnvironment == "Sandbox")
    #expect(read.certificate == (try authority.receiptSigner(at: receipt.purchaseDate).leaf.der))
  }
}
