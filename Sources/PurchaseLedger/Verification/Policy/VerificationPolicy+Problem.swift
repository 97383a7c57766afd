import SignedData
import StoreModel

/// Thrown when a verification policy is not valid.
public struct UnusableVerificationPolicy: DescribedError, Hashable, Sendable {
  public let app: BundleID
  /// What is wrong and how to correct it, in a sentence.
  public let problem: String

  public var description: String { "The verification policy of \(app) cannot be used. \(problem)" }
}

extension VerificationPolicy {
  /// Describes why the policy cannot be used in a ledger with these trust anchors; nil if it can be used.
  func problem(with anchors: TrustAnchors) -> String? {
    if bundleID.rawValue.isEmpty { return "It names no app." }
    if environments.isEmpty { return "It accepts no environment; name production, sandbox, or both." }
    if proofKinds.isEmpty {
      return "It takes no kind of proof; name appReceipt, legacyReceipt, signedTransaction, or several."
    }
    if proofKinds.contains(.transactionID) {
      return "transactionID is no kind to name: whether a bare transaction id is taken depends on its sender."
    }
    if certificateStatus != nil, case .verifyReceipt = method {
      return "verifyReceipt relies on no certificates; verify by another method, or do not ask about their status."
    }
    if certificateStatus == .hard, proofKinds.contains(.legacyReceipt) {
      return "A legacy receipt has no chain whose status could be asked; leave legacyReceipt out of the kinds of proof."
    }
    if case .serverAPI(let policy) = method {
      if !environments.isSubset(of: [.production, .sandbox]) {
        return "The App Store Server API knows production and sandbox only; accept one of them, or both."
      }
      return policy.problem(trustingApple: anchors.trustsApple)
    }
    guard let policy = method.verifyReceipt else { return nil }
    if case .verifyReceipt = method, proofKinds.contains(.signedTransaction) {
      return
        "verifyReceipt cannot be asked about a signedTransaction; take receipts only, or verify offline or by both."
    }
    if environments.isDisjoint(with: [.production, .sandbox]) {
      return "verifyReceipt knows production and sandbox only; accept one of them, or verify offline."
    }
    return policy.problem(trustingApple: anchors.trustsApple)
  }
}

extension TrustAnchors {
  private static let appleRoots: Set = [appleRootCA, appleRootCAG3]

  /// Whether the anchors include one of Apple's roots.
  fileprivate var trustsApple: Bool {
    !Self.appleRoots.isDisjoint(with: fingerprints)
      || certificates.contains { Self.appleRoots.contains(SHA256Fingerprint(of: $0)) }
  }
}
