import Foundation
import StoreModel
import Testing

@testable import SignedData

/// Damaged data is refused, or is read as exactly what was signed. It never crashes the reader.
@Suite("Damaged data", .timeLimit(.minutes(30)))
struct MutationTests {
  let authority = IssuingAuthority.shared

  @Test("a damaged JWS either is refused or says exactly what was signed", arguments: 0..<4 as Range<UInt64>)
  func jws(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let transaction = SignedTransaction(record: SampleRecords.everything(), signedDate: SampleRecords.date)
    let bytes = Array(try authority.signTransaction(transaction).utf8)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let header = try #require(bytes.firstIndex(of: UInt8(ascii: ".")))
    var refused = 0
    for round in 0..<1000 {
      // Most bytes of a JWS are its certificates, so half of the rounds damage only the rest.
      let damaged =
        round % 2 == 0
        ? Mutation.random(of: bytes, using: &generator)
        : bytes[...header] + Mutation.random(of: Array(bytes[(header + 1)...]), using: &generator)
      do throws(VerificationFailure) {
        let verified = try await verifier.verifyTransaction(String(decoding: damaged, as: UTF8.self))
        #expect(verified.value == transaction, "seed \(seed), round \(round)")
      } catch {
        refused += 1
        #expect([.structure, .chain, .marker, .date, .signature].contains(error.fault))
      }
    }
    #expect(refused > 900)
  }

  @Test("a damaged payload that is signed nevertheless is read or refused", arguments: 0..<2 as Range<UInt64>)
  func signedGarbage(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let payload = SignedTransaction(record: SampleRecords.everything(), signedDate: SampleRecords.date).payloadBytes()
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    for _ in 0..<1000 {
      let damaged = Mutation.random(of: payload, using: &generator)
      let jws = try authority.signJWS(payload: damaged, at: SampleRecords.date)
      do throws(VerificationFailure) {
        _ = try await verifier.verifyTransaction(jws)
      } catch {
        #expect([.structure, .date].contains(error.fault))
      }
    }
  }

  @Test("a damaged app receipt either is refused or says exactly what was signed", arguments: 0..<4 as Range<UInt64>)
  func appReceipt(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let receipt = SampleRecords.receipt(listing: [SampleRecords.credits(), SampleRecords.everything()])
    let bytes = Array(try authority.signAppReceipt(receipt, at: receipt.creationDate))
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let original = try UnverifiedAppReceipt(Data(bytes)).receipt
    var refused = 0
    for round in 0..<1000 {
      let damaged = Data(Mutation.random(of: bytes, using: &generator))
      _ = try? UnverifiedAppReceipt(damaged)
      do throws(VerificationFailure) {
        let verified = try await verifier.verifyAppReceipt(damaged)
        #expect(verified.value == original, "seed \(seed), round \(round)")
      } catch {
        refused += 1
        #expect([.structure, .chain, .marker, .date, .signature].contains(error.fault))
      }
    }
    #expect(refused > 900)
  }

  @Test("a damaged receipt payload is read or refused", arguments: 0..<4 as Range<UInt64>)
  func receiptPayload(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let payload = SampleRecords.receipt(listing: [SampleRecords.credits(), SampleRecords.everything()]).payloadBytes()
    for _ in 0..<2000 { _ = try? AppReceipt(payload: Mutation.random(of: payload, using: &generator)) }
  }

  @Test("a damaged legacy receipt either is refused or says exactly what was signed", arguments: 0..<4 as Range<UInt64>)
  func legacyReceipt(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let receipt = SampleRecords.legacyReceipt(SampleRecords.everything())
    let bytes = Array(try authority.signLegacyReceipt(receipt, at: receipt.purchaseDate))
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    for round in 0..<1000 {
      do throws(VerificationFailure) {
        let verified = try await verifier.verifyLegacyReceipt(Data(Mutation.random(of: bytes, using: &generator)))
        #expect(verified.value.fields == receipt.fields, "seed \(seed), round \(round)")
      } catch {
        #expect([.structure, .chain, .marker, .date, .signature].contains(error.fault))
      }
    }
  }

  @Test("a damaged certificate is read or refused")
  func certificates() throws {
    var generator = SeededGenerator(seed: 5)
    for der in [try authority.jwsRootCertificate, try authority.receiptSigner(at: SampleRecords.date).leaf.der] {
      for _ in 0..<3000 { _ = try? CertificateOutline(Mutation.random(of: der, using: &generator)) }
    }
  }
}
