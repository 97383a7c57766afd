import Foundation
import StoreModel
import Testing

@testable import SignedData

/// Changes each byte of a receipt, one at a time.
@Suite("A receipt with one changed byte", .timeLimit(.minutes(30)))
struct ChangedByteTests {
  let authority = IssuingAuthority.shared

  /// The lowest bit, which turns algorithms and versions into their neighbours; the highest; and letter case.
  private static let masks: [UInt8] = [0x01, 0x80, 0x20]

  @Test("G6 an app receipt is refused whichever of its bytes is changed", arguments: masks)
  func appReceipt(mask: UInt8) async throws {
    let receipt = SampleRecords.receipt(listing: [SampleRecords.credits()])
    let data = try authority.signAppReceipt(receipt, at: receipt.creationDate)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    _ = try await verifier.verifyAppReceipt(data)
    var accepted: [Int] = []
    for place in data.indices {
      var changed = data
      changed[place] ^= mask
      if (try? await verifier.verifyAppReceipt(changed)) != nil { accepted.append(place) }
    }
    #expect(accepted == [])
  }

  /// Parts of a receipt's container that are not signed, each replaced by what a reader could overlook.
  @Test("G6 the algorithms and versions of the container are those that were used")
  func algorithms() async throws {
    let receipt = SampleRecords.receipt(listing: [SampleRecords.credits()])
    let data = try authority.signAppReceipt(receipt, at: receipt.creationDate)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let sha256 = DERWriter.identifier(.sha256)
    let places = data.indices.filter { data[$0...].starts(with: sha256) }
    // Once beside the container's version, once in the SignerInfo.
    try #require(places.count == 2)
    // Another digest of the same length (SHA-512), at one of the two places, and at both.
    let last = sha256.count - 1
    for changed in [[places[0]], [places[1]], places] {
      var copy = data
      for place in changed { copy[place + last] = 3 }
      #expect(await refusal { try await verifier.verifyAppReceipt(copy) } == .structure)
    }
    let rsa = Data(DERWriter.identifier(.rsaEncryption))
    let place = try #require(data.range(of: rsa, options: .backwards)).upperBound - 1
    for algorithm in [UInt8(5), 14] {
      var copy = data
      copy[place] = algorithm
      #expect(await refusal { try await verifier.verifyAppReceipt(copy) } == .structure)
    }
    // sha256WithRSAEncryption is the other name of the same signature.
    var copy = data
    copy[place] = 11
    _ = try await verifier.verifyAppReceipt(copy)
  }

  @Test("G6 a certificate that is not part of the chain is refused")
  func foreignCertificate() async throws {
    let signer = try authority.receiptSigner(at: SampleRecords.date)
    let other = try CustomChain(.rsa2048)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let forge = ReceiptForge(receipt: SampleRecords.receipt(listing: []))
    let chain = signer.chain.map(\.der)
    for certificates in [chain + [other.root.der], Array(chain.dropLast()) + [other.root.der]] {
      let data = try forge.container(signer: signer.leaf, certificates: certificates)
      #expect(await refusal { try await verifier.verifyAppReceipt(data) } == .chain)
    }
    let withoutRoot = try forge.container(signer: signer.leaf, certificates: Array(chain.dropLast()))
    _ = try await verifier.verifyAppReceipt(withoutRoot)
  }

  /// Apple does not sign the entries `environment`, `pod` and `signing-status`, and white space separates entries. The
  /// store's own receipts have no other unsigned bytes.
  @Test("G6 a legacy receipt is refused whichever byte is changed, except in its environment entry", arguments: masks)
  func legacyReceipt(mask: UInt8) async throws {
    let receipt = SampleRecords.legacyReceipt(SampleRecords.credits())
    let data = try authority.signLegacyReceipt(receipt, at: receipt.purchaseDate)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let original = try await verifier.verifyLegacyReceipt(data).value
    let text = String(decoding: data, as: UTF8.self)
    var unsigned = IndexSet()
    for entry in text.matches(of: /"(environment|pod|signing-status)" = "[^"]*";/) {
      let start = text.utf8.distance(from: text.startIndex, to: entry.range.lowerBound)
      unsigned.insert(integersIn: start..<(start + text[entry.range].utf8.count))
    }
    var accepted: [Int] = []
    for place in data.indices where !unsigned.contains(place) {
      var changed = data
      changed[place] ^= mask
      do {
        // White space that became other white space separates the entries as before.
        let value = try await verifier.verifyLegacyReceipt(changed).value
        if value != original || !Self.isBlank(data[place]) { accepted.append(place) }
      } catch {
        continue
      }
    }
    #expect(accepted == [])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
