import Crypto
import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("An issuing authority", .timeLimit(.minutes(30)))
struct IssuingAuthorityTests {
  let authority = IssuingAuthority.shared

  @Test("leaves change every two calendar years of the store's clock; roots and intermediates stay")
  func rotation() async throws {
    func date(_ year: Int, _ month: Int, _ day: Int) throws -> StoreDate {
      var time = CivilTime()
      (time.year, time.month, time.day) = (year, month, day)
      return try #require(time.date)
    }
    let last = try date(2026, 1, 1).adding(milliseconds: -1)
    let first = try date(2026, 1, 1)
    let old = try authority.jwsSigner(at: last).leaf
    let new = try authority.jwsSigner(at: first).leaf
    #expect(old.der == (try authority.jwsSigner(at: try date(2024, 1, 1)).leaf.der))
    #expect(old.der != new.der)
    #expect(old.outline.validity == (try date(2024, 1, 1))...last)
    #expect(new.outline.validity.lowerBound == first)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    for moment in [try date(2014, 1, 1), last, first, try date(2064, 1, 1).adding(milliseconds: -1)] {
      let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: moment)
      let verified = try await verifier.verifyTransaction(try authority.signTransaction(transaction))
      #expect(verified.value == transaction)
      let receipt = SampleRecords.receipt(listing: [], at: StoreDate(moment.date))
      _ = try await verifier.verifyAppReceipt(try authority.signAppReceipt(receipt, at: moment))
    }
  }

  @Test(
    "a date outside the certificates' years is a typed error",
    arguments: [
      -1, 1_388_534_399_999, 2_966_371_200_000, Int64.max, Int64.min,
    ])
  func outside(milliseconds: Int64) {
    let date = StoreDate(millisecondsSince1970: milliseconds)
    #expect(throws: IssuingError.dateOutsideCertificates(date)) { try authority.signJWS(payload: [], at: date) }
    #expect(throws: IssuingError.dateOutsideCertificates(date)) { try authority.tlsIdentity(hosts: ["a"], at: date) }
  }

  @Test(
    "hosts that no certificate can name are refused",
    arguments: [
      "", "a b", "-a", "a-", "a..b", "http://a", "a/b", "ä", "a:80", String(repeating: "a", count: 64),
    ])
  func hosts(host: String) {
    #expect(throws: IssuingError.unusableHost(host)) {
      try authority.tlsIdentity(hosts: [host], at: SampleRecords.date)
    }
  }

  @Test("the API key is a P-256 key in PKCS#8, the same each time, with an identifier that follows from it")
  func apiKey() throws {
    let key = try P256.Signing.PrivateKey(pemRepresentation: try authority.apiKey())
    #expect(try authority.apiKey().hasPrefix("-----BEGIN PRIVATE KEY-----"))
    #expect(
      try P256.Signing.PrivateKey(pemRepresentation: authority.apiKey()).rawRepresentation == key.rawRepresentation)
    #expect(try authority.apiKeyID().count == 10)
    #expect(try authority.apiKeyID() == authority.apiKeyID())
    #expect(try IssuingAuthority().apiKeyID() != authority.apiKeyID())
  }

  @Test("serial numbers are 16 bytes and positive")
  func serialNumbers() throws {
    for identity in [
      try authority.jwsSigner(at: SampleRecords.date).leaf, try authority.receiptSigner(at: SampleRecords.date).leaf,
    ] {
      let serial = identity.der[identity.outline.serialNumber]
      #expect(serial.count == 16 && (0x40..<0x80).contains(serial.first ?? 0))
    }
  }
}
