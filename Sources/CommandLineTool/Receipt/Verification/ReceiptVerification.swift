import Foundation
import SignedData
import StoreModel

/// Verifies an input of any kind.
struct ReceiptVerification {
  let input: ReceiptInput
  let contents: ReceiptContents
  let trust: ReceiptTrust
  let expectation: Expectation

  /// Verifies the input. Never returns `unchecked`.
  func verdict() async -> ReceiptVerdict {
    let verifier = SignedDataVerifier(anchors: trust.anchors)
    do throws(VerificationFailure) {
      switch input {
      case .appReceipt(let data): return verified(try await verifier.verifyAppReceipt(data, expecting: expectation))
      case .legacyReceipt(let data):
        return verified(try await verifier.verifyLegacyReceipt(data, expecting: expectation))
      case .jws(let text):
        guard case .payload(let payload) = contents, payload.kind != .transaction else {
          return verified(try await verifier.verifyTransaction(text, expecting: expectation))
        }
        let opened = try await verifier.verifyPayload(text)
        try check(payload, anchor: opened.anchor)
        return verified(opened)
      }
    } catch {
      return .refused(error)
    }
  }

  private func verified(_ value: Verified<some Sendable>) -> ReceiptVerdict {
    .verified(anchor: value.anchor, checkedDate: value.checkedDate)
  }

  /// Makes the checks that `verifyPayload` leaves to its caller: the app, the device and the environment of Xcode's
  /// data. If the payload lacks an expected value, the check fails.
  private func check(_ payload: PayloadContents, anchor: SHA256Fingerprint) throws(VerificationFailure) {
    if trust.isSelfSigned(anchor), payload.rawEnvironment != StoreEnvironment.xcode.rawValue {
      throw VerificationFailure(
        fault: .environment,
        detail: "it is signed by a self-signed certificate, which is trusted for Xcode's environment only")
    }
    if let bundleID = expectation.bundleID, payload.bundleID != bundleID {
      let found = payload.bundleID.map { "it is for \($0.rawValue.prefix(200))" } ?? "it names no app"
      throw VerificationFailure(fault: .bundle, detail: "\(found), expected was \(bundleID)")
    }
    if let device = expectation.device, !payload.isIssued(for: device) {
      throw VerificationFailure(
        fault: .device, detail: "it carries no proof that it was issued to the device \(device)")
    }
  }
}

/// The result of a verification.
enum ReceiptVerdict {
  /// The input was read, but not verified.
  case unchecked
  /// The input is genuine, and it meets the ``Expectation``: the app, the environment and the device.
  ///
  /// - anchor: the trusted certificate to which the input's certificate chain leads.
  /// - checkedDate: the date at which the certificates of the chain were checked.
  case verified(anchor: SHA256Fingerprint, checkedDate: StoreDate)
  case refused(VerificationFailure)

  var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}
