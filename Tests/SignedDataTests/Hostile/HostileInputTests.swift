import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Data made to do harm", .timeLimit(.minutes(30)))
struct HostileInputTests {
  let verifier = SignedDataVerifier(anchors: .apple)

  @Test(
    "lengths far beyond the data are refused before anything is reserved",
    arguments: [
      [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x30, 0xFF], [0x30, 0x85, 0, 0, 0, 0, 0], [0x3F, 0xFF, 0xFF, 0xFF, 0x7F, 0x00], [0x30, 0x80],
      [0x30, 0x80, 0, 0],
      [0x31, 0x84, 0x7F, 0xFF, 0xFF, 0xFF, 0x30], [0x00, 0x00], [0x80, 0x80],
    ] as [[UInt8]])
  func lengths(bytes: [UInt8]) async {
    #expect(await refusal { try await verifier.verifyAppReceipt(Data(bytes)) } == .structure)
    #expect(await refusal { try AppReceipt(payload: bytes) } == .structure)
  }

  @Test("indefinite lengths nested a million deep, closed or not, cost no stack")
  func indefiniteNesting() async {
    let open = Array(repeating: [0x30, 0x80] as [UInt8], count: 1_000_000).joined()
    #expect(await refusal { try await verifier.verifyAppReceipt(Data(open)) } == .structure)
    let closed = Array(open) + [UInt8](repeating: 0, count: 2_000_000)
    #expect(await refusal { try await verifier.verifyAppReceipt(Data(closed)) } == .structure)
    let pieces = Array(repeating: [0x24, 0x80] as [UInt8], count: 1_000_000).joined()
    #expect(await refusal { try await verifier.verifyAppReceipt(Data(pieces)) } == .structure)
  }

  @Test("definite nesting, a million deep, is refused")
  func definiteNesting() async {
    var bytes: [UInt8] = []
    for level in 0..<100_000 {
      let rest = UInt32((100_000 - level) * 6)
      bytes += [0x30, 0x84]
      withUnsafeBytes(of: rest.bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes += [0, 0, 0, 0, 0, 0]
    #expect(await refusal { try await verifier.verifyAppReceipt(Data(bytes)) } == .structure)
  }

  @Test("indefinite lengths and lengths that are not minimal are refused inside the payload, which is DER")
  func payloadIsDER() async throws {
    let payload = SampleRecords.receipt(listing: []).payloadBytes()
    _ = try AppReceipt(payload: payload)
    #expect(payload[1] == 0x82)
    let content = Array(payload[4...])
    let indefinite = [0x31, 0x80] + content + [0, 0]
    #expect(await refusal { try AppReceipt(payload: indefinite) } == .structure)
    let padded = [0x31, 0x83, 0x00] + payload[2...]
    #expect(await refusal { try AppReceipt(payload: padded) } == .structure)
    #expect(await refusal { try AppReceipt(payload: payload + [0]) } == .structure)
  }

  @Test("more than a format's limit is refused at once")
  func limits() async {
    let jws = String(repeating: "A", count: CompactJWS.maximumBytes) + "."
    #expect(await refusal { try await verifier.verifyTransaction(jws) } == .structure)
    #expect(
      await refusal { try await verifier.verifyTransaction(String(repeating: ".", count: 1_000_000)) } == .structure)
    let receipt = Data(count: ReceiptContainer.maximumBytes + 1)
    #expect(await refusal { try await verifier.verifyAppReceipt(receipt) } == .structure)
    let pairs = (0..<300).map { "\"k\($0)\" = \"v\";" }.joined()
    #expect(await refusal { try await verifier.verifyLegacyReceipt(Data("{\(pairs)}".utf8)) } == .structure)
    #expect(await refusal { try await verifier.verifyLegacyReceipt(Data(count: 2 << 20)) } == .structure)
  }

  @Test(
    "numbers and texts at the ends of their ranges are read or refused, never trapped on",
    arguments: [
      #""signedDate":9223372036854775807"#, #""signedDate":-9223372036854775808"#, #""signedDate":1e18"#,
      #""signedDate":3,"quantity":9223372036854775807"#, #""signedDate":3,"price":-9223372036854775808"#,
      #""signedDate":3,"offerType":9223372036854775807"#, #""signedDate":3,"offerPeriod":"P99999999999999999999Y""#,
      #""signedDate":3,"deviceVerification":"","deviceVerificationNonce":"00000000-0000-0000-0000-000000000000""#,
    ])
  func extremes(members: String) async throws {
    let json =
      #"{"transactionId":"1","originalTransactionId":"99999999999999999999","bundleId":"a","productId":"p","#
      + #""purchaseDate":1,"originalPurchaseDate":2,"# + members + "}"
    let transaction = try SignedTransaction(payload: Array(json.utf8))
    #expect(try SignedTransaction(payload: transaction.payloadBytes()) == transaction)
    _ = (transaction.offerType, transaction.offerPeriod, transaction.isIssued(for: SampleRecords.device))
    let chain = try CustomChain(.p256, leafPeriod: .authority)
    let trusting = SignedDataVerifier(anchors: TrustAnchors(certificates: [chain.root.der]))
    #expect(await refusal { try await trusting.verifyTransaction(chain.jws(Array(json.utf8))) } == .date)
  }

  @Test("extreme dates and quantities in receipts are read or refused, never trapped on")
  func receiptExtremes() throws {
    for milliseconds in [Int64.min, .max, 0] {
      let date = StoreDate(millisecondsSince1970: milliseconds)
      let receipt = SampleRecords.receipt(listing: [SampleRecords.credits(at: date)], at: date)
      let read = try AppReceipt(payload: receipt.payloadBytes())
      #expect(read.inAppPurchases.count == 1)
      _ = read.creationDate.description
    }
    var fields = SampleRecords.legacyReceipt(SampleRecords.credits()).fields.filter { $0.key != "purchase-date-ms" }
    fields.append(.init(key: "purchase-date-ms", value: String(Int64.max)))
    #expect(try LegacyReceipt(fields: fields).purchaseDate.millisecondsSince1970 == .max)
  }

  @Test("certificates that all claim to have issued each other are tried one by one, not as every path")
  func tangledCertificates() async throws {
    let chain = try CustomChain(.rsa2048)
    let lookalikes = try (0..<7).map { _ in
      let profile = CertificateProfile(
        commonName: "Test Intermediate", role: .root, period: .authority,
        markers: [CertificateMarker.developerRelations])
      return try Identity(
        key: chain.intermediate.key, certificate: profile.certificate(for: chain.intermediate.key, issuer: nil))
    }
    let data = try ReceiptForge(receipt: SampleRecords.receipt(listing: []))
      .container(signer: chain.leaf, certificates: [chain.leaf.der] + lookalikes.map(\.der))
    let verifier = SignedDataVerifier(anchors: TrustAnchors(certificates: [chain.root.der]))
    #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .chain)
  }
}
