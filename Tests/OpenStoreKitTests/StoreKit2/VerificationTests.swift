import AppStoreEmulator
import Crypto
import Foundation
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: verification", .timeLimit(.minutes(30)))
struct VerificationTests {
  @Test("a purchase is a JWS that a server can verify; its parts are those of the text")
  func parts() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    guard case .success(let result) = try await device.product(TestStore.basic).purchase() else {
      Issue.record("not purchased")
      return
    }
    let transaction = try result.payloadValue
    #expect(result.unsafePayloadValue == transaction)
    try check(
      Shown(
        jws: result.jwsRepresentation, header: result.headerData, payload: result.payloadData,
        signature: result.signatureData, raw: result.signature.rawRepresentation, signed: result.signedData,
        json: transaction.jsonRepresentation))
    #expect(result.signedDate == transaction.signedDate && result.deviceVerification == transaction.deviceVerification)
    #expect(result.deviceVerificationNonce == transaction.deviceVerificationNonce)
    #expect(result.debugDescription.contains(transaction.debugDescription))

    let info: VerificationResult<SubscriptionRenewalInfo> = try #require(try await device.status()).renewalInfo
    let renewal = try info.payloadValue
    try check(
      Shown(
        jws: info.jwsRepresentation, header: info.headerData, payload: info.payloadData,
        signature: info.signatureData, raw: info.signature.rawRepresentation, signed: info.signedData,
        json: renewal.jsonRepresentation))
    #expect(info.signedDate == renewal.signedDate && info.deviceVerification == renewal.deviceVerification)
    #expect(info.deviceVerificationNonce == renewal.deviceVerificationNonce)

    let app = try await AppTransaction.shared(on: device)
    try check(
      Shown(
        jws: app.jwsRepresentation, header: app.headerData, payload: app.payloadData, signature: app.signatureData,
        raw: app.signature.rawRepresentation, signed: app.signedData, json: app.unsafePayloadValue.jsonRepresentation))
    #expect(try app.signedDate == app.payloadValue.signedDate)
    #expect(try app.deviceVerification == app.payloadValue.deviceVerification)
    #expect(try app.deviceVerificationNonce == app.payloadValue.deviceVerificationNonce)
  }

  private struct Shown {
    let jws: String
    let header: Data, payload: Data, signature: Data, raw: Data, signed: Data, json: Data
  }

  /// Verifies the signature as a server does, with the certificate in the header.
  private func check(_ shown: Shown) throws {
    let unverified = try UnverifiedJWS(shown.jws)
    #expect(Data(unverified.contents.payload) == shown.payload && shown.payload == shown.json)
    #expect(Data(unverified.signature) == shown.signature && shown.signature == shown.raw)
    let parts = shown.jws.split(separator: ".")
    #expect(shown.signed == Data("\(parts[0]).\(parts[1])".utf8))
    let header = try #require(try JSONSerialization.jsonObject(with: shown.header) as? [String: Any])
    #expect(header["alg"] as? String == "ES256" && (header["x5c"] as? [String])?.count == 3)
  }

  @Test("G6 a wrong signature is unverified, never owned, and the genuine transaction arrives on updates later")
  func wrongSignature() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    var updates = device.transactionUpdates()
    let product = try await device.product(TestStore.sepia)
    _ = try test.store.set(Fault(WrongSignatureFault(), id: "forger"))
    guard case .success(let result) = try await product.purchase(),
      case .unverified(let forged, let error) = result
    else {
      Issue.record("it was not unverified")
      return
    }
    #expect(error == .invalidSignature && forged.productID == TestStore.sepia)
    #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) { try result.payloadValue }
    #expect(result.unsafePayloadValue == forged)
    #expect(try await [device.all(), device.entitlements(), device.unfinished()] == [[], [], []])
    #expect(await Transaction.latest(for: TestStore.sepia, on: device) == nil)
    await forged.finish()
    try test.store.removeFault("forger")
    while true {
      let next = try #require(await updates.next())
      guard case .verified(let genuine) = next else { continue }
      #expect(genuine.id == forged.id)
      break
    }
    #expect(try await device.unfinished().map(\.id) == [forged.id], "an unverified transaction finishes nothing")
    #expect(try await device.entitlements().map(\.id) == [forged.id])
    #expect(try await test.chargeCount() == 1)
  }

  @Test("each fault of the store is unverified with its own error")
  func faults() async throws {
    try await expect(.invalidCertificateChain, with: Fault(ExpiredCertificateFault(), id: "fault"))
    try await expect(.invalidSignature, with: Fault(WrongSignatureFault(), id: "fault"))
    try await expect(.invalidDeviceVerification, with: Fault(WrongDeviceFault(), id: "fault"))
  }

  private func expect(
    _ expected: VerificationResult<Transaction>.VerificationError, with fault: Fault
  ) async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let product = try await device.product(TestStore.sepia)
    _ = try test.store.set(fault)
    guard case .success(.unverified(_, let error)) = try await product.purchase() else {
      Issue.record("\(fault) was not noticed")
      return
    }
    #expect(error == expected)
    #expect(try await device.entitlements().isEmpty)
  }

  @Test("certificates of another intermediate are verified")
  func rotatedIntermediate() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    _ = try test.store.set(Fault(RotatedIntermediateFault(), id: "fault"))
    try await device.purchase(TestStore.sepia)
  }

  @Test("each fault of signed data has its error", arguments: VerificationFailure.Fault.allCases)
  func mapping(fault: VerificationFailure.Fault) {
    let error = VerificationResult<Transaction>.VerificationError(VerificationFailure(fault: fault, detail: ""))
    let expected: VerificationResult<Transaction>.VerificationError =
      switch fault {
      case .structure: .invalidEncoding
      case .chain, .marker, .date: .invalidCertificateChain
      case .signature: .invalidSignature
      case .device: .invalidDeviceVerification
      case .bundle, .environment: .missingRequiredProperties
      }
    #expect(error == expected)
    #expect(error.errorDescription != nil && error.failureReason != nil && error.recoverySuggestion != nil)
  }

  @Test("a value with a damaged header or signature can still be shown; one without a payload cannot")
  func damaged() throws {
    let failure = VerificationFailure(fault: .structure, detail: "damaged")
    let text = "{\(Transaction.leastMembers)}"
    let content = try SignedContent(jws: jws(text, header: "", signature: [1, 2]), failure: failure) {
      try SignedTransaction(payload: $0)
    }
    let result = VerificationResult(try #require(Transaction(content, on: nil)))
    guard case .unverified(let value, .invalidEncoding) = result else {
      Issue.record("it is verified")
      return
    }
    #expect(value.id == 11 && result.headerData.isEmpty && result.signatureData == Data([1, 2]))
    #expect(result.signature.rawRepresentation == Data([1, 2] + Array(repeating: 0, count: 62)))
    for damaged in ["", "a", "a.b", "a.b.c.d", "a.!.c"] {
      #expect(throws: VerificationFailure.self) {
        try SignedContent(jws: damaged, failure: nil) { try SignedTransaction(payload: $0) }
      }
    }
  }

  @Test("results are equal if value and error are")
  func equality() throws {
    typealias Result = VerificationResult<Transaction>
    let t = try #require(try Transaction.of("{\(Transaction.leastMembers)}"))
    #expect(Result.verified(t) == .verified(t) && Result.verified(t) != .unverified(t, .invalidSignature))
    #expect(Set([Result.verified(t), .unverified(t, .revokedCertificate), .verified(t)]).count == 2)
    #expect(Result.VerificationError.revokedCertificate.recoverySuggestion == "Try again later.")
  }
}
