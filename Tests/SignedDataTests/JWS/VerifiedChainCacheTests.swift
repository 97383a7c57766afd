import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Chains that were verified before", .timeLimit(.minutes(30)))
struct VerifiedChainCacheTests {
  @Test("a remembered chain still has its dates checked")
  func datesAreChecked() async throws {
    let authority = IssuingAuthority.shared
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let payload = Array("{}".utf8)
    let jws = try authority.signJWS(payload: payload, at: SampleRecords.date)
    #expect(try await verifier.verifyPayload(jws, at: SampleRecords.date).value.payload == payload)
    #expect(verifier.chains.count == 1)
    let later = SampleRecords.date.adding(seconds: 3 * 365 * 86_400)
    #expect(await refusal { try await verifier.verifyPayload(jws, at: later) } == .date)
    #expect(try await verifier.verifyPayload(jws, at: SampleRecords.date).value.payload == payload)
    #expect(verifier.chains.count == 1)
  }

  @Test("a remembered chain still has its signature checked")
  func signatureIsChecked() async throws {
    let authority = IssuingAuthority.shared
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date)
    let jws = try authority.signTransaction(transaction)
    _ = try await verifier.verifyTransaction(jws)
    let parts = jws.split(separator: ".")
    let other = try authority.signTransaction(
      SignedTransaction(record: SampleRecords.credits(number: 8), signedDate: SampleRecords.date)
    ).split(separator: ".")
    #expect(parts[0] == other[0])
    let mixed = [parts[0], parts[1], other[2]].joined(separator: ".")
    #expect(await refusal { try await verifier.verifyTransaction(mixed) } == .signature)
  }

  @Test("chains that were refused are not remembered")
  func onlyGoodOnesEnter() async throws {
    let verifier = SignedDataVerifier(anchors: try IssuingAuthority.shared.anchors)
    let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date)
    let foreign = try IssuingAuthority().signTransaction(transaction)
    for _ in 0..<3 { #expect(await refusal { try await verifier.verifyTransaction(foreign) } == .chain) }
    #expect(verifier.chains.count == 0)
  }

  @Test("a good chain around which anybody wrote other headers, or other certificates, pushes no chain out")
  func onlySignedOnesEnter() async throws {
    let authority = IssuingAuthority.shared
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let jws = try authority.signTransaction(
      SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date))
    let parts = jws.split(separator: ".").map(String.init)
    let header = try #require(Array(parts[0].utf8).withUnsafeBufferPointer { Base64.decode($0, .url) })
    for number in 0..<3 {
      let other = Array("{\"junk\":\(number),".utf8) + header.dropFirst()
      let forged = [Base64.text(other, .url), parts[1], parts[2]].joined(separator: ".")
      #expect(await refusal { try await verifier.verifyTransaction(forged) } == .signature)
    }
    let receipt = SampleRecords.receipt(listing: [])
    let signer = try authority.receiptSigner(at: SampleRecords.date)
    let container = try ReceiptForge(receipt: receipt).container(
      signer: signer.leaf, certificates: signer.chain.map(\.der) + [signer.chain[2].der])
    var damaged = container
    damaged[damaged.count - 1] ^= 1
    let bytes = damaged
    #expect(await refusal { try await verifier.verifyAppReceipt(bytes) } == .signature)
    #expect(verifier.chains.count == 0)
    _ = try await verifier.verifyTransaction(jws)
    _ = try await verifier.verifyAppReceipt(container)
    #expect(verifier.chains.count == 2)
  }

  @Test("it holds so many and forgets the one not used for longest")
  func bounded() throws {
    let cache = VerifiedChainCache(capacity: 4)
    let leaf = try IssuingAuthority.shared.jwsSigner(at: SampleRecords.date).leaf
    guard case .p256(let key) = leaf.key else { return }
    let chain = VerifiedChain(
      leafKey: .p256(key.publicKey), validity: leaf.outline.validity, anchor: SHA256Fingerprint(of: leaf.der),
      isSelfSigned: false)
    func isKnown(_ key: UInt8) -> Bool { [key, key].withUnsafeBufferPointer { cache.chain(for: $0) != nil } }
    for key in 0..<4 as Range<UInt8> { cache.insert(chain, for: [key, key]) }
    #expect(isKnown(0))
    for key in 4..<7 as Range<UInt8> { cache.insert(chain, for: [key, key]) }
    #expect(cache.count == 4)
    #expect(isKnown(0) && !isKnown(1) && !isKnown(2) && !isKnown(3) && isKnown(6))
    for key in 0..<200 as Range<UInt8> { cache.insert(chain, for: [key]) }
    #expect(cache.count == 4)
  }

  @Test("many at once are verified by one verifier")
  func concurrent() async throws {
    let authority = IssuingAuthority.shared
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 as Range<UInt64> {
        group.addTask {
          let date = SampleRecords.date.adding(seconds: Int64(number % 3) * 700 * 86_400)
          let transaction = SignedTransaction(record: SampleRecords.credits(number: number), signedDate: date)
          let verified = try await verifier.verifyTransaction(try authority.signTransaction(transaction))
          #expect(verified.value == transaction)
        }
      }
      try await group.waitForAll()
    }
    #expect(verifier.chains.count == 3)
  }
}
