import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Verifying an app receipt", .timeLimit(.minutes(30)))
struct AppReceiptVerificationTests {
  let authority = IssuingAuthority.shared
  let receipt = SampleRecords.receipt(listing: [SampleRecords.credits(), SampleRecords.everything()])

  private func verifier() throws -> SignedDataVerifier { SignedDataVerifier(anchors: try authority.anchors) }
  private func signed(_ receipt: AppReceipt, digest: ReceiptDigest = .sha256) throws -> Data {
    try authority.signAppReceipt(receipt, at: receipt.creationDate, digest: digest)
  }

  @Test(
    "F3 the server can vouch for a purchase: a receipt verifies and says the same", arguments: ReceiptDigest.allCases)
  func accepted(digest: ReceiptDigest) async throws {
    // The App Store's receipts used SHA-1 until August 2023.
    let date = digest == .sha1 ? ReceiptDigest.endOfSHA1.adding(seconds: -1) : SampleRecords.date
    let receipt = SampleRecords.receipt(
      listing: [SampleRecords.credits(), SampleRecords.everything()], at: date)
    let verified = try await verifier().verifyAppReceipt(
      try signed(receipt, digest: digest),
      expecting: Expectation(
        bundleID: SampleRecords.bundleID, environments: [.sandbox], device: SampleRecords.device))
    var expected = receipt
    expected.inAppPurchases.sort { $0.transactionID < $1.transactionID }
    var found = verified.value
    found.inAppPurchases.sort { $0.transactionID < $1.transactionID }
    found.unknownAttributes.sort { $0.type < $1.type }
    #expect(found == expected)
    #expect(verified.anchor == SHA256Fingerprint(of: try authority.receiptRootCertificate))
  }

  @Test("a receipt with SHA-1 that says it was made after the App Store stopped signing with it is refused")
  func lateSHA1() async throws {
    let verifier = try verifier()
    for seconds in [0, 86_400 * 200] as [Int64] {
      let late = SampleRecords.receipt(listing: [], at: ReceiptDigest.endOfSHA1.adding(seconds: seconds))
      let weak = try signed(late, digest: .sha1)
      #expect(await refusal { try await verifier.verifyAppReceipt(weak) } == .signature)
      #expect(try await verifier.verifyAppReceipt(try signed(late)).value.creationDate == late.creationDate)
    }
  }

  @Test("H1 receipt and JWS render the same record")
  func sameRecord() async throws {
    for record in [SampleRecords.credits(), SampleRecords.everything()] {
      let verifier = try verifier()
      let jws = try await verifier.verifyTransaction(
        try authority.signTransaction(SignedTransaction(record: record, signedDate: SampleRecords.date))
      ).value
      let listed = try await verifier.verifyAppReceipt(try signed(SampleRecords.receipt(listing: [record])))
      let purchase = try #require(listed.value.inAppPurchases.first)
      #expect(listed.value.bundleID == jws.bundleID && listed.value.environment == jws.environment)
      #expect(purchase.transactionID == jws.transactionID)
      #expect(purchase.originalTransactionID == jws.originalTransactionID)
      #expect(purchase.productID == jws.productID && purchase.productType == jws.type)
      #expect(purchase.quantity == jws.quantity && purchase.purchaseDate == jws.purchaseDate)
      #expect(purchase.originalPurchaseDate == jws.originalPurchaseDate && purchase.expiresDate == jws.expiresDate)
      #expect(purchase.cancellationDate == jws.revocationDate)
      #expect(String(purchase.webOrderLineItemID ?? 0) == jws.webOrderLineItemID ?? "0")
      #expect(purchase.promotionalOfferID == jws.offerIdentifier)
    }
  }

  @Test("the same receipt gives the same payload bytes")
  func deterministicBytes() {
    let again = SampleRecords.receipt(listing: [SampleRecords.credits(), SampleRecords.everything()])
    #expect(receipt.payloadBytes() == again.payloadBytes())
    let swapped = SampleRecords.receipt(listing: [SampleRecords.everything(), SampleRecords.credits()])
    #expect(receipt.payloadBytes() == swapped.payloadBytes(), "a DER SET has one order")
  }

  @Test("structure: what is no receipt", arguments: [[], [0x30], [0x30, 0x00], Array("MIIT".utf8)] as [[UInt8]])
  func structure(bytes: [UInt8]) async throws {
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyAppReceipt(Data(bytes)) } == .structure)
  }

  @Test("chain: another authority's receipt, G6 a forged one")
  func unknownRoot() async throws {
    let forged = try IssuingAuthority().signAppReceipt(receipt, at: receipt.creationDate)
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyAppReceipt(forged) } == .chain)
    #expect(await refusal { try await SignedDataVerifier(anchors: .apple).verifyAppReceipt(forged) } == .chain)
  }

  @Test("a root known by fingerprint only is taken from the receipt")
  func fingerprint() async throws {
    let anchors = TrustAnchors(fingerprints: [SHA256Fingerprint(of: try authority.receiptRootCertificate)])
    let verified = try await SignedDataVerifier(anchors: anchors).verifyAppReceipt(try signed(receipt))
    #expect(verified.value.bundleID == receipt.bundleID)
  }

  @Test("marker: a good chain made for something else")
  func marker() async throws {
    for chain in [try CustomChain(.rsa2048, leafMarkers: []), try CustomChain(.rsa2048, intermediateMarkers: [])] {
      let data = try ReceiptForge(receipt: receipt).container(signer: chain.leaf, certificates: chain.ders)
      let verifier = SignedDataVerifier(anchors: TrustAnchors(certificates: [chain.root.der]))
      #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .marker)
    }
  }

  @Test("date: certificates that were not valid when the receipt was made, also when the chain is remembered")
  func date() async throws {
    let verifier = try verifier()
    _ = try await verifier.verifyAppReceipt(try signed(receipt))
    let late = SampleRecords.receipt(listing: [], at: SampleRecords.date.adding(seconds: 3 * 365 * 86_400))
    let data = try authority.signAppReceipt(late, at: SampleRecords.date)
    #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .date)
  }

  @Test("signature: content altered after it was signed")
  func signature() async throws {
    var data = try signed(receipt)
    let place = try #require(data.range(of: Data("credits.5".utf8)))
    data.replaceSubrange(place, with: Data("credits.9".utf8))
    let (verifier, forged) = (try verifier(), data)
    #expect(await refusal { try await verifier.verifyAppReceipt(forged) } == .signature)
  }

  @Test("bundle, environment, device: G6 genuine, but another app's, another store's, another device's")
  func expectations() async throws {
    let (verifier, data) = (try verifier(), try signed(receipt))
    #expect(
      await refusal { try await verifier.verifyAppReceipt(data, expecting: .init(bundleID: "com.example.x")) }
        == .bundle)
    #expect(
      await refusal { try await verifier.verifyAppReceipt(data, expecting: .init(environments: [.production])) }
        == .environment)
    for other in [DeviceIdentifier.vendorIdentifier(UUID()), .macAddress([1, 2, 3, 4, 5, 6])] {
      #expect(await refusal { try await verifier.verifyAppReceipt(data, expecting: .init(device: other)) } == .device)
    }
    let mac = try #require(DeviceIdentifier("00:1b:63:84:45:E6"))
    let onMac = try signed(SampleRecords.receipt(listing: [], device: mac))
    #expect(try await verifier.verifyAppReceipt(onMac, expecting: .init(device: mac)).value.isIssued(for: mac))
  }

  @Test("signed attributes, two signers and a foreign digest are refused as structure")
  func containers() async throws {
    let forge = ReceiptForge(receipt: receipt)
    let signer = try authority.receiptSigner(at: SampleRecords.date)
    let certificates = signer.chain.map(\.der)
    let verifier = try verifier()
    #expect(
      try await verifier.verifyAppReceipt(forge.container(signer: signer.leaf, certificates: certificates)).value
        .bundleID == receipt.bundleID)
    for flaw in ReceiptForge.Flaw.allCases {
      let data = try forge.container(signer: signer.leaf, certificates: certificates, flaw: flaw)
      #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .structure, "\(flaw)")
    }
    let many = certificates + Array(repeating: certificates[2], count: 6)
    let crowded = try forge.container(signer: signer.leaf, certificates: many)
    #expect(await refusal { try await verifier.verifyAppReceipt(crowded) } == .structure)
  }

  @Test("a single self-signed certificate passes only if trusted by itself, and for Xcode's environment only")
  func selfSigned() async throws {
    let chain = try CustomChain(.rsa2048)
    let xcode = SampleRecords.receipt(listing: [SampleRecords.credits()], environment: .xcode)
    let data = try ReceiptForge(receipt: xcode).container(signer: chain.root, certificates: [chain.root.der])
    let trusting = SignedDataVerifier(
      anchors: TrustAnchors(selfSignedFingerprints: [SHA256Fingerprint(of: chain.root.der)]))
    #expect(try await trusting.verifyAppReceipt(data).value.environment == .xcode)
    let verifier = try verifier()
    #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .chain)
    let claimed = try ReceiptForge(receipt: receipt).container(signer: chain.root, certificates: [chain.root.der])
    #expect(await refusal { try await trusting.verifyAppReceipt(claimed) } == .environment)
  }

  @Test("reading without believing shows payload, certificates and digest")
  func unverified() throws {
    let read = try UnverifiedAppReceipt(try signed(receipt, digest: .sha1))
    #expect(read.digest == .sha1 && read.certificates.count == 3 && read.signature.count == 256)
    #expect(read.signerCertificate == read.certificates[0])
    #expect(read.payload == receipt.payloadBytes())
  }
}
