import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The faults of an expired certificate and of a wrong signature", .timeLimit(.minutes(30)))
struct ExpiredCertificateFaultTests {
  /// The fault that a verifier finds in each kind of signed data; nil for valid data.
  private func faults(
    _ jws: String, _ appReceipt: Data, _ legacyReceipt: Data, in shop: TeaShop
  ) async throws -> [VerificationFailure.Fault?] {
    let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)
    func fault(_ verify: () async throws -> Void) async throws -> VerificationFailure.Fault? {
      do {
        try await verify()
        return nil
      } catch let failure as VerificationFailure {
        return failure.fault
      }
    }
    return [
      try await fault { _ = try await verifier.verifyTransaction(jws) },
      try await fault { _ = try await verifier.verifyAppReceipt(appReceipt) },
      try await fault { _ = try await verifier.verifyLegacyReceipt(legacyReceipt) },
    ]
  }

  @Test(
    "G6 a purchase's transaction and receipts are refused because of the certificate's dates only",
    arguments: ExpiredCertificateFault.When.allCases)
  func purchase(when: ExpiredCertificateFault.When) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(ExpiredCertificateFault(when), count: 1))
    let batch = try await shop.buy(on: phone)
    let delivery = try #require(batch.deliveries.first)
    let (receipt, legacy) = (try #require(batch.receipt), try #require(delivery.transactionReceipt))
    #expect(try await faults(delivery.signedTransaction, receipt, legacy, in: shop) == [.date, .date, .date])
    let body = try JSONEncoder().encode(["receipt-data": receipt.base64EncodedString()])
    #expect(try await shop.store.verifyReceipt(body, at: .sandbox).status == .malformedReceipt)
    #expect(shop.store.requests().last?.reason?.hasPrefix("date: ") == true)
    // The fault has applied once: the same transaction is delivered again with valid certificates.
    let again = try await shop.store.unfinished(for: phone.id)
    let valid = try #require(again.deliveries.first)
    #expect(
      try await faults(
        valid.signedTransaction, try #require(again.receipt), try #require(valid.transactionReceipt), in: shop)
        == [nil, nil, nil])
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("G6 a wrong signature is the only fault of a purchase's transaction and receipts, and ends with the fault")
  func wrongSignature() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(WrongSignatureFault(), count: 1))
    let batch = try await shop.buy(on: phone)
    let delivery = try #require(batch.deliveries.first)
    #expect(
      try await faults(
        delivery.signedTransaction, try #require(batch.receipt), try #require(delivery.transactionReceipt), in: shop)
        == [.signature, .signature, .signature])
    let again = try await shop.store.unfinished(for: phone.id)
    let valid = try #require(again.deliveries.first)
    #expect(
      try await faults(
        valid.signedTransaction, try #require(again.receipt), try #require(valid.transactionReceipt), in: shop)
        == [nil, nil, nil])
  }

  @Test("G6 a transaction's proofs can be signed so for a backend's test", arguments: SigningChain.allCases)
  func proofs(chain: SigningChain) async throws {
    let shop = try await TeaShop()
    let id = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      .record.transactionID
    let proofs = try await shop.store.proofs(of: id, chain: chain)
    let expected: VerificationFailure.Fault? =
      switch chain {
      case .valid, .rotatedIntermediate: nil
      case .expired, .notYetValid: .date
      case .wrongSignature: .signature
      }
    #expect(
      try await faults(proofs.signedTransaction, proofs.appReceipt, proofs.legacyReceipt, in: shop)
        == [expected, expected, expected])
  }

  @Test("where no period is before or after, signing fails, and says so")
  func bounds() throws {
    let authority = IssuingAuthority.shared
    let (first, last) = (IssuingAuthority.signableDates.lowerBound, IssuingAuthority.signableDates.upperBound)
    #expect(throws: IssuingError.noInvalidCertificate(first, .expired)) {
      try authority.signJWS(payload: Array("{}".utf8), at: first, chain: .expired)
    }
    #expect(throws: IssuingError.noInvalidCertificate(last, .notYetValid)) {
      try authority.signJWS(payload: Array("{}".utf8), at: last, chain: .notYetValid)
    }
  }
}
